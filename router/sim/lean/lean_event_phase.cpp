#include "router/sim/lean/lean_event_phase.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "hal/branchless.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "router/rules/routing.hpp"
#include "router/sim/delay_line.hpp"
#include "router/sim/event.hpp"
#include "router/sim/flight.hpp"
#include "router/sim/lean/packet_word.hpp"
#include "router/sim/lean/router_record.hpp"
#include "router/sim/link_mask_indices.hpp"
#include "router/sim/tail_lines.hpp"

namespace toroid::sim::lean {
namespace {

// Prefetch distances, in events: for an event's data, for the link upstream, and for processors.
constexpr std::size_t kEventsAhead = 12;
constexpr std::size_t kUpstreamAhead = 6;
constexpr std::size_t kTurnsAhead = 8;

/// Sets `bit` in the words that `row` selects.
inline void request(std::array<std::uint32_t, 2 * kMostLinks>& words, const RequestRow& row,
                    std::uint32_t bit) {
  for (std::size_t i = 0; i < words.size(); i += 4) {
    FourWords sum, more;
    std::memcpy(&sum, &words[i], sizeof sum);
    std::memcpy(&more, &row.words[i], sizeof more);
    sum |= more & bit;
    std::memcpy(&words[i], &sum, sizeof sum);
  }
}

[[gnu::noinline]] void overflow(LeanState& state, Place place, PacketWord packet) {
  state.overflow.push(place.node(), place.input(), packet);
  state.records[place.node()].overflowing |= 1u << place.input();
}

/// Handles events. Has its own copies of pointers to the state, so that loops keep them in
/// registers.
class Events {
 public:
  Events(LeanState& state, Tick now)
      : state_(state),
        now_(now),
        records_(state.records.data()),
        neighbours_(state.neighbours.data()),
        rows_(state.rows.data()),
        touched_(state.touched.data()),
        touched_count_(state.touched_count) {}
  ~Events() { state_.touched_count = touched_count_; }
  Events(const Events&) = delete;

  /// A header arrives over a link.
  [[gnu::always_inline]] void receive(const Hop& hop) {
    if (state_.protocol.is_on())
      state_.protocol.received(hop.place.node(), hop.place.input() / kVirtualChannels,
                               hop.packet.bits());
    arrive<false>(hop.place, hop.packet);
  }
  /// A header comes to the end of a queue.
  template <bool fifo>
  void arrive(Place place, PacketWord packet) {
    RouterRecord& router = records_[place.node()];
    const unsigned input = place.input();
    router.used[input] = static_cast<std::uint8_t>(router.used[input] + packet.chunks_less_1() + 1);
    const QueueState queue = router.queues[input];
    if (queue.count() == RouterRecord::kPlaces) [[unlikely]]
      return overflow(state_, place, packet);
    router.packets[input][(queue.first() + queue.count()) % RouterRecord::kPlaces] = packet;
    const unsigned hidden = queue.count() | (router.reading >> input & 1u);
    const unsigned mask = all_if(hidden == 0);
    const unsigned chunks = (packet.chunks_less_1() << 5 & mask) | (queue.bits & 0xe0u & ~mask);
    router.queues[input].bits = static_cast<std::uint8_t>(((queue.bits + 4u) & 0x1fu) | chunks);
    expose<fifo>(router, place.node(), input, packet, mask, 0);
  }

  /// A tail has left a queue: the next packet moves up. `touch`: further links for arbitration to
  /// look at.
  template <bool fifo>
  void tail_left(Rank node, unsigned input, unsigned chunks, unsigned touch) {
    RouterRecord& router = records_[node];
    router.used[input] = static_cast<std::uint8_t>(router.used[input] - chunks);
    router.reading &= ~(1u << input);
    const QueueState queue = router.queues[input];
    const PacketWord packet = router.packets[input][queue.first()];
    router.queues[input].bits =
        static_cast<std::uint8_t>((queue.bits & 0x1fu) | packet.chunks_less_1() << 5);
    expose<fifo>(router, node, input, packet, all_if(queue.count() != 0), touch);
  }
  /// A tail has left by a link. Returns the link's bit if arbitration has to look at it.
  unsigned link_free(Rank node, unsigned link) {
    RouterRecord& router = records_[node];
    router.idle = static_cast<std::uint8_t>(router.idle | 1u << link);
    router.links[link].busy = 0;
    return router.wanted_bit(link);
  }
  /// Returns the room that a packet of `chunks` chunks had in a channel to the upstream node. If
  /// the upstream node is in another block, that block was told when reading began.
  void give_back(Rank node, unsigned input, unsigned chunks) {
    const unsigned link = input / kVirtualChannels;
    const Rank upstream = neighbours_[std::size_t{node} * 8 + (link ^ 1u)];
    if (state_.holds(upstream))
      put_back(upstream, link, static_cast<VirtualChannel>(input % kVirtualChannels), chunks);
  }
  void put_back(Rank node, unsigned index, VirtualChannel channel, unsigned chunks) {
    RouterRecord& router = records_[node];
    Link& link = router.links[index];
    std::uint8_t& tokens = link.tokens[static_cast<unsigned>(channel)];
    tokens = static_cast<std::uint8_t>(tokens + tokens_held(channel, chunks));
    if (link.busy == 0)  // a busy link is not looked at before it is free
      mark(node, router, router.wanted_bit(index) & router.idle);
  }

