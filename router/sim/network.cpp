#include "router/sim/network.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "hal/check.hpp"
#include "hal/counters.hpp"
#include "hal/direction.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/reception_buffer.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/rules/arbitration.hpp"
#include "router/rules/routing.hpp"
#include "router/sim/delay_line.hpp"
#include "router/sim/event.hpp"
#include "router/sim/flight.hpp"
#include "router/sim/mail.hpp"
#include "router/sim/probe.hpp"

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

/// Links of the usual torus: a set of so many has a row in a table.
constexpr unsigned kRow = 6;
static_assert(kMaxLinks == 2 * kRow);

/// [set of links][link]: all bits of a word where the link is in the set, else none.
constexpr auto kRowOf = [] {
  std::array<std::array<std::uint64_t, kRow>, 1u << kRow> rows{};
  for (unsigned set = 0; set < rows.size(); ++set)
    for (unsigned l = 0; l < kRow; ++l) rows[set][l] = (set >> l & 1u) != 0 ? ~std::uint64_t{0} : 0;
  return rows;
}();

/// Toggles a bit in the words of a set of links, whose number is hard to predict: no branches. All
/// words of the row are written, also those beyond the last link.
inline void toggle_row(std::uint64_t* __restrict words, unsigned set, std::uint64_t bit) {
  const auto& row = kRowOf[set];
  for (unsigned l = 0; l < kRow; ++l) words[l] ^= row[l] & bit;
}

/// Up to here the state of all nodes fits a usual second-level cache, more or less, and fetching
/// early costs more than it saves.
constexpr Rank kNodesInCache = 256;

}  // namespace

Network::Network(const Shape& shape, const Machine& machine, RoutingOptions options, Range block,
                 SimProbe* probe)
    : shape_(shape),
      failures_(shape_.failures()),
      block_(block),
      options_(options),
      channels_(machine.bubble_reserve_chunks, options.bubble_rule),
      arbitration_(machine),
      degree_(shape.links()),
      sources_(degree_ * kVirtualChannels + machine.injection_fifos +
               machine.priority_injection_fifos),
      channels_per_node_(degree_ * kVirtualChannels),
      precedence_(degree_, options.transit_first),
      normal_reception_fifos_(machine.reception_fifos),
      fetches_early_(block.count > kNodesInCache),
      calendar_(machine),
      links_(std::size_t{block.count} * degree_),
      counters_(links_.size()),
      waiting_(std::size_t{block.count} * sources_),
      reception_(block.count,
                 ReceptionBuffer(machine.reception_fifos + machine.priority_reception_fifos,
                                 machine.reception_fifo_chunks)),
      state_(block.count, RouterState{.idle = static_cast<std::uint16_t>(low_bits(degree_))}),
      stalled_(std::size_t{block.count} * (sources_ - channels_per_node_)),
      touched_nodes_(block.count + std::size_t{1}),
      probe_(probe) {
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
  for (Rank node = 0; node < block_.count; ++node)
    for (unsigned l = 0; l < degree_; ++l)
      if (const auto n = shape_.neighbour(rank_of(node), {static_cast<std::uint8_t>(l)}))
        links_[std::size_t{node} * degree_ + l].neighbour = *n;
}

void Network::schedule_injection(Tick at, Rank node, unsigned fifo, FlightId flight) {
  calendar_.at(at, {EventKind::injected, node, Source::fifo(degree_, fifo).index(), flight});
}

/// What the calendar calls. In the lines the events to come can be seen: what they will touch is
/// fetched, and somewhat later what that points to.
template <bool fetches_early>
struct Network::EventHandler {
  Network& network;
  Tick now;
  News& news;
  std::size_t irregular_events = 0;

  void arrive(const DelayLine& line, std::size_t place) {
    if constexpr (fetches_early) network.prefetch_arrive(line[place + kEventsAhead]);
    network.on_arrive(now, line[place]);
  }
  void tail_passed(const DelayLine& line, std::size_t place) {
    if constexpr (fetches_early) {
      if (const Event later = line[place + kTurnsAhead]; network.wakes_processor(later))
        news.coming.push_back(later.node());
      network.prefetch_tail(line[place + kEventsAhead]);
      network.prefetch_behind_tail(line[place + kBehind]);
    }
    const Event event = line[place];
    event.kind() == EventKind::link_free ? network.on_link_free(now, event, news)
                                         : network.on_delivered(now, event, news);
  }
  /// Tokens from another block are no event of their own: in one block they come with the tail.
  void irregular(Event event) {
    irregular_events += event.kind() == EventKind::tokens ? 0 : 1;
    if (event.kind() == EventKind::injected) return network.on_injected(now, event);
    if (event.kind() == EventKind::arrive) return network.on_arrive(now, event);
    if (event.kind() == EventKind::tokens) return network.on_tokens(event);
    news.wakes.push_back(event);
  }
};

