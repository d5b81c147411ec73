// Observes a run of the model: every packet's path, and the whole machine at exact times.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "hal/counters.hpp"
#include "hal/direction.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"

namespace toroid {

/// A packet as a probe sees it.
struct ProbedPacket {
  std::uint64_t serial;  ///< from 0, in the order in which processors wrote the packets
  Rank source;
  Rank destination;
  unsigned chunks;
};

/// The state of the machine at one cycle.
class SimSnapshot {
 public:
  /// The counters of all links, [rank · links per node + direction], like FabricCounters::links.
  virtual std::span<const LinkCounters> links() const = 0;
  /// The node's injection FIFOs; `used` includes packets that the processor is still writing.
  virtual const InjectionFifos& fifos(Rank node) const = 0;
  /// Chunks in all reception FIFOs of the node.
  virtual unsigned received(Rank node) const = 0;
  /// Packets in the output queues of the node.
  virtual std::uint64_t queued(Rank node) const = 0;
  virtual FifoCounters fifo_counters(Rank node, unsigned fifo) const = 0;
  /// Chunks waiting in an input channel of a node. `travelling`: the direction in which the
  /// channel's packets travel.
  virtual unsigned waiting(Rank node, Direction travelling, VirtualChannel channel) const = 0;
  virtual std::uint64_t packets_under_way() const = 0;

 protected:
  ~SimSnapshot() = default;
};

/// Observes a run. The model's thread calls it in order of time. It must not change the machine; an
/// exception from it ends the run. A run with a probe has one thread; a run without a probe has no
/// overhead.
class SimProbe {
 public:
  virtual ~SimProbe() = default;

  /// A packet is in an injection FIFO from now on.
  virtual void on_inject(Tick, Rank, unsigned /*fifo*/, const ProbedPacket&) {}
  /// A packet's header leaves a node; the link is busy for as long as the packet's chunks take on
  /// the wire.
  virtual void on_hop(Tick, Rank, Direction, VirtualChannel, const ProbedPacket&) {}
  /// A packet's tail is in a reception FIFO.
  virtual void on_deliver(Tick, Rank, const ProbedPacket&) {}

  /// Returns false if the probe wants only samples and none of the calls above. The run is then as
  /// fast as one without a probe. Called once, when the machine is created.
  virtual bool follows_packets() const { return true; }
  /// Number of cycles between two samples, at least 1; kNoSamples if none are wanted. Called once
  /// per run.
  virtual Tick sample_every() const { return kNoSamples; }
  /// Called at the cycles 0, sample_every(), ... up to the last event, before anything else happens
  /// in that cycle.
  virtual void on_sample(Tick, const SimSnapshot&) {}

  static constexpr Tick kNoSamples = std::numeric_limits<Tick>::max();
};

}  // namespace toroid
