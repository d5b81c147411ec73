#include "router/sim/network.hpp"

#include <bit>
#include <utility>

namespace toroid::sim {
namespace {

std::uint64_t low_bits(unsigned count) {
  return count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

/// Takes the lowest bit out of a set of indices.
template <typename Mask>
unsigned pop_lowest(Mask& mask) {
  const auto index = static_cast<unsigned>(std::countr_zero(mask));
  mask = static_cast<Mask>(mask & (mask - 1));
  return index;
}

/// body(l) for the first link of every dimension, plus and minus being l and l + 1. How many
/// directions a packet has is hard to predict, so that one step per dimension without branches,
/// unrolled for the usual torus, is faster than one per direction.
template <typename Body>
void for_each_dimension(unsigned degree, const Body& body) {
  if (degree == 6) {
    body(0);
    body(2);
    body(4);
    return;
  }
  for (unsigned l = 0; l < degree; l += 2) body(l);
}

}  // namespace

Network::Network(const Shape& shape, const Machine& machine, RoutingOptions options)
    : shape_(shape),
      options_(options),
      channels_(machine.bubble_reserve_chunks, options.bubble_rule),
      arbitration_(machine),
      degree_(shape.links()),
      sources_(degree_ * kVirtualChannels + machine.injection_fifos +
               machine.priority_injection_fifos),
      channels_per_node_(degree_ * kVirtualChannels),
      precedence_(degree_, options.transit_first),
      normal_reception_fifos_(machine.reception_fifos),
      calendar_(machine),
      links_(std::size_t{shape.size()} * degree_),
      counters_(links_.size()),
      waiting_(std::size_t{shape.size()} * sources_),
      reception_(shape.size(),
                 ReceptionBuffer(machine.reception_fifos + machine.priority_reception_fifos,
                                 machine.reception_fifo_chunks)),
      state_(shape.size(), RouterState{.idle = static_cast<std::uint16_t>(low_bits(degree_))}),
      touched_nodes_(shape.size() + std::size_t{1}) {
  if (sources_ > 64)
    throw BadInput(
        fmt::format("{} channels and injection FIFOs per node; the model holds 64", sources_));
  for (unsigned c = 1; c <= kMaxChunks; ++c) wire_bytes_[c] = machine.wire_bytes(c);
  connect();
  for (auto& link : links_)
    for (unsigned c = 0; c < kVirtualChannels; ++c)
      link.tokens[c] =
          static_cast<std::uint16_t>(machine.channel_chunks(static_cast<VirtualChannel>(c)));
}

void Network::connect() {
  for (Rank node = 0; node < shape_.size(); ++node)
    for (unsigned l = 0; l < degree_; ++l)
      if (const auto n = shape_.neighbour(node, {static_cast<std::uint8_t>(l)}))
        links_[std::size_t{node} * degree_ + l].neighbour = *n;
}

void Network::schedule_injection(Tick at, Rank node, unsigned fifo, FlightId flight) {
  calendar_.at(at, {EventKind::injected, node, Source::fifo(degree_, fifo).index(), flight});
}

void Network::prefetch_arrive(Event event) const {
  const std::size_t node = event.node();
  __builtin_prefetch(&flights_[event.value()]);
  prefetch_links(node);
}

void Network::prefetch_link_free(Event event) const {
  const std::size_t node = event.node();
  __builtin_prefetch(&counters_[node * degree_ + event.index()]);
  prefetch_links(node);
}

/// What the fetched data points to: the packet that comes next, and the link upstream.
void Network::prefetch_behind_link_free(Event event) const {
  const std::size_t node = event.node();
  const Source source(Departure::unpack(event.value()).source);
  if (const FlightId head = waiting_[node * sources_ + source.index()].head; head != kNoFlight)
    __builtin_prefetch(&flights_[head]);
  if (source.index() >= channels_per_node_) return;
  const Direction travelling = source.travelling();
  const Rank upstream = links_[node * degree_ + travelling.opposite().index].neighbour;
  if (upstream != OutputLink::kNone)
    __builtin_prefetch(&links_[std::size_t{upstream} * degree_ + travelling.index]);
}

void Network::prefetch_delivered(Event event) const {
  flights_.prefetch(event.value());
}

/// A node's links stand side by side, two to a cache line.
inline void Network::prefetch_links(std::size_t node) const {
  for (unsigned l = 0; l < degree_; l += 2) __builtin_prefetch(&links_[node * degree_ + l]);
}

void Network::on_arrive(Event event) {
  const Site here = site(event.node());
  const Source source(event.index());
  const FlightId id = event.value();
  Waiting& fifo = here.waiting[source.index()];
  fifo.used = static_cast<std::uint16_t>(fifo.used + flights_[id].chunks);
  const bool was_empty = fifo.head == kNoFlight;
  (was_empty ? fifo.head : flights_[fifo.tail].next) = id;
  fifo.tail = id;
  if (was_empty && !fifo.reading) expose(here, source);
}

/// The FIFO's head shows itself to the links it may leave by, or to the reception buffer.
inline void Network::expose(const Site& site, Source source) {
  Waiting& fifo = site.waiting[source.index()];
  const Flight& flight = flights_[fifo.head];
  fifo.chunks = flight.chunks;
  fifo.directions = flight.directions;
  fifo.dynamic = flight.dynamic;
  fifo.high_priority = flight.high_priority;
  if (!flight.directions.empty()) return want(site, source, flight);
  site.state->arrived |= source.bit();
  mark(site.node, *site.state, RouterState::kTouchReception);
}

/// A packet has one minimal direction per dimension at most.
inline void Network::want(const Site& site, Source source, const Flight& flight) {
  const unsigned allowed = allowed_directions(flight.directions, flight.dynamic).bits();
  const unsigned first = allowed & (~allowed + 1);
  for_each_dimension(degree_, [&](unsigned l) {
    OutputLink& link = site.links[l + (allowed >> l >> 1 & 1u)];
    link.wanted_by |= std::uint64_t{(allowed >> l & 3u) != 0} << source.index();
    link.escape_of |= std::uint64_t{(first >> l & 3u) != 0} << source.index();
  });
  mark(site.node, *site.state, allowed & site.state->idle);
}

inline void Network::unwant(const Site& site, Source source) {
  const unsigned directions = site.waiting[source.index()].directions.bits();
  for_each_dimension(degree_, [&](unsigned l) {
    OutputLink& link = site.links[l + (directions >> l >> 1 & 1u)];
    link.wanted_by &= ~source.bit();
    link.escape_of &= ~source.bit();
  });
}

FreedRoom Network::on_link_free(Event event) {
  const Site here = site(event.node());
  const auto [source, chunks] = Departure::unpack(event.value());
  const unsigned bit = 1u << event.index();
  here.state->idle = static_cast<std::uint16_t>(here.state->idle | bit);
  mark(here.node, *here.state, here.links[event.index()].wanted_by != 0 ? bit : 0);
  return tail_left(here, Source(source), chunks);
}

FreedRoom Network::on_delivered(Event event) {
  return tail_left(site(event.node()), Source(event.index()), flights_[event.value()].chunks);
}

/// A packet has left its FIFO completely: its room goes upstream, and it is the next one's turn.
inline FreedRoom Network::tail_left(const Site& site, Source source, unsigned chunks) {
  Waiting& fifo = site.waiting[source.index()];
  fifo.used = static_cast<std::uint16_t>(fifo.used - chunks);
  fifo.reading = false;
  if (fifo.head != kNoFlight) expose(site, source);
  if (source.index() >= channels_per_node_) return {source.index() - channels_per_node_, chunks};
  return_tokens(site, source, chunks);
  return {0, 0};
}

inline void Network::return_tokens(const Site& site, Source source, unsigned chunks) {
  const Direction travelling = source.travelling();
  const Rank upstream = site.links[travelling.opposite().index].neighbour;
  OutputLink& link = links_[std::size_t{upstream} * degree_ + travelling.index];
  std::uint16_t& tokens = link.tokens[static_cast<unsigned>(source.channel())];
  tokens = static_cast<std::uint16_t>(tokens + tokens_held(source.channel(), chunks));
  const unsigned wanted = (link.wanted_by != 0 ? 1u : 0u) << travelling.index;
  mark(upstream, state_[upstream], wanted & state_[upstream].idle);
}

/// The second half has to look at some of a router's links, or at none. Whether it is the first
/// time in this cycle is hard to predict: no branch.
inline void Network::mark(Rank node, RouterState& state, unsigned what) {
  touched_nodes_[touched_count_] = node;
  touched_count_ += state.touched == 0 && what != 0 ? 1 : 0;
  state.touched = static_cast<std::uint16_t>(state.touched | what);
}

void Network::arbitrate(Tick now) {
  if (touched_count_ == 0) return;
  const Cycle cycle = arbitration_.begin(now);
  for (std::size_t i = 0; i < touched_count_; ++i) {
    const Site here = site(touched_nodes_[i]);
    arbitrate_site(now, cycle, here, std::exchange(here.state->touched, std::uint16_t{0}));
  }
  touched_count_ = 0;
}

inline void Network::arbitrate_site(Tick now, const Cycle& cycle, const Site& site,
                                    unsigned touched) {
  if ((touched & RouterState::kTouchReception) != 0) deliver(now, site);
  for (unsigned rest = touched & ~RouterState::kTouchReception; rest != 0;)
    arbitrate_link(now, cycle, site, pop_lowest(rest));
}

/// Tries the candidates in the order of arbitration until one finds room downstream.
inline void Network::arbitrate_link(Tick now, const Cycle& cycle, const Site& site,
                                    unsigned index) {
  const OutputLink& link = site.links[index];
  const Direction direction{static_cast<std::uint8_t>(index)};
  const bool dynamic_open = (link.tokens[0] | link.tokens[1]) != 0;
  std::uint64_t candidates = dynamic_open ? link.wanted_by : link.wanted_by & link.escape_of;
  while (candidates != 0) {
    const Source source(pick(cycle, site, index, precedence_.first_class(candidates)));
    const RoutedPacket head = site.waiting[source.index()].routed();
    if (const auto channel = channels_.choose(head, source, direction, link.tokens))
      return send(now, site, index, source, *channel);
    candidates &= ~source.bit();
  }
}

inline unsigned Network::pick(const Cycle& cycle, const Site& site, unsigned index,
                              std::uint64_t candidates) const {
  if (!options_.transit_first) return next_bit(candidates, site.links[index].turn);
  return SenderArbitration::pick(cycle, candidates, std::uint64_t{site.node} * degree_ + index,
                                 [&](unsigned s) { return site.waiting[s].used; });
}

inline void Network::send(Tick now, const Site& site, unsigned index, Source source,
                          VirtualChannel channel) {
  unwant(site, source);
  const unsigned chunks = site.waiting[source.index()].chunks;
  occupy(site, index, source, channel, chunks);
  const FlightId id = start_reading(site, source);
  const Direction direction{static_cast<std::uint8_t>(index)};
  flights_[id].advance(direction);
  calendar_.after_wire(
      now, chunks,
      {EventKind::link_free, site.node, index, Departure{source.index(), chunks}.pack()});
  calendar_.after_hop(now, {EventKind::arrive, site.links[index].neighbour,
                            Source::channel(direction, channel).index(), id});
}

/// The packet takes the link, its room downstream, and a place in the counts.
inline void Network::occupy(const Site& site, unsigned index, Source source, VirtualChannel channel,
                            unsigned chunks) {
  const auto vc = static_cast<unsigned>(channel);
  OutputLink& link = site.links[index];
  link.tokens[vc] = static_cast<std::uint16_t>(link.tokens[vc] - tokens_held(channel, chunks));
  link.turn = static_cast<std::uint8_t>((source.index() + 1) & 63u);
  site.state->idle = static_cast<std::uint16_t>(site.state->idle & ~(1u << index));
  LinkCounters& counters = counters_[std::size_t{site.node} * degree_ + index];
  ++counters.packets[vc];
  counters.wire_bytes += wire_bytes_[chunks];
  ++packet_hops_;
}

inline FlightId Network::start_reading(const Site& site, Source source) {
  Waiting& fifo = site.waiting[source.index()];
  const FlightId id = fifo.head;
  fifo.head = flights_[id].next;
  fifo.reading = true;
  flights_[id].next = kNoFlight;
  return id;
}

void Network::deliver(Tick now, const Site& site) {
  std::uint64_t left = 0;
  for (std::uint64_t rest = site.state->arrived; rest != 0;) {
    const Source source(pop_lowest(rest));
    if (!try_deliver(now, site, source)) left |= source.bit();
  }
  site.state->arrived = left;
}

/// Virtual cut-through ends here: room for the whole packet, then it moves at the link's rate.
inline bool Network::try_deliver(Tick now, const Site& site, Source source) {
  Flight& flight = flights_[site.waiting[source.index()].head];
  const unsigned fifo = reception_fifo(source, flight);
  if (!reception_[site.node].try_reserve(fifo, flight.chunks)) return false;
  const FlightId id = start_reading(site, source);
  flight.group = static_cast<std::uint8_t>(fifo);  // from now on: the FIFO it is in
  calendar_.after_wire(now, flight.chunks, {EventKind::delivered, site.node, source.index(), id});
  return true;
}

inline unsigned Network::reception_fifo(Source source, const Flight& flight) const {
  const unsigned normal = normal_reception_fifos_;
  const unsigned fifos = reception_.front().fifos();
  if (flight.high_priority && fifos > normal) return normal + flight.group % (fifos - normal);
  const unsigned port = source.is_fifo(degree_) ? 0 : source.travelling().index;
  return (flight.group * degree_ + port) % normal;
}

void Network::release_reception(Tick now, Rank node, FlightId id) {
  reception_[node].release(flights_[id].group, flights_[id].chunks);
  flights_.remove(id);
  if (state_[node].arrived != 0) deliver(now, site(node));
}

void Network::export_counters(FabricCounters& counters) const {
  counters.packet_hops = packet_hops_;
  counters.links = counters_;
}

}  // namespace toroid::sim
