// A block of the torus: its routers, its nodes, and the loop over their cycles.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include "hal/counters.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/large_pages.hpp"
#include "hal/machine.hpp"
#include "hal/processor.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/rules/routing.hpp"
#include "router/sim/device.hpp"
#include "router/sim/event.hpp"
#include "router/sim/flight_memory.hpp"
#include "router/sim/network.hpp"
#include "router/sim/node_range.hpp"
#include "router/sim/probe.hpp"
#include "router/termination/dead_processor.hpp"

namespace toroid {
class Archive;
}

namespace toroid::sim {

/// An exception from a node's turn. A run ends with the first failure: the earliest one, and among
/// several failures in one cycle, that of the lowest rank.
struct Failure {
  Tick at;
  Rank node;
  std::exception_ptr error;

  bool before(const Failure& other) const {
    return at != other.at ? at < other.at : node < other.node;
  }
};

/// A run has one block per thread. Results do not depend on how nodes are divided into blocks. The
/// fabric owns the blocks; during the run one thread at a time calls a block.
class Block {
 public:
  struct Counts {
    Tick end = 0;  ///< the last cycle in which something happened
    std::uint64_t events = 0;
    std::uint64_t delivered = 0;
  };

  /// The machine, its shape, the store of the run's packets and the probe (if any) outlive the
  /// block. `number` is the block's index among the run's blocks. `dma`: nodes have DMA engines.
  /// REQUIRES: nodes with DMA engines have one rank.
  Block(const Shape& shape, const Machine& machine, const RoutingOptions& routing,
        const FifoLinks& tying, Range range, unsigned number, FlightMemory& store, SimProbe* probe,
        bool dma = false);
  Block(const Block&) = delete;  // nodes refer to the network

  const Range& range() const { return network_->block(); }
  Network& network() { return *network_; }
  const Network& network() const { return *network_; }
  bool has(Rank rank) const { return range().has(ranks_.node(rank)); }
  /// A rank's device. REQUIRES: has(rank).
  SimDevice& device(Rank rank) { return devices_[rank - first_rank()]; }
  const SimDevice& device(Rank rank) const { return devices_[rank - first_rank()]; }

  /// Gives a node its processor, and gives the node's DMA engine (if any) the processor's engine.
  void attach(Rank rank, Processor& processor);
  /// Lets every processor take its first turn at cycle 0. REQUIRES: all have been attached.
  void start();
  /// The next cycle in which something happens; kNever if nothing is left.
  Tick next() const { return network_->next(); }
  /// Lets links and nodes fail in cycle `at`, before anything else happens in it. REQUIRES: the
  /// shape's failures already contain them.
  void fail(Tick at) { network_->fail(at); }
  /// Stops a node that has failed: its processor takes no more turns. REQUIRES: the shape's
  /// failures already contain the node.
  void let_die(Rank rank);
  /// Runs the cycles before `horizon`. Stops earlier, at the end of a cycle, if a node has failed
  /// or if Counts::events has reached `events`.
  void run(Tick horizon, std::uint64_t events);
  /// Saves the state between two cycles, or loads it instead of start(). REQUIRES: there is no
  /// probe, nothing has failed, and messages from other blocks have been scheduled.
  void serialize(Archive& archive);

  const std::optional<Failure>& failure() const { return failure_; }
  const Counts& counts() const { return counts_; }
  FifoCounters fifo_counters(Tick now, Rank node, unsigned fifo) const;
  /// Adds the block's counters; called for the blocks in ascending order. `end`: the last cycle of
  /// the whole run.
  void add_to(FabricCounters& counters, Tick end) const;

 private:
  void let_die(SimDevice& device);
  void run_cycle(Tick now);
  void take_turns(Tick now);
  void take_turn(SimDevice& device, Tick now);
  void tell_processors(Tick now);
  void tell_engines(Tick now);
  void tell_ranks(Tick now);
  void put_in_turn();
  Rank first_rank() const { return ranks_.rank(range().first, 0); }
  void hand_over_packets(Tick now);
  void add_engines();
  bool has_engines() const { return first_engine_ != 0; }
  /// The actor that receives a delivered packet.
  Rank receiver(Event delivered) const {
    if (ranks_.are_shared())
      return ranks_.rank(delivered.node(),
                         network_->flights().header(delivered.value()).processor());
    if (!has_engines() || !network_->flights()[delivered.value()].is_engines)
      return delivered.node();
    return first_engine_ + delivered.node();
  }

  std::unique_ptr<Network> network_;
  NodeRanks ranks_;
  bool is_probed_;
  LargeVector<SimDevice> devices_;  ///< [actor]: first the processors of all ranks, then all DMA
                                    ///< engines, if nodes have them
  ProcessorEvents events_;          ///< events of this cycle
  Rank first_engine_ = 0;           ///< the first engine's actor number; 0 if nodes have no engines
  std::vector<Rank> turns_;         ///< actors that take a turn in this cycle
  Counts counts_;
  std::optional<Failure> failure_;
  // Replacements for the programs of failed nodes: `ended_` for a program that had already ended,
  // `cut_short_` for one that had not.
  termination::DeadProcessor ended_{true};
  termination::DeadProcessor cut_short_{false};
};

}  // namespace toroid::sim
