#include "router/sim/event_phase.hpp"

#include <cstdint>

#include "hal/branchless.hpp"
#include "hal/direction.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "router/rules/routing.hpp"
#include "router/sim/delay_line.hpp"
#include "router/sim/event.hpp"
#include "router/sim/flight.hpp"
#include "router/sim/router_state.hpp"
#include "router/sim/routers.hpp"

namespace toroid::sim {
namespace {

using Site = Routers::Site;

// Prefetch distances, in events: for the data of an event, for the data to which those data refer,
// and for processors.
constexpr std::size_t kEventsAhead = 12;
constexpr std::size_t kBehind = 6;
constexpr std::size_t kTurnsAhead = 32;

/// Stands for the head of an input that has no packet to expose.
constexpr Flight kNoPacket = [] {
  Flight none;
  none.dynamic = true;
  return none;
}();

/// Handles the events of one cycle for the calendar. If `early` is true, the routers' state does
/// not fit in a cache. Then the data of coming events, which the delay lines show, are prefetched,
/// and somewhat later the data to which they refer.
template <bool early>
class EventPhase {
 public:
  EventPhase(NetworkState& net, Tick now, ProcessorEvents& events)
      : net_(net), now_(now), events_(events) {}

  void arrivals(DelayLine& line);
  void channel_tails(unsigned chunks, DelayLine& line) { tails<false>(chunks, line); }
  void fifo_tails(unsigned chunks, DelayLine& line) { tails<true>(chunks, line); }
  void deliveries(unsigned chunks, DelayLine& line);
  void irregular(Event event);
  std::size_t count() const { return count_; }

 private:
  template <bool fifo>
  void tails(unsigned chunks, DelayLine& line);
  void on_injected(Event event);
  void on_receive(Event event);
  template <bool fifo>
  void on_arrive(Event event);
  void on_delivered(Event event, unsigned chunks);
  void on_tokens(Event event);
  void on_escape(Event event);
  void on_failed();
  void look_anew(const Site& site, Input input);
  unsigned link_free(const Site& site, unsigned link);
  template <bool fifo>
  void tail_left(const Site& site, Input input, unsigned chunks, unsigned touch);
  template <bool fifo>
  void expose(const Site& site, Input input, FlightId id, bool shown, unsigned touch);
  void begin_escape_wait(const Site& site, Input input, const Flight& head);
  unsigned input_freed(const Site& site, Input input);
  void give_back_channel(const Site& site, Input input, unsigned chunks);
  void give_back_fifo(const Site& site, Input input, unsigned chunks);
  void put_back(Rank node, unsigned index, VirtualChannel channel, unsigned chunks);

  // Prefetch the data that events will use.
  [[gnu::always_inline]] void prefetch_input(Rank node, unsigned input) const {
    net_.routers.prefetch_queue(node, input);
    net_.routers.prefetch_state(node);
  }
  [[gnu::always_inline]] void prefetch_head(Rank node, unsigned input) const {
    const FlightId head = net_.routers.queue(node, Input(input)).head;
    __builtin_prefetch(&net_.flights[head == kNoFlight ? 0 : head]);
  }
  [[gnu::always_inline]] void prefetch_upstream(Rank node, Input input) {
    const Direction travelling = input.travelling();
    const Rank upstream = net_.routers.behind(net_.routers.site(node), travelling.opposite());
    if (net_.routers.holds(upstream)) net_.routers.prefetch_link(upstream, travelling.index);
  }

