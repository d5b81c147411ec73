// Machine descriptions in TOML.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "hal/machine.hpp"

namespace toroid {

/// A machine file that is part of the program.
struct MachinePreset {
  std::string_view name;
  std::string_view text;
};
/// All but "bgl", which Machine itself is; by name.
std::span<const MachinePreset> machine_presets();

/// "bgl", a preset's name, or the path of a machine file. Throws BadInput with file, line and what
/// was expected.
Machine load_machine(const std::string& name_or_path);

/// The text of a machine file: `name = "..."` and numbers by the keys of machine_fields(), or, by
/// those without their unit, texts with one: `hop_latency = "100 ns"`. What is left out keeps the
/// Blue Gene/L's value. A table `[sources]` says by either key where a number comes from. `origin`
/// names the file in messages.
Machine parse_machine(std::string_view text, std::string_view origin);

/// A machine file that says everything, each number with unit, source and meaning.
std::string machine_text(const Machine& machine);

/// Where a number comes from, in words.
std::string_view origin_name(Origin origin);
/// Likewise, of a machine: what its file says of it, else the field's origin where the value is the
/// Blue Gene/L's.
std::string source_of(const Machine& machine, const MachineField& field);

}  // namespace toroid