  // Prefetch the data that events will use.
  [[gnu::always_inline]] void prefetch(Rank node, unsigned input) const {
    const RouterRecord& router = records_[node];
    __builtin_prefetch(&router);
    __builtin_prefetch(&router.used);
    __builtin_prefetch(&router.packets[input]);
  }
  [[gnu::always_inline]] void prefetch_stalled(Rank node, unsigned fifo) const {
    __builtin_prefetch(&state_.stalled_of(node, std::max(fifo, state_.channels)));
  }
  [[gnu::always_inline]] void prefetch_link(Rank node, unsigned link) const {
    __builtin_prefetch(&records_[node].links[link]);
  }
  [[gnu::always_inline]] void prefetch_upstream(Rank node, unsigned input) const {
    const unsigned link = input / kVirtualChannels;
    const Rank upstream = neighbours_[std::size_t{node} * 8 + (link ^ 1u)];
    if (state_.holds(upstream)) prefetch_link(upstream, link);
  }

 private:
  /// The head of a queue requests the links by which it may leave, or room in the reception buffer;
  /// nothing happens if `mask` is 0. The code has no branch for these cases.
  template <bool fifo>
  [[gnu::always_inline]] void expose(RouterRecord& router, Rank node, unsigned input,
                                     PacketWord packet, unsigned mask, unsigned touch) {
    const unsigned directions = packet.directions() & mask;
    const RequestRow& row = rows_[packet.rule() << kMostLinks | directions];
    const unsigned bit = 1u << input;
    request(router.requests, row, bit);
    const unsigned ends = mask & all_if(directions == 0);
    router.at_destination |= ends & bit;
    if constexpr (fifo)
      if (directions != 0) state_.stalled_of(node, input) -= now_;
    mark(node, router, touch | (row.links & router.idle) | (ends & RouterRecord::kTouchReception));
  }
  /// Marks links of a router for arbitration; `what` may be empty. The code has no branch, because
  /// it is hard to predict whether this is the router's first mark in this cycle.
  void mark(Rank node, RouterRecord& router, unsigned what) {
    touched_[touched_count_] = node;
    touched_count_ +=
        static_cast<std::size_t>(router.touched == 0) & static_cast<std::size_t>(what != 0);
    router.touched = static_cast<std::uint16_t>(router.touched | what);
  }

