// Which injection FIFO takes a packet: the patent's rule, and those that it is compared with.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "hal/direction.hpp"
#include "hal/injection_fifo.hpp"

namespace toroid {

/// Which FIFO takes the packet at the head of a queue, of the FIFOs in its possible directions that
/// have room.
enum class DrainRule : std::uint8_t {
  least_full,   ///< the least full (patent, FIG. 10)
  first_fit,    ///< the first
  round_robin,  ///< the first behind the one that took the last packet
};
inline constexpr std::array<std::string_view, 3> kDrainRuleNames = {"least-full", "first-fit",
                                                                    "round-robin"};

/// The first FIFO that takes a packet at or after `begin`, cyclically; if none does, any.
inline unsigned first_fit(const InjectionFifos& fifos, DirectionSet possible, unsigned chunks,
                          unsigned begin) {
  unsigned f = begin;
  for (unsigned i = 1; i < fifos.size() && !fifos.takes(f, possible, chunks); ++i)
    f = f + 1 == fifos.size() ? 0 : f + 1;
  return f;
}

}  // namespace toroid
