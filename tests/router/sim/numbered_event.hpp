// Events that are distinguished by their values.
#pragma once

#include <cstdint>

#include "router/sim/event.hpp"

namespace toroid::sim {

inline Event numbered(std::uint32_t number) {
  return {EventKind::turn, number % 1000, 0, number};
}

}  // namespace toroid::sim
