// A block of the torus: its routers, its nodes, and the loop over their cycles. A run has one block
// per thread; which block a node belongs to changes no result.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <vector>

#include "hal/counters.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/rules/routing.hpp"
#include "router/sim/device.hpp"
#include "router/sim/event_phase.hpp"
#include "router/sim/network.hpp"
#include "router/sim/probe.hpp"
#include "router/sim/routers.hpp"

namespace toroid::sim {

/// What a node's turn threw. A run ends with the first: the earliest, of those the lowest rank.
struct Failure {
  Tick at;
  Rank node;
  std::exception_ptr error;

  bool before(const Failure& other) const {
    return at != other.at ? at < other.at : node < other.node;
  }
};

class Block {
 public:
  struct Counts {
    Tick end = 0;  ///< the last cycle in which something happened
    std::uint64_t events = 0;
    std::uint64_t delivered = 0;
  };

  /// The machine and the probe, if any, outlive it.
  Block(const Shape& shape, const Machine& machine, const RoutingOptions& routing, FifoTying tying,
        Range range, SimProbe* probe);
  Block(const Block&) = delete;  // nodes refer to the network

  const Range& range() const { return network_.block(); }
  Network& network() { return network_; }
  const Network& network() const { return network_; }
  /// By rank. REQUIRES: one of this block.
  SimDevice& node(Rank rank) { return nodes_[rank - range().first]; }
  const SimDevice& node(Rank rank) const { return nodes_[rank - range().first]; }

  /// Every processor takes its first turn at cycle 0. REQUIRES: they have been attached.
  void start();
  /// The next cycle in which something happens; kNever: nothing is left.
  Tick next() const { return network_.calendar().next(); }
  /// Goes through the cycles before `horizon`, until a node fails or, at the end of a cycle, there
  /// have been `events` of them in all.
  void run(Tick horizon, std::uint64_t events);

  const std::optional<Failure>& failure() const { return failure_; }
  const Counts& counts() const { return counts_; }
  FifoCounters fifo_counters(Tick now, Rank rank, unsigned fifo) const;
  /// Adds what the block has counted; blocks in ascending order. `end`: of the whole run.
  void add_to(FabricCounters& counters, Tick end) const;

 private:
  void run_cycle(Tick now);
  void take_turn(SimDevice& node, Tick now);
  void tell_processors(Tick now);
  void hand_over_packets(Tick now);

  Network network_;
  std::vector<SimDevice> nodes_;  ///< by place: rank less the block's first
  ProcessorEvents events_;        ///< of this cycle
  std::vector<Rank> turns_;       ///< in this cycle, by place
  Counts counts_;
  std::optional<Failure> failure_;
};

}  // namespace toroid::sim
