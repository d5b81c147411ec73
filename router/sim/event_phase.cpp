#include "router/sim/event_phase.hpp"

#include <cstddef>
#include <cstdint>

#include "hal/direction.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/rules/routing.hpp"
#include "router/sim/delay_line.hpp"
#include "router/sim/event.hpp"
#include "router/sim/flight.hpp"
#include "router/sim/network.hpp"
#include "router/sim/network_state.hpp"
#include "router/sim/router_state.hpp"
#include "router/sim/routers.hpp"

namespace toroid::sim {
namespace {

using Site = Routers::Site;

// How many events before it is used something is fetched: what an event touches, what that points
// to, and processors.
constexpr std::size_t kEventsAhead = 12;
constexpr std::size_t kBehind = 6;
constexpr std::size_t kTurnsAhead = 32;

/// What a header's arrival will touch.
[[gnu::always_inline]] inline void prefetch_arrive(const NetworkState& net, Event event) {
  net.routers.prefetch_queue(event.node(), event.index());
  __builtin_prefetch(&net.flights[event.value()]);
  net.routers.prefetch_links(event.node());
}

/// What a tail that passes will touch.
[[gnu::always_inline]] inline void prefetch_tail(const NetworkState& net, Event event) {
  if (event.kind() != EventKind::link_free) {
    net.routers.prefetch_queue(event.node(), event.index());
    return net.flights.prefetch(event.value());
  }
  net.routers.prefetch_queue(event.node(), Departure::unpack(event.value()).source);
  net.routers.prefetch_links(event.node());
}

/// The packet behind a tail, and the link upstream.
[[gnu::always_inline]] inline void prefetch_behind_tail(NetworkState& net, Event event) {
  if (event.kind() != EventKind::link_free) return;
  const Source source(Departure::unpack(event.value()).source);
  const Site site = net.routers.site(event.node());
  if (const FlightId head = site.queues[source.index()].head; head != kNoFlight)
    __builtin_prefetch(&net.flights[head]);
  if (net.routers.is_fifo(source)) return;
  const Direction travelling = source.travelling();
  const Rank upstream = net.routers.behind(site, travelling.opposite());
  if (net.routers.holds(upstream)) net.routers.prefetch_link(upstream, travelling.index);
}

/// What the calendar calls with the events of one cycle.
class EventPhase {
 public:
  EventPhase(NetworkState& net, Tick now, ProcessorEvents& events)
      : net_(net), now_(now), events_(events) {}

  void arrive(const DelayLine& line, std::size_t place) { on_arrive(line[place]); }
  void tail_passed(const DelayLine& line, std::size_t place) {
    const Event event = line[place];
    event.kind() == EventKind::link_free ? on_link_free(event) : on_delivered(event);
  }
  void irregular(Event event);
  std::size_t irregular_events() const { return irregular_events_; }

 protected:
  /// Whether a tail brings a packet, or room in an injection FIFO.
  bool wakes_processor(Event event) const {
    return event.kind() == EventKind::delivered ||
           net_.routers.is_fifo(Source(Departure::unpack(event.value()).source));
  }

  NetworkState& net_;
  const Tick now_;
  ProcessorEvents& events_;

 private:
  void on_injected(Event event);
  void on_arrive(Event event);
  void on_link_free(Event event);
  void on_delivered(Event event);
  void on_tokens(Event event);
  void on_escape(Event event);
  unsigned input_freed(const Site& site, Source source);
  unsigned expose(const Site& site, Source source);
  unsigned tail_left(const Site& site, Source source, unsigned chunks);
  void give_back(const Site& site, Source source, unsigned chunks);
  void put_back(Rank node, unsigned index, VirtualChannel channel, unsigned chunks);

  std::size_t irregular_events_ = 0;
};

/// In the delay lines the events to come can be seen: what they will touch is fetched, and somewhat
/// later what that points to.
class PrefetchingEventPhase final : public EventPhase {
 public:
  using EventPhase::EventPhase;

