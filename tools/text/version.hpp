// The version of toroid. It is defined in a source of its own, so that only this source is compiled
// again after a commit.
#pragma once

#include <string_view>

namespace toroid {

/// The project's version in CMakeLists.txt, e.g. "0.2.0".
extern const std::string_view kVersion;
/// The first twelve digits of the commit, with "-dirty" appended if files differ from it; "unknown"
/// if git does not know the commit.
extern const std::string_view kGitHash;

}  // namespace toroid
