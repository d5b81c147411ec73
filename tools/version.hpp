// Which toroid this is. In a source of its own, tools/version.cpp.in: a commit compiles nothing else anew.
#pragma once

#include <string_view>

namespace toroid {

extern const std::string_view kVersion;  // "0.1.0", the project's in CMakeLists.txt
extern const std::string_view kGitHash;  // twelve digits, "-dirty" behind them where files differ; or "unknown"

}  // namespace toroid