  LeanState& state_;
  const Tick now_;
  RouterRecord* const records_;
  const Rank* const neighbours_;
  const RequestRow* const rows_;
  Rank* const touched_;
  std::size_t touched_count_;
};

template <bool early>
[[gnu::noinline]] std::size_t run_hops(LeanState& state, Tick now) {
  Events events(state, now);
  const auto line = state.hops.view();
  return state.hops.pop_batch([&](std::size_t place) {
    if constexpr (early) {
      const Place later = line[place + kEventsAhead].place;
      events.prefetch(later.node(), later.input());
      if (state.protocol.is_on()) state.protocol.prefetch(later.node());
    }
    const Hop hop = line[place];
    events.receive(hop);
  });
}

/// Handles tails that leave inputs. `fifo` is true if these are injection FIFOs, whose processors
/// are notified.
template <bool early, bool fifo>
[[gnu::noinline]] std::size_t run_tails(LeanState& state, Tick now, DelayLineOf<Tail>& tails,
                                        unsigned chunks, ProcessorEvents& processors) {
  Events events(state, now);
  const auto line = tails.view();
  return tails.pop_batch([&](std::size_t place) {
    if constexpr (early) {
      const Tail later = line[place + kEventsAhead];
      events.prefetch(later.node(), later.input());
      events.prefetch_link(later.node(), later.link());
      if constexpr (fifo) {
        events.prefetch_stalled(later.node(), later.input());
        processors.coming.push_back(line[place + kTurnsAhead].node());
      } else {
        const Tail soon = line[place + kUpstreamAhead];
        events.prefetch_upstream(soon.node(), soon.input());
      }
    }
    const Tail tail = line[place];
    const unsigned touch = events.link_free(tail.node(), tail.link());
    events.tail_left<fifo>(tail.node(), tail.input(), chunks, touch);
    if constexpr (fifo)
      processors.freed.push_back({tail.node(),
                                  static_cast<std::uint8_t>(tail.input() - state.channels),
                                  static_cast<std::uint8_t>(chunks)});
    else
      events.give_back(tail.node(), tail.input(), chunks);
  });
}

/// Handles tails that reach reception FIFOs. Most of them leave channels, but a packet to its own
/// node comes from an injection FIFO.
template <bool early>
[[gnu::noinline]] std::size_t run_delivered(LeanState& state, Tick now, DelayLineOf<Event>& tails,
                                            unsigned chunks, const Ends& ends,
                                            ProcessorEvents& processors) {
  Events events(state, now);
  const auto line = tails.view();
  return tails.pop_batch([&](std::size_t place) {
    if constexpr (early) {
      const Event later = line[place + kEventsAhead];
      events.prefetch(later.node(), later.index());
      ends.flights.prefetch(later.value());
      processors.coming.push_back(line[place + kTurnsAhead].node());
      const Event soon = line[place + kUpstreamAhead];
      events.prefetch_upstream(soon.node(), soon.index() % kMostInputs);
    }
    const Event event = line[place];
    processors.delivered.push_back(event);
    Flight& flight = ends.flights[event.value()];
    const unsigned fifo = ends.reception.fifo_for(flight.high_priority, Input(event.index()));
    flight.reception_fifo = static_cast<std::uint8_t>(fifo) & 127u;
    if (event.index() >= state.channels) [[unlikely]] {
      events.tail_left<true>(event.node(), event.index(), chunks, 0);
      processors.freed.push_back({event.node(),
                                  static_cast<std::uint8_t>(event.index() - state.channels),
                                  static_cast<std::uint8_t>(chunks)});
    } else {
      events.tail_left<false>(event.node(), event.index(), chunks, 0);
      events.give_back(event.node(), event.index(), chunks);
    }
  });
}

template <bool early>
std::size_t run_all(LeanState& state, Tick now, const Ends& ends, ProcessorEvents& processors) {
  std::size_t count = 0;
  if (state.hops.next() == now) count += run_hops<early>(state, now);
  for (unsigned rest = state.wires_used; rest != 0; rest &= rest - 1) {
    const auto chunks = static_cast<unsigned>(std::countr_zero(rest)) + 1;
    TailLines<Tail>& wire = state.wires[chunks - 1];
    if (wire.channels.next() == now)
      count += run_tails<early, false>(state, now, wire.channels, chunks, processors);
    if (wire.fifos.next() == now)
      count += run_tails<early, true>(state, now, wire.fifos, chunks, processors);
    if (wire.delivered.next() == now)
      count += run_delivered<early>(state, now, wire.delivered, chunks, ends, processors);
  }
  return count;
}

}  // namespace

std::size_t run_lines(LeanState& state, Tick now, const Ends& ends, bool fetches_early,
                      ProcessorEvents& events) {
  return fetches_early ? run_all<true>(state, now, ends, events)
                       : run_all<false>(state, now, ends, events);
}

std::size_t run_injected(LeanState& state, Tick now, std::span<const Hop> packets,
                         bool fetches_early) {
  Events events(state, now);
  for (std::size_t i = 0; i < packets.size(); ++i) {
    if (fetches_early && i + kEventsAhead < packets.size()) {
      const Place later = packets[i + kEventsAhead].place;
      events.prefetch(later.node(), later.input());
      events.prefetch_stalled(later.node(), later.input());
    }
    events.arrive<true>(packets[i].place, packets[i].packet);
  }
  return packets.size();
}

std::size_t run_remote_events(LeanState& state, Tick now, RemoteEvents& from) {
  Events events(state, now);
  return from.pop([&](const Hop& hop) { events.receive(hop); },
                  [&](const TokensBack& back) {
                    events.put_back(back.node, back.link, static_cast<VirtualChannel>(back.channel),
                                    back.chunks);
                  });
}

}  // namespace toroid::sim::lean
