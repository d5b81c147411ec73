// The version of toroid. It is defined in its own source, so that a commit recompiles nothing else.
#pragma once

#include <string_view>

namespace toroid {

/// The project's version in CMakeLists.txt, e.g. "0.2.0".
extern const std::string_view kVersion;
/// Twelve digits of the commit, with "-dirty" appended if files differ from it; or "unknown".
extern const std::string_view kGitHash;

}  // namespace toroid