  void arrive(const DelayLine& line, std::size_t place) {
    prefetch_arrive(net_, line[place + kEventsAhead]);
    EventPhase::arrive(line, place);
  }
  void tail_passed(const DelayLine& line, std::size_t place) {
    if (const Event later = line[place + kTurnsAhead]; wakes_processor(later))
      events_.coming.push_back(later.node());
    prefetch_tail(net_, line[place + kEventsAhead]);
    prefetch_behind_tail(net_, line[place + kBehind]);
    EventPhase::tail_passed(line, place);
  }
};

/// Tokens from another block are no event of their own: within a block they come with the tail.
void EventPhase::irregular(Event event) {
  irregular_events_ += event.kind() == EventKind::tokens ? 0 : 1;
  if (event.kind() == EventKind::injected) return on_injected(event);
  if (event.kind() == EventKind::arrive) return on_arrive(event);
  if (event.kind() == EventKind::tokens) return on_tokens(event);
  if (event.kind() == EventKind::escape) return on_escape(event);
  events_.wakes.push_back(event);
}

/// The processor has written a packet.
void EventPhase::on_injected(Event event) {
  if (net_.probe != nullptr)
    net_.probe->on_inject(now_, net_.routers.rank_of(event.node()),
                          event.index() - net_.routers.channels(), net_.probed(event.value()));
  on_arrive(event);
}

/// A header stands at a router.
inline void EventPhase::on_arrive(Event event) {
  const Site site = net_.routers.site(event.node());
  const Source source(event.index());
  const FlightId id = event.value();
  SourceQueue& queue = site.queues[source.index()];
  queue.used = static_cast<std::uint16_t>(queue.used + net_.flights[id].chunks);
  const bool was_empty = queue.head == kNoFlight;
  (was_empty ? queue.head : net_.flights[queue.tail].next) = id;
  queue.tail = id;
  if (was_empty && !queue.reading) net_.routers.mark(site.node, *site.state, expose(site, source));
}

/// A queue's head requests the links it may leave by, or room in the reception buffer. Returns what
/// arbitration has to look at.
inline unsigned EventPhase::expose(const Site& site, Source source) {
  SourceQueue& queue = site.queues[source.index()];
  const Flight& flight = net_.flights[queue.head];
  queue.chunks = flight.chunks;
  queue.directions = net_.passable(net_.routers.rank_of(site.node), queue.head);
  queue.dynamic =
      dynamic_directions(queue.directions, flight.dynamic, flight.order, net_.routers.degree() / 2);
  queue.high_priority = flight.high_priority;
  if (!flight.directions().empty()) {
    if (net_.delays.escape_wait != 0 && net_.waits_for_escape(site, source)) {
      net_.routers.exposed_at(site.node, source) = now_;
      net_.calendar.at(now_ + net_.delays.escape_wait,
                       {EventKind::escape, site.node, source.index()});
    }
    if (net_.routers.is_fifo(source)) net_.routers.stalled(site.node, source) -= now_;
    return site.state->toggle_requests(queue, source.bit(), net_.routers.degree()) &
           site.state->idle;
  }
  site.state->at_destination |= source.bit();
  return RouterState::kTouchReception;
}

[[gnu::always_inline]] inline void EventPhase::on_link_free(Event event) {
  const Site site = net_.routers.site(event.node());
  const auto [source, chunks] = Departure::unpack(event.value());
  site.state->idle = static_cast<std::uint16_t>(site.state->idle | 1u << event.index());
  const unsigned wanted = site.state->wanted_bit(event.index());
  net_.routers.mark(site.node, *site.state, wanted | tail_left(site, Source(source), chunks));
  give_back(site, Source(source), chunks);
}

void EventPhase::on_delivered(Event event) {
  events_.delivered.push_back(event);
  if (net_.probe != nullptr)
    net_.probe->on_deliver(now_, net_.routers.rank_of(event.node()), net_.probed(event.value()));
  const Site site = net_.routers.site(event.node());
  const Source source(event.index());
  const unsigned chunks = net_.flights[event.value()].chunks;
  net_.routers.mark(site.node, *site.state, tail_left(site, source, chunks));
  give_back(site, source, chunks);
}

/// A packet has left its queue completely: it is the next one's turn. Returns what arbitration has
/// to look at.
inline unsigned EventPhase::tail_left(const Site& site, Source source, unsigned chunks) {
  SourceQueue& queue = site.queues[source.index()];
  queue.used = static_cast<std::uint16_t>(queue.used - chunks);
  queue.reading = false;
  site.state->reading &= ~source.bit();
  const unsigned others = net_.delays.limits_reads() ? input_freed(site, source) : 0;
  return others | (queue.head != kNoFlight ? expose(site, source) : 0);
}

/// An input port may pass on another packet, of any of its channels. Returns what arbitration has
/// to look at.
unsigned EventPhase::input_freed(const Site& site, Source source) {
  if (net_.routers.is_fifo(source)) return 0;
  const std::uint64_t channels = input_channels(source.travelling().index);
  unsigned links = 0;
  for (unsigned l = 0; l < net_.routers.degree(); ++l)
    if ((site.state->wanted_by(l) & channels) != 0) links |= 1u << l;
  const bool arrived = (site.state->at_destination & channels) != 0;
  return (links & site.state->idle) | (arrived ? RouterState::kTouchReception : 0);
}

/// A packet's room goes back upstream, or to the processor. Another block has known since reading
/// began.
inline void EventPhase::give_back(const Site& site, Source source, unsigned chunks) {
  if (net_.routers.is_fifo(source)) {
    const unsigned fifo = source.index() - net_.routers.channels();
    return events_.freed.push_back(
        {site.node, static_cast<std::uint8_t>(fifo), static_cast<std::uint8_t>(chunks)});
  }
  const Direction travelling = source.travelling();
  const Rank upstream = net_.routers.behind(site, travelling.opposite());
  if (!net_.routers.holds(upstream)) return;
  if (net_.delays.token_return == 0)
    return put_back(upstream, travelling.index, source.channel(), chunks);
  const Returned room{static_cast<unsigned>(source.channel()), chunks};
  net_.calendar.at(now_ + net_.delays.token_return,
                   {EventKind::tokens, upstream, travelling.index, room.pack()});
}

inline void EventPhase::put_back(Rank node, unsigned index, VirtualChannel channel,
                                 unsigned chunks) {
  std::uint16_t& tokens = net_.routers.link(node, index).tokens[static_cast<unsigned>(channel)];
  tokens = static_cast<std::uint16_t>(tokens + tokens_held(channel, chunks));
  RouterState& state = net_.routers.state(node);
  net_.routers.mark(node, state, state.wanted_bit(index) & state.idle);
}

void EventPhase::on_tokens(Event event) {
  const auto [channel, chunks] = Returned::unpack(event.value());
  put_back(event.node(), event.index(), static_cast<VirtualChannel>(channel), chunks);
}

/// A head may have waited long enough for its escape.
void EventPhase::on_escape(Event event) {
  const Source source(event.index());
  const Site site = net_.routers.site(event.node());
  if (!site.queues[source.index()].has_waiting_head()) return;
  if (net_.routers.exposed_at(site.node, source) + net_.delays.escape_wait != now_) return;
  const unsigned degree = net_.routers.degree();
  for (unsigned l = 0; l < degree; ++l)
    if ((site.state->escape_of(degree, l) & source.bit()) != 0)
      net_.routers.mark(site.node, *site.state, 1u << l & site.state->idle);
}

template <typename Phase>
std::size_t run(NetworkState& net, Tick now, ProcessorEvents& events) {
  Phase phase(net, now, events);
  const std::size_t regular = net.calendar.for_each(now, phase);
  return regular + phase.irregular_events();
}

}  // namespace

std::size_t run_events(NetworkState& net, Tick now, bool fetches_early, ProcessorEvents& events) {
  net.calendar.advance(now);
  return fetches_early ? run<PrefetchingEventPhase>(net, now, events)
                       : run<EventPhase>(net, now, events);
}

}  // namespace toroid::sim