template <bool fetches_early>
std::size_t Network::handle_events(Tick now, News& news) {
  EventHandler<fetches_early> handler{*this, now, news};
  const std::size_t regular = calendar_.for_each(now, handler);
  return regular + handler.irregular_events;
}

std::size_t Network::run_events(Tick now, News& news) {
  calendar_.advance(now);
  return fetches_early_ ? handle_events<true>(now, news) : handle_events<false>(now, news);
}

// Always inlined: g++ takes calls of functions that only prefetch for superfluous.

/// A node's links stand side by side, and what is wanted of them.
[[gnu::always_inline]] inline void Network::prefetch_links(std::size_t node) const {
  __builtin_prefetch(&links_[node * degree_]);
  __builtin_prefetch(&links_[node * degree_ + degree_ - 1]);
  __builtin_prefetch(state_[node].words.data());
  __builtin_prefetch(state_[node].words.data() + degree_);
}

/// The links and the channels, whose heads are compared.
[[gnu::always_inline]] inline void Network::prefetch_site(Rank node) const {
  const auto* links = reinterpret_cast<const char*>(&links_[std::size_t{node} * degree_]);
  for (std::size_t line = 0; line < degree_ * sizeof(OutputLink); line += 64)
    __builtin_prefetch(links + line);
  const auto* channels = reinterpret_cast<const char*>(&waiting_[std::size_t{node} * sources_]);
  for (std::size_t line = 0; line < channels_per_node_ * sizeof(Waiting); line += 64)
    __builtin_prefetch(channels + line);
}

[[gnu::always_inline]] inline void Network::prefetch_arrive(Event event) const {
  prefetch_waiting(event.node(), event.index());
  __builtin_prefetch(&flights_[event.value()]);
  prefetch_links(event.node());
}

[[gnu::always_inline]] inline void Network::prefetch_tail(Event event) const {
  const std::size_t node = event.node();
  if (event.kind() != EventKind::link_free) {
    prefetch_waiting(event.node(), event.index());
    return flights_.prefetch(event.value());
  }
  prefetch_waiting(event.node(), Departure::unpack(event.value()).source);
  prefetch_links(node);
}

/// The packet that comes next, and the link upstream.
[[gnu::always_inline]] inline void Network::prefetch_behind_tail(Event event) const {
  if (event.kind() != EventKind::link_free) return;
  const std::size_t node = event.node();
  const Source source(Departure::unpack(event.value()).source);
  if (const FlightId head = waiting_[node * sources_ + source.index()].head; head != kNoFlight)
    __builtin_prefetch(&flights_[head]);
  if (source.index() >= channels_per_node_) return;
  const Direction travelling = source.travelling();
  const Rank upstream =
      links_[node * degree_ + travelling.opposite().index].neighbour - block_.first;
  if (upstream < block_.count)
    __builtin_prefetch(&links_[std::size_t{upstream} * degree_ + travelling.index]);
}

/// The processor has written a packet.
void Network::on_injected(Tick now, Event event) {
  if (probe_ != nullptr)
    probe_->on_inject(now, rank_of(event.node()), event.index() - channels_per_node_,
                      probed(event.value()));
  on_arrive(now, event);
}

/// A header stands at a router.
inline void Network::on_arrive(Tick now, Event event) {
  const Site here = site(event.node());
  const Source source(event.index());
  const FlightId id = event.value();
  Waiting& fifo = here.waiting[source.index()];
  fifo.used = static_cast<std::uint16_t>(fifo.used + flights_[id].chunks);
  const bool was_empty = fifo.head == kNoFlight;
  (was_empty ? fifo.head : flights_[fifo.tail].next) = id;
  fifo.tail = id;
  if (was_empty && !fifo.reading) mark(here.node, *here.state, expose(now, here, source));
}

