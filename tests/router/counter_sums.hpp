// Sums over a fabric's counters.
#pragma once

#include <cstdint>

#include "hal/counters.hpp"

namespace toroid::testing {

/// Number of packets, summed over all links.
inline std::uint64_t over_links(const FabricCounters& counters) {
  std::uint64_t sum = 0;
  for (const LinkCounters& link : counters.links) sum += link.total_packets();
  return sum;
}

/// Number of packets, summed over all injection FIFOs.
inline std::uint64_t through_fifos(const FabricCounters& counters) {
  std::uint64_t sum = 0;
  for (const FifoCounters& fifo : counters.fifos) sum += fifo.packets;
  return sum;
}

}  // namespace toroid::testing
