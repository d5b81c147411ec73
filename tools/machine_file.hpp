// Machine descriptions in TOML.
#pragma once

#include <string>
#include <string_view>

#include "hal/machine.hpp"

namespace toroid {

/// "bgl", or the path of a machine file. Throws BadInput with file, line and what was expected.
Machine load_machine(const std::string& name_or_path);

/// The text of a machine file: `name = "..."` and numbers by the keys of machine_fields(); what is
/// left out keeps the Blue Gene/L's value. `origin` names it in messages.
Machine parse_machine(std::string_view text, std::string_view origin);

/// A machine file that says everything, each number with unit, source and meaning.
std::string machine_text(const Machine& machine);

/// Where a number comes from, in words.
std::string_view origin_name(Origin origin);

}  // namespace toroid
