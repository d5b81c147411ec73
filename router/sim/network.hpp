// The routers and links of a block of the torus: state, and what each event does to it.
//
// A cycle has two halves. First all events of the cycle change the state: headers arrive, tails
// leave and return their tokens upstream. Then every router that something happened to chooses,
// link by link, among the packets that want it. Within a half the order is immaterial, because
// events of one cycle touch different things or add to the same count, and choices act on other
// nodes only through later events. So a run's results follow from its input alone, however the
// torus is cut into blocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hal/counters.hpp"
#include "hal/direction.hpp"
#include "hal/failures.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/reception_buffer.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/rules/arbitration.hpp"
#include "router/rules/routing.hpp"
#include "router/sim/calendar.hpp"
#include "router/sim/event.hpp"
#include "router/sim/flight.hpp"
#include "router/sim/mail.hpp"
#include "router/sim/probe.hpp"

namespace toroid::sim {

/// A FIFO of flights in front of a router: an input channel or an injection FIFO. A packet leaves
/// through the FIFO's one read port, so that the next is considered only when its tail has gone.
struct Waiting {
  FlightId head = kNoFlight;
  FlightId tail = kNoFlight;
  std::uint16_t used = 0;  ///< chunks, the one being read included
  bool reading : 1 = false;
  // Of the head, once it is exposed: copies, so that choosing among heads touches no flight.
  bool high_priority : 1 = false;
  std::uint8_t chunks = 0;
  DirectionSet directions;
  DirectionSet dynamic;

  RoutedPacket routed() const { return {directions, dynamic, chunks, high_priority}; }
};
static_assert(sizeof(Waiting) == 16);

/// One direction of a link, as its sender sees it: four of them to a cache line.
struct OutputLink {
  Rank neighbour = kNone;  ///< of the whole machine
  Tokens tokens{};
  std::uint8_t turn = 0;  ///< where the round robin goes on (transit_first off)

  static constexpr Rank kNone = ~Rank{0};
};
static_assert(sizeof(OutputLink) == 16);

/// The rest of a router. With six links what nearly every event touches is one cache line.
struct alignas(64) RouterState {
  std::uint64_t arrived = 0;  ///< sources whose head is at its destination
  std::uint16_t idle = 0;     ///< links that could start a packet
  std::uint16_t touched = 0;  ///< what the second half has to look at: links and kTouchReception
  /// Per link: wanted_by, bit = Source: its head may leave this way; then per link escape_of: those
  /// that may take the bubble channel.
  std::array<std::uint64_t, 2 * kMaxLinks> words{};

  static constexpr unsigned kTouchReception = 1u << 15;
};

/// A packet that has been chosen to leave in this cycle.
struct Departing {
  Rank node;
  std::uint8_t link;
  Source source;
  VirtualChannel channel;
};

/// Room that a packet leaves in the injection FIFO it came from.
struct FreedRoom {
  Rank node;
  std::uint8_t fifo;
  std::uint8_t chunks;
};

/// What a cycle brings for processors.
struct News {
  std::vector<Event> delivered;
  std::vector<FreedRoom> freed;
  std::vector<Event> wakes;  ///< turns and alarms
  std::vector<Rank> coming;  ///< whom there will be news for soon; for prefetches only

  void clear() {
    delivered.clear();
    freed.clear();
    wakes.clear();
    coming.clear();
  }
};

class Network {
 public:
  /// The routers of `block`. The probe, if any, outlives it.
  Network(const Shape& shape, const Machine& machine, RoutingOptions options, Range block,
          SimProbe* probe);

  const Shape& shape() const { return shape_; }
  const Range& block() const { return block_; }
  Calendar& calendar() { return calendar_; }
  const Calendar& calendar() const { return calendar_; }
  FlightPool& flights() { return flights_; }

  /// Where what leaves the block goes from now on. REQUIRES: there are other blocks.
  void leave_through(Outbox& outbox) { outbox_ = &outbox; }
  /// What another block has sent here. REQUIRES: nothing of it lies in the past.
  void take(const Mail& mail);

  // In what follows nodes are counted from the block's first.
  /// Puts a packet into an injection FIFO at a later cycle.
  void schedule_injection(Tick at, Rank node, unsigned fifo, FlightId flight);
  /// The processor has made a packet: it gets its number, where there is a probe.
  void note_made(Rank node, FlightId flight) {
    if (probe_ != nullptr) flights_.set_tag(flight, {next_serial_++, node});
  }
  /// The processor has taken a delivered packet out of a reception FIFO.
  void release_reception(Tick now, Rank node, FlightId flight);

  /// The first half of a cycle: all that happens to the routers, and what of it processors have to
  /// know. Returns the number of events.
  std::size_t run_events(Tick now, News& news);
  /// The second half.
  void arbitrate(Tick now);

  std::uint64_t packet_hops() const { return packet_hops_; }
  void export_counters(FabricCounters& counters) const;
  std::span<const LinkCounters> link_counters() const { return counters_; }
  /// Until `now`, which is not before the last event.
  std::uint64_t stalled_cycles(Tick now, Rank rank, unsigned fifo) const;
  ProbedPacket probed(FlightId id) const;

  // For the report of a run that cannot go on, and for probes: by rank.
  unsigned sources() const { return sources_; }
  const Waiting& waiting(Rank rank, Source s) const {
    return waiting_[std::size_t{rank - block_.first} * sources_ + s.index()];
  }
  /// The packet at the head of a FIFO, if there is one.
  std::optional<RoutedPacket> head(Rank rank, Source s) const;
  const Flight& flight(FlightId id) const { return flights_[id]; }
  std::size_t flights_alive() const { return flights_.alive(); }

