// All counters of a run of the model, for comparison.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "hal/counters.hpp"
#include "hal/tick.hpp"
#include "tests/router/sim/sim_machine.hpp"

namespace toroid::testing {

using Everything = std::tuple<Tick, Tick, std::uint64_t, std::uint64_t, std::uint64_t,
                              std::vector<std::uint64_t>, std::vector<std::uint64_t>>;

inline Everything everything(const SimMachine& machine) {
  const FabricCounters& c = machine.counters();
  std::vector<std::uint64_t> links;
  for (const LinkCounters& link : c.links) {
    links.insert(links.end(), link.packets.begin(), link.packets.end());
    links.push_back(link.wire_bytes);
  }
  for (const LinkHealth& link : c.health) {
    links.push_back(link.errors);
    links.push_back(link.repeats);
  }
  links.push_back(c.link_errors.crc_mismatches);
  std::vector<std::uint64_t> fifos;
  for (const FifoCounters& fifo : c.fifos) {
    fifos.push_back(fifo.packets);
    fifos.push_back(fifo.most_chunks);
    fifos.push_back(fifo.stalled_cycles);
  }
  return {c.end, machine.finished_at(), c.delivered, c.packet_hops, c.events, links, fifos};
}

}  // namespace toroid::testing
