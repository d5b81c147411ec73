// Policies as data: a TOML file that changes a built-in policy and may name tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hal/shape.hpp"
#include "packet/policies/policy.hpp"
#include "tools/options/policy_tables.hpp"

namespace toroid {

/// Whether the text names a policy file: it ends with ".toml".
bool names_policy_data(std::string_view text);

/// The policy that the file describes. Throws BadInput; the message has the file, the line or the
/// row of a table, and what was expected.
const Policy& policy_from_data(std::string_view text);

/// Parses the text of a policy file. `path` is the name of the file, for messages; paths of tables
/// are relative to its folder. Throws BadInput like policy_from_data().
PolicyData parse_policy_data(std::string_view text, const std::string& path);

/// The shapes for which the file has tables, each once; empty if it fits all shapes. Reads no
/// table. Throws BadInput.
std::vector<Shape> shapes_of_policy_data(std::string_view text);

/// A checksum of the file and its tables, as eight hexadecimal digits.
std::string policy_data_sum(std::string_view text);

}  // namespace toroid
