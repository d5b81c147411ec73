// Random numbers for draws by weights, whose sum may have more than 32 bits.
#pragma once

#include <cstdint>

#include "hal/random.hpp"

namespace toroid {

/// A random number, uniform in [0, bound) with a bias below bound / 2^64. REQUIRES: bound > 0.
inline std::uint64_t below(std::uint64_t bound, Random& random) {
  return random.next() % bound;
}

}  // namespace toroid
