// The routers and links of a block of the torus, and the packets in them.
//
// A cycle has two halves. First all events of the cycle change the state: headers arrive, tails
// leave and return their tokens upstream. Then every router with an event chooses, for each of its
// links, among the packets that want the link. Within a half the order does not matter: events of a
// cycle change different data or add to the same count, and choices affect other nodes only through
// later events. So a run's results follow from its input alone, however the torus is divided into
// blocks.
//
// There are two models with the same rules (router/rules) and the same results: one for every
// machine (general_network.hpp), and a fast one for common machines (lean/lean_network.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "hal/counters.hpp"
#include "hal/direction.hpp"
#include "hal/failures.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/rules/routing.hpp"
#include "router/sim/calendar.hpp"
#include "router/sim/event.hpp"
#include "router/sim/flight.hpp"
#include "router/sim/flight_memory.hpp"
#include "router/sim/flight_pool.hpp"
#include "router/sim/node_range.hpp"
#include "router/sim/outbox.hpp"
#include "router/sim/probe.hpp"
#include "router/sim/reception.hpp"

namespace toroid {
class Archive;
}

namespace toroid::sim {

/// Room of an injection FIFO that is free again, because a packet has left the FIFO.
struct FreedRoom {
  Rank node;
  std::uint8_t fifo;
  std::uint8_t chunks;
};

/// The events of a cycle that concern processors.
struct ProcessorEvents {
  std::vector<Event> delivered;
  std::vector<FreedRoom> freed;
  std::vector<FlightId> lost;  ///< packets removed from the network because they have no path left
  std::vector<Event> wakes;    ///< turns and alarms
  std::vector<Rank> coming;    ///< nodes that will soon have one of these events; used only for
                               ///< prefetching

  void clear() {
    delivered.clear();
    freed.clear();
    lost.clear();
    wakes.clear();
    coming.clear();
  }
};

/// A block owns its network; all calls come from one thread at a time. The two models share the
/// parts that processors use: headers and payloads of packets, reception FIFOs, irregular events.
class Network {
 public:
  Network(const Shape& shape, const Machine& machine, Range block, FlightMemory& store,
          SimProbe* probe)
      : shape_(shape),
        block_(block),
        calendar_(machine),
        flights_(store),
        reception_(shape, machine, block.count),
        probe_(probe),
        has_tags_(probe != nullptr ||
                  (shape.failures() != nullptr && shape.failures()->may_change())) {}
  Network(const Network&) = delete;
  virtual ~Network() = default;

  const Shape& shape() const { return shape_; }
  const Range& block() const { return block_; }
  FlightPool& flights() { return flights_; }
  /// The sum over all blocks, modulo 2^64, is the number of packets in flight.
  std::uint64_t flights_alive() const { return flights_.alive(); }

  /// Sets the outbox for everything that leaves the block. REQUIRES: there are other blocks.
  void leave_through(Outbox& outbox) { outbox_ = &outbox; }
  /// Schedules the events of a message from a neighbouring block; messages come in the order in
  /// which they were sent. `neighbour` numbers the neighbours from 0; a block keeps its number
  /// during the run. REQUIRES: no event of the message lies in the past.
  virtual void schedule(const WindowMessage& message, std::size_t neighbour) = 0;

  // Below, nodes are numbered from the block's first node.
  /// Schedules a turn or an alarm. REQUIRES: `when` is after the present cycle, or no cycle has
  /// run.
  void at(Tick when, Event event) { calendar_.at(when, event); }
  /// Puts a packet into an injection FIFO in a later cycle.
  virtual void schedule_injection(Tick at, Rank node, unsigned fifo, FlightId flight) = 0;
  /// Gives a packet that the processor has created its serial number, if packets have tags.
  void number(Rank node, FlightId flight) {
    if (has_tags_) flights_.set_tag(flight, {next_serial_++, node});
  }
  /// Lets links or nodes fail in cycle `at`, before anything else happens in it. REQUIRES: the
  /// shape's failures already contain them.
  void fail(Tick at) { calendar_.at(at, {EventKind::failed, 0, 0}); }
  /// Counts and removes a packet that will not arrive: its destination has failed, or all paths to
  /// it are cut.
  void lose(FlightId flight) {
    ++lost_[{flights_.tag(flight).source, flights_.header(flight).destination()}];
    flights_.remove(flight);
  }
  /// Numbers of packets that cannot arrive any more, by source and destination.
  using Lost = std::map<std::pair<Rank, Rank>, std::uint64_t>;
  const Lost& lost() const { return lost_; }
  const Reception& reception() const { return reception_; }
  /// The processor has removed a delivered packet from a reception FIFO.
  void release_reception(Tick now, Rank node, FlightId flight) {
    reception_.release(node, flights_[flight].reception_fifo, flights_[flight].chunks);
    flights_.remove(flight);
    eject_waiting(now, node);
  }

  /// The next cycle in which something happens; kNever if nothing is left.
  virtual Tick next() const = 0;
  /// Runs the first half of the cycle next(). Returns the number of events.
  virtual std::size_t run_events(Tick now, ProcessorEvents& events) = 0;
  /// Runs the second half of the cycle.
  virtual void arbitrate(Tick now) = 0;
  /// Ends a cycle, after its processors have had their turns.
  virtual void end_cycle(Tick now) = 0;

  /// Saves the state between two cycles, or loads it. REQUIRES: there is no probe.
  virtual void serialize(Archive& archive) = 0;

  /// The number of errors of a link; 0 if links are not checked.
  virtual std::uint64_t link_errors(Rank node, Direction link) const = 0;
  /// Adds the block's packet hops, and appends the counters of its links in ascending order.
  virtual void add_to(FabricCounters& counters) const = 0;
  /// Number of cycles up to `now` in which a FIFO's head waited for a link. `now` is not before the
  /// last event.
  virtual std::uint64_t stalled_cycles(Tick now, Rank rank, unsigned fifo) const = 0;

  // For probes and for the report of a run that cannot go on. Nodes are given by their ranks.
  virtual unsigned inputs() const = 0;
  /// The packet at the head of a queue, if there is one.
  virtual std::optional<RoutedPacket> head(Rank rank, Input s) const = 0;
  /// Chunks in a queue.
  virtual unsigned used(Rank rank, Input s) const = 0;
  /// The counters of the block's links, [node of the block · links + direction]. Empty if the model
  /// stores them in another form; then add_to() has them.
  virtual std::span<const LinkCounters> link_counters() const = 0;

 protected:
  /// A reception FIFO of the node has room again: moves packets that wait for room into it.
  virtual void eject_waiting(Tick now, Rank node) = 0;
  /// The part of serialize() that both models share.
  void serialize_ends(Archive& archive);

  Shape shape_;
  Range block_;
  Calendar calendar_;
  FlightPool flights_;
  Reception reception_;
  SimProbe* probe_;           ///< null if there is no probe
  Outbox* outbox_ = nullptr;  ///< null if there are no other blocks
  Lost lost_;

 private:
  bool has_tags_;
  std::uint64_t next_serial_ = 0;  ///< the next packet's serial number
};

/// Makes the network of `block`: the fast model if it supports the machine and options.general is
/// not set, otherwise the general model. `store` holds the packets of all blocks. The store and the
/// probe (if any) outlive the network. Throws BadInput if the machine cannot be modelled.
std::unique_ptr<Network> make_network(const Shape& shape, const Machine& machine,
                                      const RoutingOptions& options, Range block,
                                      FlightMemory& store, SimProbe* probe);

}  // namespace toroid::sim