/// The FIFO's head shows itself to the links it may leave by, or to the reception buffer. What the
/// second half has to look at.
inline unsigned Network::expose(Tick now, const Site& site, Source source) {
  Waiting& fifo = site.waiting[source.index()];
  const Flight& flight = flights_[fifo.head];
  fifo.chunks = flight.chunks;
  fifo.directions = passable(rank_of(site.node), fifo.head);
  fifo.dynamic = dynamic_directions(fifo.directions, flight.dynamic, flight.order, degree_ / 2);
  fifo.high_priority = flight.high_priority;
  if (!flight.directions.empty()) {
    if (source.index() >= channels_per_node_) stalled(site.node, source) -= now;
    return toggle_wants(site, source) & site.state->idle;
  }
  site.state->arrived |= source.bit();
  return RouterState::kTouchReception;
}

/// The directions that a packet has still to go, without those after which failed links cut it off.
inline DirectionSet Network::passable(Rank rank, FlightId id) const {
  const Flight& flight = flights_[id];
  if (failures_ == nullptr || !flight.dynamic || flight.directions.empty()) [[likely]]
    return flight.directions;
  return failures_->passable(rank, flights_.header(id).destination(), flight.directions);
}

/// The head wants the links that it may leave by, or no longer does; those links, as bits.
inline unsigned Network::toggle_wants(const Site& site, Source source) {
  const Waiting& head = site.waiting[source.index()];
  const unsigned allowed = allowed_directions(head.directions, head.dynamic).bits();
  std::uint64_t* wanted_by = site.state->words.data();
  toggle_row(wanted_by, allowed % (1u << kRow), source.bit());
  if (degree_ > kRow) toggle_row(wanted_by + kRow, allowed >> kRow, source.bit());
  site.state->words[degree_ + head.directions.first().index] ^= source.bit();
  return allowed;
}

[[gnu::always_inline]] inline void Network::on_link_free(Tick now, Event event, News& news) {
  const Site here = site(event.node());
  const auto [source, chunks] = Departure::unpack(event.value());
  here.state->idle = static_cast<std::uint16_t>(here.state->idle | 1u << event.index());
  const unsigned wanted = (here.state->words[event.index()] != 0 ? 1u : 0u) << event.index();
  mark(here.node, *here.state, wanted | tail_left(now, here, Source(source), chunks));
  give_back(here, Source(source), chunks, news);
}

void Network::on_delivered(Tick now, Event event, News& news) {
  news.delivered.push_back(event);
  if (probe_ != nullptr) probe_->on_deliver(now, rank_of(event.node()), probed(event.value()));
  const Site here = site(event.node());
  const Source source(event.index());
  const unsigned chunks = flights_[event.value()].chunks;
  mark(here.node, *here.state, tail_left(now, here, source, chunks));
  give_back(here, source, chunks, news);
}

/// A packet has left its FIFO completely: it is the next one's turn. What the second half has to
/// look at.
inline unsigned Network::tail_left(Tick now, const Site& site, Source source, unsigned chunks) {
  Waiting& fifo = site.waiting[source.index()];
  fifo.used = static_cast<std::uint16_t>(fifo.used - chunks);
  fifo.reading = false;
  return fifo.head != kNoFlight ? expose(now, site, source) : 0;
}

/// A packet's room goes back upstream, or to the processor. Another block has known since reading
/// began.
inline void Network::give_back(const Site& site, Source source, unsigned chunks, News& news) {
  if (source.index() >= channels_per_node_) {
    const unsigned fifo = source.index() - channels_per_node_;
    return news.freed.push_back(
        {site.node, static_cast<std::uint8_t>(fifo), static_cast<std::uint8_t>(chunks)});
  }
  const Direction travelling = source.travelling();
  const Rank upstream = behind(site, travelling.opposite());
  if (upstream < block_.count) put_back(upstream, travelling.index, source.channel(), chunks);
}

inline void Network::put_back(Rank node, unsigned index, VirtualChannel channel, unsigned chunks) {
  OutputLink& link = links_[std::size_t{node} * degree_ + index];
  std::uint16_t& tokens = link.tokens[static_cast<unsigned>(channel)];
  tokens = static_cast<std::uint16_t>(tokens + tokens_held(channel, chunks));
  RouterState& state = state_[node];
  const unsigned wanted = (state.words[index] != 0 ? 1u : 0u) << index;
  mark(node, state, wanted & state.idle);
}

void Network::on_tokens(Event event) {
  const auto [channel, chunks] = Returned::unpack(event.value());
  put_back(event.node(), event.index(), static_cast<VirtualChannel>(channel), chunks);
}

/// The second half has to look at some of a router's links, or at none. Whether it is the first
/// time in this cycle is hard to predict: no branch.
inline void Network::mark(Rank node, RouterState& state, unsigned what) {
  touched_nodes_[touched_count_] = node;
  touched_count_ += state.touched == 0 && what != 0 ? 1 : 0;
  state.touched = static_cast<std::uint16_t>(state.touched | what);
}