  NetworkState& net_;
  const Tick now_;
  ProcessorEvents& events_;
  std::size_t count_ = 0;
};

/// Handles headers that reach channels.
template <bool early>
void EventPhase<early>::arrivals(DelayLine& line) {
  const auto events = line.view();
  count_ += line.pop_batch([&](std::size_t place) {
    if constexpr (early) {
      const Event later = events[place + kEventsAhead];
      prefetch_input(later.node(), later.index());
      __builtin_prefetch(&net_.flights[later.value()]);
    }
    on_receive(events[place]);
  });
}

/// Handles tails that leave inputs. `fifo` is true if these are injection FIFOs.
template <bool early>
template <bool fifo>
void EventPhase<early>::tails(unsigned chunks, DelayLine& line) {
  const auto events = line.view();
  count_ += line.pop_batch([&](std::size_t place) {
    if constexpr (early) {
      if constexpr (fifo) events_.coming.push_back(events[place + kTurnsAhead].node());
      const Event later = events[place + kEventsAhead];
      prefetch_input(later.node(), later.value());
      const Event soon = events[place + kBehind];
      prefetch_head(soon.node(), soon.value());
      if constexpr (!fifo) prefetch_upstream(soon.node(), Input(soon.value()));
    }
    const Event event = events[place];
    const Site site = net_.routers.site(event.node());
    const Input input(event.value());
    tail_left<fifo>(site, input, chunks, link_free(site, event.index()));
    if constexpr (fifo)
      give_back_fifo(site, input, chunks);
    else
      give_back_channel(site, input, chunks);
  });
}

template <bool early>
void EventPhase<early>::deliveries(unsigned chunks, DelayLine& line) {
  const auto events = line.view();
  count_ += line.pop_batch([&](std::size_t place) {
    if constexpr (early) {
      events_.coming.push_back(events[place + kTurnsAhead].node());
      const Event later = events[place + kEventsAhead];
      prefetch_input(later.node(), later.index());
      net_.flights.prefetch(later.value());
      const Event soon = events[place + kBehind];
      prefetch_head(soon.node(), soon.index());
    }
    on_delivered(events[place], chunks);
  });
}

/// Tokens from another block do not count as an event, because within a block they come with the
/// tail. A failure does not count either, because every block sees it.
template <bool early>
void EventPhase<early>::irregular(Event event) {
  if (event.kind() == EventKind::failed) return on_failed();
  count_ += event.kind() == EventKind::tokens ? 0 : 1;
  if (event.kind() == EventKind::injected) return on_injected(event);
  if (event.kind() == EventKind::arrive) return on_receive(event);
  if (event.kind() == EventKind::tokens) return on_tokens(event);
  if (event.kind() == EventKind::escape) return on_escape(event);
  if (event.kind() == EventKind::repeat) return net_.repeating.push_back(event);
  events_.wakes.push_back(event);
}

/// The processor has written a packet.
template <bool early>
void EventPhase<early>::on_injected(Event event) {
  if (net_.probe != nullptr)
    net_.probe->on_inject(now_, net_.routers.rank_of(event.node()),
                          event.index() - net_.routers.channels(), net_.probed(event.value()));
  on_arrive<true>(event);
}

/// A header arrives over a link.
template <bool early>
[[gnu::always_inline]] inline void EventPhase<early>::on_receive(Event event) {
  if (net_.protocol.is_on())
    net_.protocol.received(event.node(), Input(event.index()).travelling().index,
                           net_.word_of(event.value()));
  on_arrive<false>(event);
}

/// A header arrives at a router. `fifo` is true if it is in an injection FIFO.
template <bool early>
template <bool fifo>
inline void EventPhase<early>::on_arrive(Event event) {
  const Site site = net_.routers.site(event.node());
  const Input input(event.index());
  const FlightId id = event.value();
  InputQueue& queue = site.queues[input.index()];
  queue.used = static_cast<std::uint16_t>(queue.used + net_.flights[id].chunks);
  const bool was_empty = queue.head == kNoFlight;
  FlightId* const behind = was_empty ? &queue.head : &net_.flights[queue.tail].next;
  *behind = id;
  queue.tail = id;
  const bool shown = was_empty && (site.state->reading & input.bit()) == 0;
  expose<fifo>(site, input, id, shown, 0);
}

/// If `shown` is true, the queue's head requests the links by which it may leave. At its
/// destination it requests room in the reception buffer instead; so does a head without a path,
/// which is removed there. `shown` is hard to predict, so few branches depend on it. `touch`:
/// further links for arbitration to look at.
template <bool early>
template <bool fifo>
[[gnu::always_inline]] inline void EventPhase<early>::expose(const Site& site, Input input,
                                                             FlightId id, bool shown,
                                                             unsigned touch) {
  InputQueue& queue = site.queues[input.index()];
  const Flight& flight = *(shown ? &net_.flights[id] : &kNoPacket);
  queue.chunks = shown ? flight.chunks : queue.chunks;
  queue.high_priority = shown ? flight.high_priority : queue.high_priority;
  DirectionSet minimal = flight.directions();
  DirectionSet escapes = minimal;
  if (net_.routers.failures() != nullptr && !minimal.empty()) {
    const Rank rank = net_.routers.rank_of(site.node);
    minimal = net_.ways_left(rank, input, id);
    escapes = net_.escapes(rank, id, minimal);
  }
  const bool travels = !minimal.empty();
  const unsigned degree = net_.routers.degree();
  const DirectionSet dynamic =
      dynamic_directions(minimal, flight.dynamic, flight.order, degree / 2);
  const unsigned links = site.state->request(input.bit(), escapes, dynamic, degree);
  if (net_.delays.escape_wait != 0 && travels) begin_escape_wait(site, input, flight);
  if constexpr (fifo)
    if (travels) net_.routers.stalled(site.node, input) -= now_;
  const unsigned ends = all_if(shown && !travels);
  site.state->at_destination |= input.bit() & (0 - std::uint64_t{ends & 1u});
  net_.routers.mark(site.node, *site.state,
                    touch | (links & site.state->idle) | (ends & RouterState::kTouchReception));
}

template <bool early>
void EventPhase<early>::begin_escape_wait(const Site& site, Input input, const Flight& head) {
  if (!net_.waits_for_escape(input, head)) return;
  net_.routers.exposed_at(site.node, input) = now_;
  net_.calendar.at(now_ + net_.delays.escape_wait, {EventKind::escape, site.node, input.index()});
}

/// Marks the link as idle. Returns the link's bit if some head wants it, otherwise 0.
template <bool early>
inline unsigned EventPhase<early>::link_free(const Site& site, unsigned link) {
  site.state->idle = static_cast<std::uint16_t>(site.state->idle | 1u << link);
  return site.state->wanted_bit(net_.routers.degree(), link);
}

template <bool early>
inline void EventPhase<early>::on_delivered(Event event, unsigned chunks) {
  const bool is_lost = net_.flights[event.value()].reception_fifo == kNowhere;
  if (is_lost) [[unlikely]]
    events_.lost.push_back(event.value());
  else
    events_.delivered.push_back(event);
  if (net_.probe != nullptr && !is_lost)
    net_.probe->on_deliver(now_, net_.routers.rank_of(event.node()), net_.probed(event.value()));
  const Site site = net_.routers.site(event.node());
  const Input input(event.index());
  if (net_.routers.is_fifo(input)) [[unlikely]] {  // a packet to its own node
    tail_left<true>(site, input, chunks, 0);
    return give_back_fifo(site, input, chunks);
  }
  tail_left<false>(site, input, chunks, 0);
  give_back_channel(site, input, chunks);
}

/// A packet has left its queue completely: the next one moves up. `touch`: links for arbitration to
/// look at.
template <bool early>
template <bool fifo>
[[gnu::always_inline]] inline void EventPhase<early>::tail_left(const Site& site, Input input,
                                                                unsigned chunks, unsigned touch) {
  InputQueue& queue = site.queues[input.index()];
  queue.used = static_cast<std::uint16_t>(queue.used - chunks);
  site.state->reading &= ~input.bit();
  if (!fifo && net_.delays.limits_reads()) touch |= input_freed(site, input);
  expose<fifo>(site, input, queue.head, queue.head != kNoFlight, touch);
}

/// An input port has become free: it may send another packet, from any of its channels. Returns the
/// links that arbitration has to look at.
template <bool early>
unsigned EventPhase<early>::input_freed(const Site& site, Input input) {
  const std::uint64_t channels = input_channels(input.travelling().index);
  const unsigned degree = net_.routers.degree();
  unsigned links = 0;
  for (unsigned l = 0; l < degree; ++l)
    if ((site.state->wanted_by(degree, l) & channels) != 0) links |= 1u << l;
  const bool arrived = (site.state->at_destination & channels) != 0;
  return (links & site.state->idle) | (arrived ? RouterState::kTouchReception : 0);
}

/// Returns a packet's room to the processor.
template <bool early>
inline void EventPhase<early>::give_back_fifo(const Site& site, Input input, unsigned chunks) {
  const unsigned fifo = input.index() - net_.routers.channels();
  events_.freed.push_back(
      {site.node, static_cast<std::uint8_t>(fifo), static_cast<std::uint8_t>(chunks)});
}

/// Returns a packet's room upstream. If the upstream node is in another block, that block was told
/// when reading began.
template <bool early>
inline void EventPhase<early>::give_back_channel(const Site& site, Input input, unsigned chunks) {
  const Direction travelling = input.travelling();
  const Rank upstream = net_.routers.behind(site, travelling.opposite());
  if (!net_.routers.holds(upstream)) return;
  if (net_.delays.token_return == 0)
    return put_back(upstream, travelling.index, input.channel(), chunks);
  const Returned room{static_cast<unsigned>(input.channel()), chunks};
  net_.calendar.at(now_ + net_.delays.token_return,
                   {EventKind::tokens, upstream, travelling.index, room.pack()});
}

template <bool early>
inline void EventPhase<early>::put_back(Rank node, unsigned index, VirtualChannel channel,
                                        unsigned chunks) {
  std::uint16_t& tokens = net_.routers.link(node, index).tokens[static_cast<unsigned>(channel)];
  tokens = static_cast<std::uint16_t>(tokens + tokens_held(channel, chunks));
  RouterState& state = net_.routers.state(node);
  net_.routers.mark(node, state, state.wanted_bit(net_.routers.degree(), index) & state.idle);
}

template <bool early>
void EventPhase<early>::on_tokens(Event event) {
  const auto [channel, chunks] = Returned::unpack(event.value());
  put_back(event.node(), event.index(), static_cast<VirtualChannel>(channel), chunks);
}

/// If a head has waited long enough for its escape, marks the link that it wants.
template <bool early>
void EventPhase<early>::on_escape(Event event) {
  const Input input(event.index());
  if (!net_.routers.has_waiting_head(event.node(), input)) return;
  const Site site = net_.routers.site(event.node());
  if (net_.routers.exposed_at(site.node, input) + net_.delays.escape_wait != now_) return;
  const unsigned degree = net_.routers.degree();
  for (unsigned l = 0; l < degree; ++l)
    if ((site.state->escape_of(degree, l) & input.bit()) != 0)
      net_.routers.mark(site.node, *site.state, 1u << l & site.state->idle);
}

/// Gives new routes to the heads that wait for links. A head that a link holds for a repeat keeps
/// its route, because it has already begun to leave.
template <bool early>
void EventPhase<early>::on_failed() {
  for (Rank node = 0; node < net_.routers.block().count; ++node) {
    const Site site = net_.routers.site(node);
    std::uint64_t waiting = 0;
    for (unsigned l = 0; l < net_.routers.degree(); ++l)
      waiting |= site.state->wanted_by(net_.routers.degree(), l);
    while (waiting != 0) look_anew(site, Input(pop_lowest(waiting)));
    if (site.state->at_destination != 0)
      net_.routers.mark(node, *site.state, RouterState::kTouchReception);
  }
}

template <bool early>
void EventPhase<early>::look_anew(const Site& site, Input input) {
  const FlightId id = site.queues[input.index()].head;
  const unsigned degree = net_.routers.degree();
  const Rank rank = net_.routers.rank_of(site.node);
  const DirectionSet minimal = net_.ways_left(rank, input, id);
  const DirectionSet escapes = net_.escapes(rank, id, minimal);
  const Flight& flight = net_.flights[id];
  site.state->withdraw(input.bit(), degree);
  const DirectionSet dynamic =
      dynamic_directions(minimal, flight.dynamic, flight.order, degree / 2);
  const unsigned links = site.state->request(input.bit(), escapes, dynamic, degree);
  net_.routers.mark(site.node, *site.state, links & site.state->idle);
  if (!minimal.empty()) return;
  site.state->at_destination |= input.bit();
  if (net_.routers.is_fifo(input)) net_.routers.stalled(site.node, input) += now_;
}

template <bool early>
std::size_t run(NetworkState& net, Tick now, ProcessorEvents& events) {
  EventPhase<early> phase(net, now, events);
  net.calendar.for_each_line(now, phase);
  net.calendar.for_each_irregular([&](Event event) { phase.irregular(event); });
  return phase.count();
}

}  // namespace

std::size_t run_events(NetworkState& net, Tick now, bool fetches_early, ProcessorEvents& events) {
  net.calendar.advance(now);
  return fetches_early ? run<true>(net, now, events) : run<false>(net, now, events);
}

}  // namespace toroid::sim