 private:
  template <bool fetches_early>
  struct EventHandler;
  template <bool fetches_early>
  std::size_t handle_events(Tick now, News& news);
  /// One router's part of the state.
  struct Site {
    Rank node;
    OutputLink* links;  ///< [direction]
    Waiting* waiting;   ///< [source]
    RouterState* state;
  };
  Site site(Rank node) {
    return {node, &links_[std::size_t{node} * degree_], &waiting_[std::size_t{node} * sources_],
            &state_[node]};
  }

  void connect();
  void on_injected(Tick now, Event event);
  void on_arrive(Tick now, Event event);
  void on_link_free(Tick now, Event event, News& news);
  void on_delivered(Tick now, Event event, News& news);
  void on_tokens(Event event);
  /// Of a tail: it brings a packet, or room in an injection FIFO.
  bool wakes_processor(Event event) const {
    return event.kind() == EventKind::delivered ||
           Departure::unpack(event.value()).source >= channels_per_node_;
  }
  // Fetch early what an event of a delay line will touch.
  [[gnu::always_inline]] void prefetch_waiting(Rank node, unsigned source) const {
    __builtin_prefetch(&waiting_[std::size_t{node} * sources_ + source]);
  }
  void prefetch_arrive(Event event) const;
  void prefetch_tail(Event event) const;
  void prefetch_behind_tail(Event event) const;
  void prefetch_links(std::size_t node) const;
  void prefetch_site(Rank node) const;
  unsigned expose(Tick now, const Site& site, Source source);
  DirectionSet passable(Rank rank, FlightId id) const;
  unsigned toggle_wants(const Site& site, Source source);
  unsigned tail_left(Tick now, const Site& site, Source source, unsigned chunks);
  void give_back(const Site& site, Source source, unsigned chunks, News& news);
  void put_back(Rank node, unsigned index, VirtualChannel channel, unsigned chunks);
  void mark(Rank node, RouterState& state, unsigned what);

  using Cycle = SenderArbitration::Cycle;
  void arbitrate_site(Tick now, const Cycle& cycle, const Site& site, unsigned touched);
  void arbitrate_link(Tick now, const Cycle& cycle, const Site& site, unsigned index);
  unsigned pick(const Cycle& cycle, const Site& site, unsigned index,
                std::uint64_t candidates) const;
  void send(Tick now, const Site& site, unsigned index, Source source, VirtualChannel channel);
  void depart(Tick now, const Departing& packet);
  void count(Rank node, unsigned index, VirtualChannel channel, unsigned chunks);
  void deliver(Tick now, Rank node);
  bool try_deliver(Tick now, const Site& site, Source source);
  unsigned reception_fifo(Source source, const Flight& flight) const;
  FlightId start_reading(Tick now, const Site& site, Source source);
  void announce_tokens(Tick now, Rank node, Source source);
  void hand_on(Tick now, const Site& site, unsigned index, Source next, FlightId id);
  Rank rank_of(Rank node) const { return block_.first + node; }
  /// The node on the other side of a link; block_.count or more where it is another block's.
  Rank behind(const Site& site, Direction direction) const {
    return site.links[direction.index].neighbour - block_.first;
  }
  std::uint64_t& stalled(Rank node, Source fifo) {
    return stalled_[std::size_t{node} * (sources_ - channels_per_node_) + fifo.index() -
                    channels_per_node_];
  }

  static constexpr std::size_t kSitesAhead = 4;  ///< between fetching a router's data and using it

  // How many events before it is used something is fetched: what an event touches, what that points
  // to, and processors.
  static constexpr std::size_t kEventsAhead = 12;
  static constexpr std::size_t kBehind = 6;
  static constexpr std::size_t kTurnsAhead = 32;

  Shape shape_;
  const Failures* failures_;  ///< null: none
  Range block_;
  RoutingOptions options_;
  ChannelRule channels_;
  SenderArbitration arbitration_;
  unsigned degree_;             ///< links per node
  unsigned sources_;            ///< channels and injection FIFOs per node
  unsigned channels_per_node_;  ///< sources below are channels, from here on FIFOs
  Precedence precedence_;
  std::array<unsigned, kMaxChunks + 1> wire_bytes_{};
  unsigned normal_reception_fifos_;
  bool fetches_early_;

  Calendar calendar_;
  FlightPool flights_;
  std::vector<OutputLink> links_;       ///< [node · degree + direction]
  std::vector<LinkCounters> counters_;  ///< likewise
  std::vector<Waiting> waiting_;        ///< [node · sources + source]
  std::vector<ReceptionBuffer> reception_;
  std::vector<RouterState> state_;  ///< per node
  /// [node · FIFOs + FIFO]: when packets left the first place, summed, less when they came to it.
  std::vector<std::uint64_t> stalled_;
  std::vector<Rank> touched_nodes_;  ///< the first touched_count_, and one to spare
  std::size_t touched_count_ = 0;
  std::vector<Departing> departing_;  ///< in this cycle
  std::uint64_t packet_hops_ = 0;
  Outbox* outbox_ = nullptr;  ///< null: there are no other blocks
  SimProbe* probe_;
  std::uint64_t next_serial_ = 0;
};

}  // namespace toroid::sim
