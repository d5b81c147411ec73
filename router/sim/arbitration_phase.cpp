#include "router/sim/arbitration_phase.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "hal/counters.hpp"
#include "hal/direction.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/rules/arbitration.hpp"
#include "router/rules/routing.hpp"
#include "router/sim/event.hpp"
#include "router/sim/flight.hpp"
#include "router/sim/network_state.hpp"
#include "router/sim/router_state.hpp"
#include "router/sim/routers.hpp"

namespace toroid::sim {
namespace {

constexpr std::size_t kSitesAhead = 4;    ///< routers between fetching one's data and using it
constexpr std::size_t kSitesAtOnce = 48;  ///< routers whose state the caches near the core hold

}  // namespace

/// The choices of one cycle.
class ArbitrationPhase::Choice {
 public:
  Choice(NetworkState& net, const Rules& rules, Tick now, std::vector<Departing>& departing)
      : net_(net),
        rules_(rules),
        cycle_(rules.arbitration.begin(now)),
        now_(now),
        chosen_(departing) {}

  void at_router(const Site& site, unsigned touched);

 private:
  void at_link(const Site& site, unsigned index);
  unsigned pick(const Site& site, unsigned index, std::uint64_t candidates) const;
  void grant(const Site& site, unsigned index, Source source, VirtualChannel channel);

