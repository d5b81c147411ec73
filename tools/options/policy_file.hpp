// Policies as data: a TOML file that changes a built-in policy and may bring tables.
#pragma once

#include <string>
#include <string_view>

#include "packet/policies/policy.hpp"
#include "tools/options/policy_tables.hpp"

namespace toroid {

/// Whether the text names such a file: it ends with ".toml".
bool names_policy_data(std::string_view text);

/// The policy that the file describes. Throws BadInput with file, line or row, and what was
/// expected.
const Policy& policy_from_data(std::string_view text);

/// What such a file's text says; `path`: its name, for messages, beside which its tables stand.
/// Throws BadInput as above.
PolicyData parse_policy_data(std::string_view text, const std::string& path);

/// A checksum of the file and of the tables that it names, of eight hexadecimal digits.
std::string policy_data_sum(std::string_view text);

}  // namespace toroid
