// The length from which messages move by put, unless the user chooses otherwise.
#pragma once

#include <cstdint>

namespace toroid {

/// Messages of at least this many packets move by put, unless the user chooses otherwise. Shorter
/// messages go in packets, because a descriptor's round trip costs as much as several packets
/// (docs/SHM.md has measurements).
inline constexpr std::uint32_t kLeastInPut = 8;

}  // namespace toroid
