// The nodes of a block of the torus.
#pragma once

#include "hal/shape.hpp"

namespace toroid::sim {

/// Consecutive ranks.
struct Range {
  Rank first;
  Rank count;
  constexpr bool has(Rank rank) const { return rank - first < count; }
};

}  // namespace toroid::sim
