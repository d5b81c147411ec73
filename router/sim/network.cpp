#include "router/sim/network.hpp"

#include <bit>
#include <utility>

namespace toroid::sim {
namespace {

std::uint64_t low_bits(unsigned count) {
  return count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

std::uint64_t priority_channels(unsigned degree) {
  std::uint64_t mask = 0;
  for (unsigned l = 0; l < degree; ++l)
    mask |= Source::channel({static_cast<std::uint8_t>(l)}, VirtualChannel::priority).bit();
  return mask;
}

/// Takes the lowest bit out of a set of indices.
template <typename Mask>
unsigned pop_lowest(Mask& mask) {
  const auto index = static_cast<unsigned>(std::countr_zero(mask));
  mask = static_cast<Mask>(mask & (mask - 1));
  return index;
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
      transit_mask_(low_bits(degree_ * kVirtualChannels)),
      priority_mask_(priority_channels(degree_)),
      normal_reception_fifos_(machine.reception_fifos),
      calendar_(machine),
      links_(std::size_t{shape.size()} * degree_),
      counters_(links_.size()),
      waiting_(std::size_t{shape.size()} * sources_),
      reception_(shape.size(),
                 ReceptionBuffer(machine.reception_fifos + machine.priority_reception_fifos,
                                 machine.reception_fifo_chunks)),
      arrived_(shape.size()),
      touched_(shape.size()),
      touched_nodes_(shape.size()) {
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

void Network::prefetch(Event event) const {
  const std::size_t node = event.node();
  if (event.kind() == EventKind::link_free)
    __builtin_prefetch(&links_[node * degree_ + event.index()]);
  else
    __builtin_prefetch(&waiting_[node * sources_ + event.index()]);
}

void Network::on_arrive(Event event) {
  const Site here = site(event.node());
  const Source source(event.index());
  const FlightId id = event.value();
  Waiting& fifo = here.waiting[source.index()];
  fifo.used = static_cast<std::uint16_t>(fifo.used + flights_[id].chunks);
  const bool was_empty = fifo.head == kNoFlight;
  if (was_empty)
    fifo.head = id;
  else
    flights_[fifo.tail].next = id;
  fifo.tail = id;
  if (was_empty && !fifo.reading) expose(here, source);
}

/// The FIFO's head shows itself to the links it may leave by, or to the reception buffer.
void Network::expose(const Site& site, Source source) {
  const Flight& flight = flights_[site.waiting[source.index()].head];
  if (flight.directions.empty()) {
    arrived_[site.node] |= source.bit();
    return touch(site.node, kTouchReception);
  }
  const unsigned wants = allowed_directions(flight.directions, flight.dynamic).bits();
  for (unsigned rest = wants; rest != 0;) site.links[pop_lowest(rest)].wanted_by |= source.bit();
  site.links[flight.directions.first().index].escape_of |= source.bit();
  touch(site.node, wants);
}

FreedRoom Network::on_link_free(Event event) {
  const Site here = site(event.node());
  OutputLink& link = here.links[event.index()];
  link.busy = false;
  const Source source(link.serving);
  const unsigned chunks = link.serving_chunks;
  touch(here.node, 1u << event.index());
  tail_left(here, source, chunks);
  if (!source.is_fifo(degree_)) return {0, 0};
  return {source.index() - degree_ * kVirtualChannels, chunks};
}

void Network::on_delivered(Event event) {
  tail_left(site(event.node()), Source(event.index()), flights_[event.value()].chunks);
}

/// A packet has left its FIFO completely: its room goes upstream, and it is the next one's turn.
void Network::tail_left(const Site& site, Source source, unsigned chunks) {
  Waiting& fifo = site.waiting[source.index()];
  fifo.used = static_cast<std::uint16_t>(fifo.used - chunks);
  fifo.reading = false;
  if (!source.is_fifo(degree_)) return_tokens(site, source, chunks);
  if (fifo.head != kNoFlight) expose(site, source);
}

void Network::return_tokens(const Site& site, Source source, unsigned chunks) {
  const Direction travelling = source.travelling();
  const Rank upstream = site.links[travelling.opposite().index].neighbour;
  OutputLink& link = links_[std::size_t{upstream} * degree_ + travelling.index];
  std::uint16_t& tokens = link.tokens[static_cast<unsigned>(source.channel())];
  tokens = static_cast<std::uint16_t>(tokens + chunks);
  if (!link.busy && link.wanted_by != 0) touch(upstream, 1u << travelling.index);
}

void Network::touch(Rank node, unsigned what) {
  if (touched_[node] == 0) touched_nodes_[touched_count_++] = node;
  touched_[node] = static_cast<std::uint16_t>(touched_[node] | what);
}

void Network::arbitrate(Tick now) {
  const Cycle cycle = arbitration_.begin(now);
  for (std::size_t i = 0; i < touched_count_; ++i) {
    const Rank node = touched_nodes_[i];
    arbitrate_site(now, cycle, site(node), std::exchange(touched_[node], 0));
  }
  touched_count_ = 0;
}

void Network::arbitrate_site(Tick now, const Cycle& cycle, const Site& site, unsigned touched) {
  if ((touched & kTouchReception) != 0) deliver(now, site);
  for (unsigned rest = touched & ~kTouchReception; rest != 0;)
    arbitrate_link(now, cycle, site, pop_lowest(rest));
}

void Network::arbitrate_link(Tick now, const Cycle& cycle, const Site& site, unsigned index) {
  const OutputLink& link = site.links[index];
  if (link.busy) return;
  const bool dynamic_open = (link.tokens[0] | link.tokens[1]) != 0;
  const std::uint64_t candidates = dynamic_open ? link.wanted_by : link.wanted_by & link.escape_of;
  if (!options_.transit_first) {
    serve_one_of(now, cycle, site, index, candidates);
  } else if (!serve_one_of(now, cycle, site, index, candidates & transit_mask_)) {
    serve_one_of(now, cycle, site, index, candidates & ~transit_mask_);
  }
}

/// Tries the candidates in the order of arbitration until one finds room downstream.
bool Network::serve_one_of(Tick now, const Cycle& cycle, const Site& site, unsigned index,
                           std::uint64_t candidates) {
  const Direction direction{static_cast<std::uint8_t>(index)};
  while (candidates != 0) {
    const std::uint64_t urgent = candidates & priority_mask_;
    const Source source(pick(cycle, site, index, urgent != 0 ? urgent : candidates));
    const Flight& flight = flights_[site.waiting[source.index()].head];
    const auto channel =
        channels_.choose({flight.directions, flight.chunks, flight.dynamic, flight.high_priority},
                         source, direction, site.links[index].tokens);
    if (channel) {
      send(now, site, index, source, *channel);
      return true;
    }
    candidates &= ~source.bit();
  }
  return false;
}

unsigned Network::pick(const Cycle& cycle, const Site& site, unsigned index,
                       std::uint64_t candidates) const {
  if (!options_.transit_first) return next_bit(candidates, site.links[index].turn);
  return SenderArbitration::pick(cycle, candidates, std::uint64_t{site.node} * degree_ + index,
                                 [&](unsigned s) { return site.waiting[s].used; });
}

void Network::send(Tick now, const Site& site, unsigned index, Source source,
                   VirtualChannel channel) {
  const FlightId id = start_reading(site, source);
  Flight& flight = flights_[id];
  for (unsigned rest = flight.directions.bits(); rest != 0;) {
    OutputLink& wanted = site.links[pop_lowest(rest)];
    wanted.wanted_by &= ~source.bit();
    wanted.escape_of &= ~source.bit();
  }
  const Direction direction{static_cast<std::uint8_t>(index)};
  if (--flight.hops[direction.dim()] == 0) flight.directions.remove(direction);

  OutputLink& link = site.links[index];
  const auto vc = static_cast<unsigned>(channel);
  link.tokens[vc] = static_cast<std::uint16_t>(link.tokens[vc] - flight.chunks);
  link.busy = true;
  link.serving = static_cast<std::uint8_t>(source.index());
  link.serving_chunks = flight.chunks;
  link.turn = static_cast<std::uint8_t>((source.index() + 1) & 63u);
  LinkCounters& counters = counters_[std::size_t{site.node} * degree_ + index];
  ++counters.packets[vc];
  counters.wire_bytes += wire_bytes_[flight.chunks];
  ++packet_hops_;

  calendar_.after_wire(now, flight.chunks, {EventKind::link_free, site.node, index});
  calendar_.after_hop(
      now, {EventKind::arrive, link.neighbour, Source::channel(direction, channel).index(), id});
}

FlightId Network::start_reading(const Site& site, Source source) {
  Waiting& fifo = site.waiting[source.index()];
  const FlightId id = fifo.head;
  fifo.head = flights_[id].next;
  fifo.reading = true;
  flights_[id].next = kNoFlight;
  return id;
}

void Network::deliver(Tick now, const Site& site) {
  std::uint64_t left = 0;
  for (std::uint64_t rest = arrived_[site.node]; rest != 0;) {
    const Source source(pop_lowest(rest));
    if (!try_deliver(now, site, source)) left |= source.bit();
  }
  arrived_[site.node] = left;
}

/// Virtual cut-through ends here: room for the whole packet, then it moves at the link's rate.
bool Network::try_deliver(Tick now, const Site& site, Source source) {
  Flight& flight = flights_[site.waiting[source.index()].head];
  const unsigned fifo = reception_fifo(source, flight);
  if (!reception_[site.node].try_reserve(fifo, flight.chunks)) return false;
  const FlightId id = start_reading(site, source);
  flight.group = static_cast<std::uint8_t>(fifo);  // from now on: the FIFO it is in
  calendar_.after_wire(now, flight.chunks, {EventKind::delivered, site.node, source.index(), id});
  return true;
}

unsigned Network::reception_fifo(Source source, const Flight& flight) const {
  const unsigned normal = normal_reception_fifos_;
  const unsigned fifos = reception_.front().fifos();
  if (flight.high_priority && fifos > normal) return normal + flight.group % (fifos - normal);
  const unsigned port = source.is_fifo(degree_) ? 0 : source.travelling().index;
  return (flight.group * degree_ + port) % normal;
}

void Network::release_reception(Tick now, Rank node, FlightId id) {
  reception_[node].release(flights_[id].group, flights_[id].chunks);
  flights_.remove(id);
  if (arrived_[node] != 0) deliver(now, site(node));
}

void Network::export_counters(FabricCounters& counters) const {
  counters.packet_hops = packet_hops_;
  counters.links = counters_;
}

}  // namespace toroid::sim
