// The shortest message that moves by put if the user does not say.
#pragma once

#include <cstdint>

namespace toroid {

/// Packets of the shortest message that moves by put if the user does not say. A descriptor's round
/// trip costs as much as several packets (docs/SHM.md has measurements).
inline constexpr std::uint32_t kLeastInPut = 8;

}  // namespace toroid
