// The version of toroid.
#pragma once

#include <string_view>

namespace toroid {

/// CMakeLists.txt reads the project's version from this line.
inline constexpr std::string_view kVersion = "0.2.0";

}  // namespace toroid
