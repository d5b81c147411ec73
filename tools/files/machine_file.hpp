// Machine descriptions in TOML.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hal/machine.hpp"

namespace toroid {

/// A machine file that is part of the program.
struct MachinePreset {
  std::string_view name;
  std::string_view text;
};
/// The presets by name, without "bgl", which is a default-constructed Machine.
std::span<const MachinePreset> machine_presets();

/// The machine of "bgl", of a preset's name or of the path of a machine file, with the numbers that
/// stand behind it: "bgl:injection_fifos=4:hop_latency=100 ns", which is then its name too. Throws
/// BadInput with file, line and what was expected.
Machine load_machine(const std::string& text);

/// The keys of the numbers that stand behind the machine, without unit: {"injection_fifos",
/// "hop_latency_cycles"}. REQUIRES: load_machine() takes it.
std::vector<std::string_view> changed_keys(const std::string& text);

/// The machine of a file's text: `name = "..."` and numbers under the keys of machine_fields(), or
/// texts with a unit under the keys without one: `hop_latency = "100 ns"`. Fields that are left out
/// keep the Blue Gene/L's value. A table `[sources]` says under either key where a number comes
/// from. `origin`, which has no control characters, names the file in messages.
Machine parse_machine(std::string_view text, std::string_view origin);

/// The text of a machine file with every field, each with unit, source and meaning.
std::string machine_text(const Machine& machine);

/// The origin of a number in words.
std::string_view origin_name(Origin origin);
/// The source of a machine's field in words: what its file says, else the field's origin where the
/// value is the Blue Gene/L's.
std::string source_of(const Machine& machine, const MachineField& field);

}  // namespace toroid