/// First all choices, then what each packet's departure touches beyond its router: by then that has
/// been fetched.
void Network::arbitrate(Tick now) {
  if (touched_count_ == 0) return;
  const Cycle cycle = arbitration_.begin(now);
  for (std::size_t i = 0; i < touched_count_; ++i) {
    if (fetches_early_)
      prefetch_site(touched_nodes_[std::min(i + kSitesAhead, touched_count_ - 1)]);
    const Site here = site(touched_nodes_[i]);
    arbitrate_site(now, cycle, here, std::exchange(here.state->touched, std::uint16_t{0}));
  }
  touched_count_ = 0;
  for (const Departing& packet : departing_) depart(now, packet);
  departing_.clear();
}

inline void Network::arbitrate_site(Tick now, const Cycle& cycle, const Site& site,
                                    unsigned touched) {
  if ((touched & RouterState::kTouchReception) != 0) deliver(now, site.node);
  for (unsigned rest = touched & ~RouterState::kTouchReception; rest != 0;)
    arbitrate_link(now, cycle, site, pop_lowest(rest));
}

/// Tries the candidates in the order of arbitration until one finds room downstream.
inline void Network::arbitrate_link(Tick now, const Cycle& cycle, const Site& site,
                                    unsigned index) {
  const OutputLink& link = site.links[index];
  const Direction direction{static_cast<std::uint8_t>(index)};
  const bool dynamic_open = (link.tokens[0] | link.tokens[1]) != 0;
  std::uint64_t candidates = site.state->words[index];
  if (!dynamic_open) candidates &= site.state->words[degree_ + index];
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
  return SenderArbitration::pick(cycle, candidates,
                                 std::uint64_t{rank_of(site.node)} * degree_ + index,
                                 [&](unsigned s) { return site.waiting[s].used; });
}

/// The packet takes the link and its room downstream, and no other is compared with it any more.
inline void Network::send(Tick now, const Site& site, unsigned index, Source source,
                          VirtualChannel channel) {
  toggle_wants(site, source);
  Waiting& fifo = site.waiting[source.index()];
  const auto vc = static_cast<unsigned>(channel);
  OutputLink& link = site.links[index];
  link.tokens[vc] = static_cast<std::uint16_t>(link.tokens[vc] - tokens_held(channel, fifo.chunks));
  link.turn = static_cast<std::uint8_t>((source.index() + 1) & 63u);
  site.state->idle = static_cast<std::uint16_t>(site.state->idle & ~(1u << index));
  fifo.reading = true;
  if (source.index() >= channels_per_node_) stalled(site.node, source) += now;
  departing_.push_back({site.node, static_cast<std::uint8_t>(index), source, channel});
  __builtin_prefetch(&flights_[fifo.head]);
  __builtin_prefetch(&counters_[std::size_t{site.node} * degree_ + index]);
}

inline void Network::depart(Tick now, const Departing& packet) {
  const Site here = site(packet.node);
  const unsigned index = packet.link;
  const unsigned chunks = here.waiting[packet.source.index()].chunks;
  const FlightId id = start_reading(now, here, packet.source);
  count(here.node, index, packet.channel, chunks);
  const Direction direction{packet.link};
  if (probe_ != nullptr)
    probe_->on_hop(now, rank_of(here.node), direction, packet.channel, probed(id));
  flights_[id].advance(direction);
  calendar_.after_wire(chunks, {EventKind::link_free, here.node, index,
                                Departure{packet.source.index(), chunks}.pack()});
  hand_on(now, here, index, Source::channel(direction, packet.channel), id);
}

/// The header goes to the next router, which may be another block's.
inline void Network::hand_on(Tick now, const Site& site, unsigned index, Source next, FlightId id) {
  const Rank neighbour = behind(site, {static_cast<std::uint8_t>(index)});
  if (neighbour < block_.count)
    return calendar_.after_hop({EventKind::arrive, neighbour, next.index(), id});
  outbox_->send_packet(now + calendar_.hop_cycles(), rank_of(neighbour), next.index(), flights_,
                       id);
  flights_.remove(id);
}

inline void Network::count(Rank node, unsigned index, VirtualChannel channel, unsigned chunks) {
  LinkCounters& counters = counters_[std::size_t{node} * degree_ + index];
  ++counters.packets[static_cast<unsigned>(channel)];
  counters.wire_bytes += wire_bytes_[chunks];
  ++packet_hops_;
}

