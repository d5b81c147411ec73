// Writes a folder with a new policy for `toroid policy new`.
#pragma once

#include <string>

namespace toroid {

/// Writes the folder NAME into the directory (the current one if `directory` is empty). The folder
/// has a source and a CMake file that builds it; both work unchanged. Returns the next commands to
/// type. Throws BadInput if the name cannot be a policy's, or if the folder exists.
std::string write_policy_project(const std::string& name, const std::string& directory);

}  // namespace toroid