  NetworkState& net_;
  const Rules rules_;  // a copy: it then lies beside the other variables of the loop
  const SenderArbitration::Cycle cycle_;
  const Tick now_;
  std::vector<Departing>& chosen_;
};

inline void ArbitrationPhase::Choice::at_router(const Site& site, unsigned touched) {
  if ((touched & RouterState::kTouchReception) != 0) net_.eject(now_, site.node);
  for (unsigned rest = touched & ~RouterState::kTouchReception; rest != 0;)
    at_link(site, pop_lowest(rest));
}

/// Tries the candidates in the order of arbitration until one finds room downstream.
inline void ArbitrationPhase::Choice::at_link(const Site& site, unsigned index) {
  const OutputLink& link = site.links[index];
  const Direction direction{static_cast<std::uint8_t>(index)};
  const bool dynamic_open = (link.tokens[0] | link.tokens[1]) != 0;
  std::uint64_t candidates = site.state->wanted_by(index);
  if (!dynamic_open) candidates &= site.state->escape_of(net_.routers.degree(), index);
  if (net_.delays.limits_reads()) candidates &= ~net_.busy_inputs(*site.state);
  while (candidates != 0) {
    const Source source(pick(site, index, rules_.precedence.first_class(candidates)));
    const RoutedPacket head = site.queues[source.index()].routed();
    const auto channel = rules_.channels.choose(head, source, direction, link.tokens);
    if (channel && !net_.must_wait(now_, site, source, *channel))
      return grant(site, index, source, *channel);
    candidates &= ~source.bit();
  }
}

inline unsigned ArbitrationPhase::Choice::pick(const Site& site, unsigned index,
                                               std::uint64_t candidates) const {
  if (!rules_.transit_first) return next_bit(candidates, site.links[index].turn);
  const std::uint64_t rank = net_.routers.rank_of(site.node);
  return rules_.arbitration.choose(cycle_, candidates, rank * net_.routers.degree() + index,
                                   Direction{static_cast<std::uint8_t>(index)},
                                   [&](unsigned s) { return site.queues[s].used; });
}

/// The packet gets the link and its room downstream, and no other is compared with it any more.
inline void ArbitrationPhase::Choice::grant(const Site& site, unsigned index, Source source,
                                            VirtualChannel channel) {
  SourceQueue& queue = site.queues[source.index()];
  site.state->toggle_requests(queue, source.bit(), net_.routers.degree());
  const auto vc = static_cast<unsigned>(channel);
  OutputLink& link = site.links[index];
  link.tokens[vc] =
      static_cast<std::uint16_t>(link.tokens[vc] - tokens_held(channel, queue.chunks));
  link.turn = static_cast<std::uint8_t>((source.index() + 1) & 63u);
  site.state->idle = static_cast<std::uint16_t>(site.state->idle & ~(1u << index));
  queue.reading = true;
  site.state->reading |= source.bit();
  if (net_.routers.is_fifo(source)) net_.routers.stalled(site.node, source) += now_;
  chosen_.push_back({site.node, static_cast<std::uint8_t>(index), source, channel});
  __builtin_prefetch(&net_.flights[queue.head]);
  net_.routers.prefetch_counters(site.node, index);
}

ArbitrationPhase::ArbitrationPhase(NetworkState& net, const Machine& machine,
                                   const RoutingOptions& options, bool fetches_early)
    : net_(net),
      rules_{ChannelRule(machine.bubble_reserve_chunks, options.bubble_rule),
             SenderArbitration(machine), Precedence(net.routers.degree(), options.transit_first),
             options.transit_first},
      fetches_early_(fetches_early) {
  for (unsigned c = 1; c <= kMaxChunks; ++c) wire_bytes_[c] = machine.wire_bytes(c);
}

/// Of some routers at once first come all choices, then what each packet's departure touches beyond
/// its router: by then that has been fetched. Neither marks a router.
void ArbitrationPhase::run(Tick now) {
  const std::size_t sites = net_.routers.marked().size();
  for (std::size_t first = 0; first < sites; first += kSitesAtOnce) {
    choose(now, first, std::min(first + kSitesAtOnce, sites));
    packet_hops_ += departing_.size();
    for (const Departing& packet : departing_) depart(now, packet);
    departing_.clear();
  }
  TOROID_CHECK_EQ(net_.routers.marked().size(), sites);
  net_.routers.clear_marked();
}

void ArbitrationPhase::choose(Tick now, std::size_t first, std::size_t end) {
  const std::span<const Rank> marked = net_.routers.marked();
  Choice choice(net_, rules_, now, departing_);
  for (std::size_t i = first; i < end; ++i) {
    if (fetches_early_)
      net_.routers.prefetch_site(marked[std::min(i + kSitesAhead, marked.size() - 1)]);
    const Site site = net_.routers.site(marked[i]);
    choice.at_router(site, std::exchange(site.state->touched, std::uint16_t{0}));
  }
}

inline void ArbitrationPhase::depart(Tick now, const Departing& packet) {
  const Site site = net_.routers.site(packet.node);
  const unsigned chunks = site.queues[packet.source.index()].chunks;
  const FlightId id = net_.start_reading(now, site, packet.source);
  count(packet, chunks);
  const Direction direction{packet.link};
  if (net_.probe != nullptr)
    net_.probe->on_hop(now, net_.routers.rank_of(site.node), direction, packet.channel,
                       net_.probed(id));
  net_.flights[id].advance(direction);
  net_.calendar.after_wire(chunks, {EventKind::link_free, site.node, packet.link,
                                    Departure{packet.source.index(), chunks}.pack()});
  hand_on(now, site, direction, Source::channel(direction, packet.channel), id);
}

inline void ArbitrationPhase::count(const Departing& packet, unsigned chunks) {
  LinkCounters& counters = net_.routers.counters(packet.node, packet.link);
  ++counters.packets[static_cast<unsigned>(packet.channel)];
  counters.wire_bytes += wire_bytes_[chunks];
}

/// The header goes to the next router, which may be another block's.
inline void ArbitrationPhase::hand_on(Tick now, const Site& site, Direction direction, Source next,
                                      FlightId id) {
  const Rank neighbour = net_.routers.behind(site, direction);
  if (net_.routers.holds(neighbour))
    return net_.calendar.after_hop({EventKind::arrive, neighbour, next.index(), id});
  net_.outbox->send_packet(now + net_.calendar.hop_cycles(), net_.routers.rank_of(neighbour),
                           next.index(), id);
}

}  // namespace toroid::sim
