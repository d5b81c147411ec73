// Draws by weights whose sum may be more than 32 bits.
#pragma once

#include <cstdint>

#include "hal/random.hpp"

namespace toroid {

/// Uniform in [0, bound); REQUIRES: bound > 0. Its bias is below bound / 2^64.
inline std::uint64_t below(std::uint64_t bound, Random& random) {
  return random.next() % bound;
}

}  // namespace toroid
