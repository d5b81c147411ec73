// A folder with a policy of one's own, as `toroid policy new` writes it.
#pragma once

#include <string>

namespace toroid {

/// Writes the folder NAME into the directory (empty: the current one), with a source and a CMake
/// file that compile as they are. Returns what to type next. Throws BadInput where the name is not
/// that of a class, or where the folder is there already.
std::string write_policy_project(const std::string& name, const std::string& directory);

}  // namespace toroid
