// Which toroid this is: in a source of its own, so that a commit compiles nothing else anew.
#pragma once

#include <string_view>

namespace toroid {

/// As "0.1.0", of the project in CMakeLists.txt.
extern const std::string_view kVersion;
/// Twelve digits of the commit, "-dirty" behind them where files differ from it; or "unknown".
extern const std::string_view kGitHash;

}  // namespace toroid
