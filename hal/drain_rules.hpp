// Rules for choosing the injection FIFO of a packet: the patent's rule, and others for comparison.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "hal/direction.hpp"
#include "hal/injection_fifo.hpp"

namespace toroid {

/// Which FIFO takes the packet at the head of a queue, among the FIFOs that have room for it and
/// serve one of its possible directions.
enum class DrainRule : std::uint8_t {
  least_full,   ///< the least full (patent, FIG. 10)
  first_fit,    ///< the first
  round_robin,  ///< the first after the one that took the previous packet
};
inline constexpr std::array<std::string_view, 3> kDrainRuleNames = {"least-full", "first-fit",
                                                                    "round-robin"};

/// The first FIFO that takes the packet, if FIFOs are tried from `begin` to the last one and then
/// from 0 on. InjectionFifos::kNone if none takes it.
inline unsigned first_fit(const InjectionFifos& fifos, DirectionSet possible, unsigned chunks,
                          unsigned begin) {
  for (unsigned i = 0, f = begin; i < fifos.size(); ++i, f = f + 1 == fifos.size() ? 0 : f + 1)
    if (fifos.takes(f, possible, chunks)) return f;
  return InjectionFifos::kNone;
}

}  // namespace toroid
