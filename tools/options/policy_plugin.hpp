// Policies from shared libraries: ./mine.so, or ./mine.so:8 with a parameter.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "packet/policies/policy.hpp"

namespace toroid {

/// Whether the text names a shared library: its file name, without ":N", ends with ".so".
bool names_policy_library(std::string_view text);

/// The names of libraries in the arguments of a command: --policy ./mine.so, --policies=rank,a.so.
std::vector<std::string> policy_libraries_in(std::span<const std::string> arguments);

/// Loads the library, unless it is already loaded, and returns its policy. The library stays
/// loaded. Throws BadInput; the message has the name of the file. Failures of the policy's
/// functions are BadInput or RunFailed with the policy's name and file.
const Policy& policy_from_library(std::string_view text);

/// A checksum of the library's file, as eight hexadecimal digits.
std::string policy_library_sum(std::string_view text);

}  // namespace toroid
