// The routers and links of a block of the torus, and the packets in them.
//
// A cycle has two halves. First all events of the cycle change the state: headers arrive, tails
// leave and return their tokens upstream. Then every router that something happened to chooses,
// link by link, among the packets that want it. Within a half the order is immaterial, because
// events of one cycle touch different things or add to the same count, and choices act on other
// nodes only through later events. So a run's results follow from its input alone, however the
// torus is cut into blocks.
//
// There are two models with the same rules (router/rules) and the same results: one for every
// machine (general_network.hpp), and a fast one for the common ones (lean/lean_network.hpp).
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
#include "router/sim/flight_pool.hpp"
#include "router/sim/flight_store.hpp"
#include "router/sim/node_range.hpp"
#include "router/sim/outbox.hpp"
#include "router/sim/probe.hpp"
#include "router/sim/reception.hpp"

namespace toroid {
class Archive;
}

namespace toroid::sim {

/// Chunks that have left the injection FIFO they came from.
struct FreedRoom {
  Rank node;
  std::uint8_t fifo;
  std::uint8_t chunks;
};

/// What a cycle brings for processors.
struct ProcessorEvents {
  std::vector<Event> delivered;
  std::vector<FreedRoom> freed;
  std::vector<FlightId> lost;  ///< taken out of the network, since no way is left to them
  std::vector<Event> wakes;    ///< turns and alarms
  std::vector<Rank> coming;    ///< nodes that will have such an event soon; for prefetches only

  void clear() {
    delivered.clear();
    freed.clear();
    lost.clear();
    wakes.clear();
    coming.clear();
  }
};

/// A block owns its network; all calls come from one thread at a time. What the two models share is
/// what processors touch: packets' headers and payloads, reception FIFOs, irregular events.
class Network {
 public:
  Network(const Shape& shape, const Machine& machine, Range block, FlightStore& store,
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
  /// Of all blocks' networks together, modulo 2^64: the packets under way.
  std::uint64_t flights_alive() const { return flights_.alive(); }

  /// Where what leaves the block goes from now on. REQUIRES: there are other blocks.
  void leave_through(Outbox& outbox) { outbox_ = &outbox; }
  /// Schedules what a neighbouring block has sent, in the order in which it was sent. `neighbour`:
  /// its number, always the same. REQUIRES: nothing of it lies in the past.
  virtual void schedule(const WindowMessage& message, std::size_t neighbour) = 0;

  // In what follows nodes are counted from the block's first.
  /// Schedules a turn or an alarm. REQUIRES: `at` is past the present cycle, or no cycle has run.
  void at(Tick when, Event event) { calendar_.at(when, event); }
  /// Puts a packet into an injection FIFO at a later cycle.
  virtual void schedule_injection(Tick at, Rank node, unsigned fifo, FlightId flight) = 0;
  /// The processor has made a packet: it gets its number, if somebody asks for it.
  void number(Rank node, FlightId flight) {
    if (has_tags_) flights_.set_tag(flight, {next_serial_++, node});
  }
  /// Links or nodes fail in this cycle, in which nothing has happened yet: the shape's failures
  /// know them.
  void fail(Tick at) { calendar_.at(at, {EventKind::failed, 0, 0}); }
  /// The packet will not arrive: its destination has failed, or every way there is cut.
  void lose(FlightId flight) {
    ++lost_[{flights_.tag(flight).source, flights_.header(flight).destination()}];
    flights_.remove(flight);
  }
  /// What cannot arrive any more: packets by source and destination.
  using Lost = std::map<std::pair<Rank, Rank>, std::uint64_t>;
  const Lost& lost() const { return lost_; }
  /// The processor has taken a delivered packet out of a reception FIFO.
  void release_reception(Tick now, Rank node, FlightId flight) {
    reception_.release(node, flights_[flight].reception_fifo, flights_[flight].chunks);
    flights_.remove(flight);
    eject_waiting(now, node);
  }

  /// The next cycle in which something happens; kNever: nothing is left.
  virtual Tick next() const = 0;
  /// The first half of the cycle next(). Returns the number of events.
  virtual std::size_t run_events(Tick now, ProcessorEvents& events) = 0;
  /// The second half.
  virtual void arbitrate(Tick now) = 0;
  /// The cycle's processors have had their turns.
  virtual void end_cycle(Tick now) = 0;

  /// Saves the state between two cycles, or loads it. REQUIRES: there is no probe.
  virtual void serialize(Archive& archive) = 0;

  /// The errors of a link; 0 where links are not checked.
  virtual std::uint64_t link_errors(Rank node, Direction link) const = 0;
  /// Adds packet hops, and the block's links in ascending order.
  virtual void add_to(FabricCounters& counters) const = 0;
  /// Cycles until `now`, which is not before the last event, in which a FIFO's head waited.
  virtual std::uint64_t stalled_cycles(Tick now, Rank rank, unsigned fifo) const = 0;

  // For the report of a run that cannot go on, and for probes: by rank.
  virtual unsigned inputs() const = 0;
  /// The packet at the head of a queue, if there is one.
  virtual std::optional<RoutedPacket> head(Rank rank, Input s) const = 0;
  /// Chunks in a queue.
  virtual unsigned used(Rank rank, Input s) const = 0;
  /// [node of the block · links + direction]; empty: add_to() has them.
  virtual std::span<const LinkCounters> link_counters() const = 0;

 protected:
  /// A reception FIFO of the node has room again.
  virtual void eject_waiting(Tick now, Rank node) = 0;
  /// The part of serialize() that both models have.
  void serialize_ends(Archive& archive);

  Shape shape_;
  Range block_;
  Calendar calendar_;
  FlightPool flights_;
  Reception reception_;
  SimProbe* probe_;           ///< null: nobody looks
  Outbox* outbox_ = nullptr;  ///< null: there are no other blocks
  Lost lost_;

 private:
  bool has_tags_;
  std::uint64_t next_serial_ = 0;  ///< of a packet, for probes
};

/// The routers of `block`, by the fast model where it serves. `store`: of the packets of all
/// blocks; it outlives the network, as does the probe, if there is one. Throws BadInput if the
/// machine cannot be modelled.
std::unique_ptr<Network> make_network(const Shape& shape, const Machine& machine,
                                      const RoutingOptions& options, Range block,
                                      FlightStore& store, SimProbe* probe);

}  // namespace toroid::sim
