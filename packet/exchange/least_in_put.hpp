// From where on bytes move by put where nobody says.
#pragma once

#include <cstdint>

namespace toroid {

/// Packets of a message from which on it moves by put, if nobody says: a descriptor's way there and
/// back costs as much as some packets (docs/SHM.md has measurements).
inline constexpr std::uint32_t kLeastInPut = 8;

}  // namespace toroid
