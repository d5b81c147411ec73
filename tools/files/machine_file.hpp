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

/// Returns the machine that `text` names: "bgl", a preset, or the path of a machine file.
/// Parameters may be changed by appending them: "bgl:injection_fifos=4:hop_latency=100 ns"; the
/// whole text is then the machine's name. Throws BadInput with file, line and what was expected.
Machine load_machine(const std::string& text);

/// Returns the full keys of the parameters that `text` changes, for the example above
/// {"injection_fifos", "hop_latency_cycles"}. REQUIRES: load_machine() accepts `text`.
std::vector<std::string_view> changed_keys(const std::string& text);

/// Parses the text of a machine file: `name = "..."`, and for each field of machine_fields() either
/// a number under the field's key, or a text with a unit under the key without its unit:
/// `hop_latency = "100 ns"`. Omitted fields keep the Blue Gene/L's value. The table `[sources]`
/// says where numbers come from, under either form of their keys. `origin` names the file in
/// messages and has no control characters.
Machine parse_machine(std::string_view text, std::string_view origin);

/// Returns the text of a machine file with the unit, source and meaning of every field.
std::string machine_text(const Machine& machine);

/// The origin of a number in words.
std::string_view origin_name(Origin origin);
/// The source of a machine's field in words. It is the source that the machine's file gives. If the
/// file gives none, it is the field's origin if the value is that of the Blue Gene/L, and otherwise
/// "machine file".
std::string source_of(const Machine& machine, const MachineField& field);

}  // namespace toroid
