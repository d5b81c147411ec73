#include "router/sim/arbitration_phase.hpp"

#include <algorithm>
#include <utility>

#include "hal/check.hpp"
#include "hal/counters.hpp"
#include "router/rules/link_order.hpp"
#include "router/sim/calendar.hpp"
#include "router/sim/delay_line.hpp"
#include "router/sim/event.hpp"
#include "router/sim/link_mask_indices.hpp"
#include "router/sim/link_retransmission.hpp"
#include "router/sim/router_state.hpp"
#include "router/sim/tail_lines.hpp"

namespace toroid::sim {
namespace {

constexpr std::size_t kSitesAhead = 4;  ///< the state of a router is prefetched this many routers
                                        ///< before it is used

}  // namespace

ArbitrationPhase::ArbitrationPhase(NetworkState& net, const Machine& machine,
                                   const RoutingOptions& options, bool fetches_early)
    : net_(net),
      rules_{ChannelRule(machine.bubble_reserve_chunks, options.bubble_rule),
             SenderArbitration(machine, options.link_seed),
             Precedence(net.routers.degree(), machine.injection_fifos, options.transit_first),
             options.transit_first},
      is_usual_(options.transit_first && !net.delays.limits_reads() && net.delays.escape_wait == 0),
      fetches_early_(fetches_early) {
  for (unsigned c = 1; c <= kMaxChunks; ++c) wire_bytes_[c] = machine.wire_bytes(c);
}

/// Works in batches of routers. The first step makes all choices of a batch. The second step sends
/// the chosen packets. By then the state that it needs outside the packets' routers has been
/// prefetched. Neither step marks a router.
void ArbitrationPhase::run(Tick now) {
  const std::span<const Rank> marked = net_.routers.marked();
  const SenderArbitration::Cycle cycle = rules_.arbitration.begin(now);
  for (std::size_t first = 0; first < marked.size(); first += kSitesAtOnce) {
    const std::size_t end = std::min(first + kSitesAtOnce, marked.size());
    look_at(now, cycle, marked, first, end);
    is_usual_ ? choose<true>(now, cycle) : choose<false>(now, cycle);
    packet_hops_ += from_channels_count_ + from_fifos_count_;
    depart<false>(now, std::span(from_channels_).first(from_channels_count_));
    depart<true>(now, std::span(from_fifos_).first(from_fifos_count_));
  }
  TOROID_CHECK_EQ(net_.routers.marked().size(), marked.size());
  net_.routers.clear_marked();
  if (!net_.repeating.empty()) repeat(now);
}

/// Lists the requested links of the marked routers `first` to `end` - 1. At routers that are also
/// marked for reception, moves packets to the reception FIFOs that have room.
void ArbitrationPhase::look_at(Tick now, const SenderArbitration::Cycle& cycle,
                               std::span<const Rank> marked, std::size_t first, std::size_t end) {
  const auto links = cycle.link_order.links();
  std::size_t count = 0;
  std::size_t receiving = 0;
  for (std::size_t i = first; i < end; ++i) {
    const Rank node = marked[i];
    if (fetches_early_)
      net_.routers.prefetch_site(marked[std::min(i + kSitesAhead, marked.size() - 1)]);
    const unsigned touched = std::exchange(net_.routers.state(node).touched, std::uint16_t{0});
    const std::size_t begin = count;
    if (net_.routers.degree() <= kRow) {
      const unsigned set = touched % (1u << kRow);
      list_links<kLinkBits>(requested_.data() + begin, node, set, cycle.link_order.row());
      count += kCountOf[set];
    } else {
      for (const unsigned link : links) {
        requested_[count] = node << kLinkBits | link;
        count += touched >> link & 1u;
      }
    }
    if (count > begin + 1 && !cycle.lowest_first)
      most_tokens_first<kLinkBits>(std::span(requested_).subspan(begin, count - begin),
                                   [site = net_.routers.site(node)](std::uint32_t index) {
                                     return std::max(site.links[index].tokens[0],
                                                     site.links[index].tokens[1]);
                                   });
    receiving_[receiving] = node;
    receiving += touched / RouterState::kTouchReception;
  }
  requested_count_ = count;
  for (std::size_t i = 0; i < receiving; ++i) net_.eject(now, receiving_[i]);
}

/// Tries the candidates of every link in the order of arbitration until one finds room downstream.
/// `usual`: packets in transit go first, input ports have no limit of reads, and no packet has to
/// wait for its escape.
template <bool usual>
void ArbitrationPhase::choose(Tick now, const SenderArbitration::Cycle& cycle) {
  const Rules rules = rules_;  // a copy, which is stored next to the loop's other variables
  const unsigned degree = net_.routers.degree();
  from_channels_count_ = from_fifos_count_ = 0;
  for (std::size_t i = 0; i < requested_count_; ++i) {
    const Site site = net_.routers.site(requested_[i] >> kLinkBits);
    const unsigned index = requested_[i] % (1u << kLinkBits);
    const Direction direction{static_cast<std::uint8_t>(index)};
    const OutputLink& link = site.links[index];
    const bool is_open = (link.tokens[0] | link.tokens[1]) != 0;
    const std::uint64_t dynamic = is_open ? site.state->dynamic_of(index) : 0;
    const std::uint64_t escaping = site.state->escape_of(degree, index);
    std::uint64_t candidates = dynamic | escaping;
    if (!usual && net_.delays.limits_reads()) candidates &= ~net_.busy_inputs(*site.state);
    while (candidates != 0) {
      const std::uint64_t first = rules.precedence.first_class(candidates);
      const Input input(usual || rules.transit_first
                            ? rules.arbitration.choose(
                                  cycle, first,
                                  std::uint64_t{net_.routers.rank_of(site.node)} * degree + index,
                                  direction, [&](unsigned s) { return site.queues[s].used; })
                            : next_bit(first, link.turn));
      const InputQueue& head = site.queues[input.index()];
      VirtualChannel channel = ChannelRule::emptier_dynamic(link.tokens);
      bool goes =
          (dynamic & input.bit()) != 0 && ChannelRule::has_room(link.tokens, channel, head.chunks);
      if (!goes && (escaping & input.bit()) != 0) {
        channel = ChannelRule::escape_channel(head.high_priority);
        goes = rules.channels.escapes(head.chunks, channel, input, direction, link.tokens) &&
               (usual || !net_.must_wait(now, site, input, channel));
      }
      if (goes) {
        grant(now, site, index, input, channel);
        break;
      }
      candidates &= ~input.bit();
    }
  }
}

/// Gives the packet the link and the room downstream, and removes it from the candidates of all
/// links.
inline void ArbitrationPhase::grant(Tick now, const Site& site, unsigned index, Input input,
                                    VirtualChannel channel) {
  const InputQueue& queue = site.queues[input.index()];
  site.state->withdraw(input.bit(), net_.routers.degree());
  site.state->reading |= input.bit();  // choices for later links of this batch depend on it
  const auto vc = static_cast<unsigned>(channel);
  OutputLink& link = site.links[index];
  link.tokens[vc] =
      static_cast<std::uint16_t>(link.tokens[vc] - tokens_held(channel, queue.chunks));
  link.turn = static_cast<std::uint8_t>((input.index() + 1) & 63u);
  site.state->idle = static_cast<std::uint16_t>(site.state->idle & ~(1u << index));
  const Departing one{site.node, static_cast<std::uint8_t>(index), input, channel, queue.chunks};
  if (net_.protocol.is_on()) {
    const Tick held =
        net_.protocol.begin(net_.end(site.node, index), site.node, index, queue.chunks);
    if (held > 0) [[unlikely]]
      return hold(now + held, one);
  }
  // It is hard to predict which list gets the packet. So, without a branch, the packet is written
  // to both lists, and counted in only one.
  from_channels_[from_channels_count_] = from_fifos_[from_fifos_count_] = one;
  const auto is_fifo = static_cast<std::size_t>(net_.routers.is_fifo(input));
  from_channels_count_ += 1 - is_fifo;
  from_fifos_count_ += is_fifo;
  __builtin_prefetch(&net_.flights[queue.head]);
  net_.routers.prefetch_counters(site.node, index);
}

/// Holds a link while it repeats a packet; the packet stays in its queue.
void ArbitrationPhase::hold(Tick until, const Departing& packet) {
  net_.routers.state(packet.node).reading &= ~packet.input.bit();
  const Held held{packet.input.index(), static_cast<unsigned>(packet.channel), packet.chunks};
  net_.calendar.at(until, {EventKind::repeat, packet.node, packet.link, held.pack()});
}

/// Sends the packets for which links have been held until now.
void ArbitrationPhase::repeat(Tick now) {
  packet_hops_ += net_.repeating.size();
  for (const Event event : net_.repeating) {
    const auto [input, channel, chunks] = Held::unpack(event.value());
    const Departing one{event.node(), static_cast<std::uint8_t>(event.index()), Input(input),
                        static_cast<VirtualChannel>(channel), static_cast<std::uint8_t>(chunks)};
    net_.routers.is_fifo(one.input) ? depart<true>(now, {&one, 1}) : depart<false>(now, {&one, 1});
  }
  net_.repeating.clear();
}

/// Sends the chosen packets. `fifo` is true if they leave injection FIFOs, and false if they leave
/// channels.
template <bool fifo>
void ArbitrationPhase::depart(Tick now, std::span<const Departing> departing) {
  DelayLine::Writer hops(net_.calendar.hops(), departing.size());
  for (const Departing& packet : departing) {
    const Site site = net_.routers.site(packet.node);
    const FlightId id = net_.start_reading(now, site, packet.input);
    count(packet);
    const Direction direction{packet.link};
    if constexpr (fifo) net_.routers.stalled(site.node, packet.input) += now;
    if (net_.probe != nullptr)
      net_.probe->on_hop(now, net_.routers.rank_of(site.node), direction, packet.channel,
                         net_.probed(id));
    net_.flights[id].advance(direction);
    if (net_.protocol.is_on())
      LinkRetransmission::sent(net_.end(packet.node, packet.link), net_.word_of(id));
    TailLines<Event>& tails = net_.calendar.tails(packet.chunks);
    (fifo ? tails.fifos : tails.channels)
        .push({EventKind::link_free, site.node, packet.link, packet.input.index()});
    const Input next = Input::channel(direction, packet.channel);
    const Rank neighbour = net_.routers.behind(site, direction);
    if (net_.routers.holds(neighbour)) [[likely]]
      hops.push({EventKind::arrive, neighbour, next.index(), id});
    else
      send_away(now, neighbour, next, id);
  }
}

inline void ArbitrationPhase::count(const Departing& packet) {
  LinkCounters& counters = net_.routers.counters(packet.node, packet.link);
  ++counters.packets[static_cast<unsigned>(packet.channel)];
  counters.wire_bytes += wire_bytes_[packet.chunks];
}

/// Sends the header to another block.
void ArbitrationPhase::send_away(Tick now, Rank neighbour, Input next, FlightId id) {
  net_.outbox->send_packet(now + net_.calendar.hop_cycles(), net_.routers.rank_of(neighbour),
                           next.index(), id);
}

}  // namespace toroid::sim
