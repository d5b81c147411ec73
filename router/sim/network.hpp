// The routers and links of the whole machine: state, and what each event does to it.
//
// A cycle has two halves. First all events of the cycle change the state: headers arrive, tails
// leave and return their tokens upstream. Then every router that something happened to chooses,
// link by link, among the packets that want it. Within a half the order is immaterial, because
// events of one cycle touch different things or add to the same count, and choices act on other
// nodes only through later events. So a run's results follow from its input alone.
#pragma once

#include <array>
#include <vector>

#include "hal/counters.hpp"
#include "hal/machine.hpp"
#include "hal/reception_buffer.hpp"
#include "router/arbitration.hpp"
#include "router/routing.hpp"
#include "router/sim/calendar.hpp"
#include "router/sim/flight.hpp"

namespace toroid::sim {

/// A FIFO of flights in front of a router: an input channel or an injection FIFO. A packet leaves
/// through the FIFO's one read port, so that the next is considered only when its tail has gone.
struct Waiting {
  FlightId head = kNoFlight;
  FlightId tail = kNoFlight;
  std::uint16_t used = 0;  ///< chunks, the one being read included
  bool reading = false;
  // Of the head, once it is exposed: copies, so that choosing among heads touches no flight.
  std::uint8_t chunks = 0;
  DirectionSet directions;
  bool dynamic = false;
  bool high_priority = false;

  RoutedPacket routed() const { return {directions, chunks, dynamic, high_priority}; }
};
static_assert(sizeof(Waiting) == 16);

/// One direction of a link, as its sender sees it: two of them to a cache line.
struct alignas(32) OutputLink {
  std::uint64_t wanted_by = 0;  ///< bit = Source: its head may leave this way
  std::uint64_t escape_of = 0;  ///< those that may take the bubble channel here
  Rank neighbour = kNone;
  Tokens tokens{};
  std::uint8_t turn = 0;  ///< where the round robin goes on (transit_first off)

  static constexpr Rank kNone = ~Rank{0};
};
static_assert(sizeof(OutputLink) == 32);

/// The rest of a router.
struct RouterState {
  std::uint64_t arrived = 0;  ///< sources whose head is at its destination
  std::uint16_t idle = 0;     ///< links that could start a packet
  std::uint16_t touched = 0;  ///< what the second half has to look at: links and kTouchReception

  static constexpr unsigned kTouchReception = 1u << 15;
};

/// Room that a packet leaves in the injection FIFO it came from; 0 chunks: it was in transit.
struct FreedRoom {
  unsigned fifo;
  unsigned chunks;
};

class Network {
 public:
  Network(const Shape& shape, const Machine& machine, RoutingOptions options);

  const Shape& shape() const { return shape_; }
  Calendar& calendar() { return calendar_; }
  FlightPool& flights() { return flights_; }

  /// Puts a packet into an injection FIFO at a later cycle.
  void schedule_injection(Tick at, Rank node, unsigned fifo, FlightId flight);
  /// The processor has taken a delivered packet out of a reception FIFO.
  void release_reception(Tick now, Rank node, FlightId flight);

  // The first half of a cycle.
  /// A header stands at a router: it arrived or the processor wrote it.
  void on_arrive(Event event);
  FreedRoom on_link_free(Event event);
  FreedRoom on_delivered(Event event);
  // The second half.
  void arbitrate(Tick now);

  /// Fetches early what an event of a delay line will touch.
  void prefetch_waiting(Rank node, unsigned source) const {
    __builtin_prefetch(&waiting_[std::size_t{node} * sources_ + source]);
  }
  void prefetch_arrive(Event event) const;
  void prefetch_link_free(Event event) const;
  void prefetch_behind_link_free(Event event) const;
  void prefetch_delivered(Event event) const;

  std::uint64_t packet_hops() const { return packet_hops_; }
  void export_counters(FabricCounters& counters) const;

  // For the report of a run that cannot go on.
  unsigned sources() const { return sources_; }
  const Waiting& waiting(Rank node, Source s) const {
    return waiting_[node * sources_ + s.index()];
  }
  const OutputLink& link(Rank node, unsigned index) const { return links_[node * degree_ + index]; }
  const Flight& flight(FlightId id) const { return flights_[id]; }
  std::size_t flights_alive() const { return flights_.alive(); }

 private:
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
  void prefetch_links(std::size_t node) const;
  void expose(const Site& site, Source source);
  void want(const Site& site, Source source, const Flight& flight);
  void unwant(const Site& site, Source source);
  FreedRoom tail_left(const Site& site, Source source, unsigned chunks);
  void return_tokens(const Site& site, Source source, unsigned chunks);
  void mark(Rank node, RouterState& state, unsigned what);

  using Cycle = SenderArbitration::Cycle;
  void arbitrate_site(Tick now, const Cycle& cycle, const Site& site, unsigned touched);
  void arbitrate_link(Tick now, const Cycle& cycle, const Site& site, unsigned index);
  unsigned pick(const Cycle& cycle, const Site& site, unsigned index,
                std::uint64_t candidates) const;
  void send(Tick now, const Site& site, unsigned index, Source source, VirtualChannel channel);
  void occupy(const Site& site, unsigned index, Source source, VirtualChannel channel,
              unsigned chunks);
  void deliver(Tick now, const Site& site);
  bool try_deliver(Tick now, const Site& site, Source source);
  unsigned reception_fifo(Source source, const Flight& flight) const;
  FlightId start_reading(const Site& site, Source source);

  Shape shape_;
  RoutingOptions options_;
  ChannelRule channels_;
  SenderArbitration arbitration_;
  unsigned degree_;             ///< links per node
  unsigned sources_;            ///< channels and injection FIFOs per node
  unsigned channels_per_node_;  ///< sources below are channels, from here on FIFOs
  Precedence precedence_;
  std::array<unsigned, kMaxChunks + 1> wire_bytes_{};
  unsigned normal_reception_fifos_;

  Calendar calendar_;
  FlightPool flights_;
  std::vector<OutputLink> links_;       ///< [node · degree + direction]
  std::vector<LinkCounters> counters_;  ///< likewise
  std::vector<Waiting> waiting_;        ///< [node · sources + source]
  std::vector<ReceptionBuffer> reception_;
  std::vector<RouterState> state_;   ///< per node
  std::vector<Rank> touched_nodes_;  ///< the first touched_count_, and one to spare
  std::size_t touched_count_ = 0;
  std::uint64_t packet_hops_ = 0;
};

}  // namespace toroid::sim
