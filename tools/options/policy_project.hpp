// Writes a folder with a new policy for `toroid policy new`.
#pragma once

#include <string>

namespace toroid {

/// Writes the folder NAME into the directory (empty: the current one), with a source and a CMake
/// file that compile unchanged. Returns the next commands to type. Throws BadInput if the name
/// cannot be a policy's, or if the folder exists.
std::string write_policy_project(const std::string& name, const std::string& directory);

}  // namespace toroid
