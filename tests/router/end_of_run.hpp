// The result of a run that may have failed: its error message and the lost packets.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "hal/check.hpp"
#include "hal/counters.hpp"
#include "hal/shape.hpp"
#include "tests/router/emulated_machine.hpp"

namespace toroid::testing {

using Pairs = std::map<std::pair<Rank, Rank>, std::uint64_t>;

struct EndOfRun {
  std::string report;  ///< empty if the run completed
  FabricCounters counters;

  /// Number of lost packets for each pair of source and destination.
  Pairs lost() const {
    Pairs pairs;
    for (const LostPackets& lost : counters.lost)
      pairs[{lost.source, lost.destination}] = lost.packets;
    return pairs;
  }
  std::uint64_t packets_lost() const {
    std::uint64_t packets = 0;
    for (const LostPackets& lost : counters.lost) packets += lost.packets;
    return packets;
  }
};

/// Runs an all-to-all exchange of `bytes` bytes per pair until it ends or fails.
template <typename Machine>
EndOfRun exchange_on(Machine& machine, std::uint64_t bytes) {
  MachineExchange exchange(machine, bytes);
  std::string report;
  try {
    exchange.run();
  } catch (const RunFailed& failed) {
    report = failed.what();
  }
  return {report, machine.counters()};
}

}  // namespace toroid::testing