inline FlightId Network::start_reading(Tick now, const Site& site, Source source) {
  Waiting& fifo = site.waiting[source.index()];
  const FlightId id = fifo.head;
  fifo.head = flights_[id].next;
  fifo.reading = true;
  flights_[id].next = kNoFlight;
  if (outbox_ != nullptr) announce_tokens(now, site.node, source);
  return id;
}

/// When a tail will have left is known when reading begins: early enough for another block.
void Network::announce_tokens(Tick now, Rank node, Source source) {
  if (source.index() >= channels_per_node_) return;
  const Site here = site(node);
  const Direction travelling = source.travelling();
  const Rank upstream = behind(here, travelling.opposite());
  if (upstream < block_.count) return;
  const unsigned chunks = here.waiting[source.index()].chunks;
  outbox_->return_tokens(now + calendar_.wire_cycles(chunks), rank_of(upstream), travelling.index,
                         {static_cast<unsigned>(source.channel()), chunks});
}

void Network::take(const Mail& mail) {
  std::span<const std::byte> payloads = mail.payloads;
  for (const auto& [at, event] : mail.letters) {
    Event here(event.kind(), event.node() - block_.first, event.index(), event.value());
    if (event.kind() == EventKind::arrive) {
      const auto& [flight, header] = mail.parcels[event.value()];
      const FlightId id = flights_.add(flight, header, payloads.first(header.payload_bytes()));
      payloads = payloads.subspan(header.payload_bytes());
      here = Event(EventKind::arrive, here.node(), here.index(), id);
    }
    calendar_.at(at, here);
  }
}

void Network::deliver(Tick now, Rank node) {
  const Site here = site(node);
  std::uint64_t left = 0;
  for (std::uint64_t rest = here.state->arrived; rest != 0;) {
    const Source source(pop_lowest(rest));
    if (!try_deliver(now, here, source)) left |= source.bit();
  }
  here.state->arrived = left;
}

/// Virtual cut-through ends here: room for the whole packet, then it moves at the link's rate.
inline bool Network::try_deliver(Tick now, const Site& site, Source source) {
  Flight& flight = flights_[site.waiting[source.index()].head];
  const unsigned fifo = reception_fifo(source, flight);
  if (!reception_[site.node].try_reserve(fifo, flight.chunks)) return false;
  const FlightId id = start_reading(now, site, source);
  flight.reception_fifo = static_cast<std::uint8_t>(fifo);
  calendar_.after_wire(flight.chunks, {EventKind::delivered, site.node, source.index(), id});
  return true;
}

inline unsigned Network::reception_fifo(Source source, const Flight& flight) const {
  const unsigned normal = normal_reception_fifos_;
  const unsigned fifos = reception_.front().fifos();
  if (flight.high_priority && fifos > normal) return normal;  // the first one for high priority
  const unsigned port = source.is_fifo(degree_) ? 0 : source.travelling().index;
  return port % normal;
}

void Network::release_reception(Tick now, Rank node, FlightId id) {
  reception_[node].release(flights_[id].reception_fifo, flights_[id].chunks);
  flights_.remove(id);
  if (state_[node].arrived != 0) deliver(now, node);
}

std::optional<RoutedPacket> Network::head(Rank rank, Source source) const {
  const FlightId id = waiting(rank, source).head;
  if (id == kNoFlight) return std::nullopt;
  const Flight& flight = flights_[id];
  const DirectionSet left = passable(rank, id);
  const DirectionSet dynamic = dynamic_directions(left, flight.dynamic, flight.order, degree_ / 2);
  return RoutedPacket{left, dynamic, flight.chunks, flight.high_priority};
}

std::uint64_t Network::stalled_cycles(Tick now, Rank rank, unsigned fifo) const {
  const Waiting& w = waiting(rank, Source::fifo(degree_, fifo));
  const bool waits = w.head != kNoFlight && !w.reading && !w.directions.empty();
  const std::size_t node = rank - block_.first;
  return stalled_[node * (sources_ - channels_per_node_) + fifo] + (waits ? now : 0);
}

ProbedPacket Network::probed(FlightId id) const {
  const FlightTag& tag = flights_.tag(id);
  return {tag.serial, tag.source, flights_.header(id).destination(), flights_[id].chunks};
}

void Network::export_counters(FabricCounters& counters) const {
  counters.packet_hops += packet_hops_;
  counters.links.insert(counters.links.end(), counters_.begin(), counters_.end());
}

}  // namespace toroid::sim
