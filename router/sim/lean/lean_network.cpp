#include "router/sim/lean/lean_network.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "hal/packet.hpp"
#include "router/sim/delay_line.hpp"
#include "router/sim/lean/lean_event_phase.hpp"
#include "router/sim/lean/router_record.hpp"
#include "router/sim/link_mask_indices.hpp"
#include "router/sim/link_retransmission.hpp"
#include "router/sim/tail_lines.hpp"

namespace toroid::sim {

using namespace lean;

namespace {

/// Up to this number of nodes, all records fit approximately in a typical second-level cache.
constexpr Rank kRecordsInCache = 128;
constexpr std::size_t kRecordsAhead = 8;  ///< a record is prefetched this many routers before it is
                                          ///< used

static_assert(kMostLinks == kRow);

/// expand() stores a link of a node as node * 2^bits + link; this is the number of bits.
constexpr unsigned kRequestLinkBits = 3;
static_assert(kMostLinks <= 1u << kRequestLinkBits);

/// The capacity, in chunks, of all buffers of a router and its processor.
std::uint64_t chunks_of_a_node(const Shape& shape, const Machine& machine) {
  const std::uint64_t link =
      2 * machine.dynamic_vc_chunks + machine.bubble_vc_chunks + machine.priority_vc_chunks;
  const std::uint64_t injection = machine.injection_fifos + machine.priority_injection_fifos;
  const std::uint64_t reception = machine.reception_fifos + machine.priority_reception_fifos;
  return shape.links() * link + injection * machine.injection_fifo_chunks +
         reception * machine.reception_fifo_chunks;
}

/// Whether there are enough flight numbers if all buffers of the machine are full of packets of
/// full length. Shorter packets could need more numbers, but seldom do; if they do, the run ends
/// with an error.
bool has_numbers_for_flights(const Shape& shape, const Machine& machine) {
  const std::uint64_t packets = chunks_of_a_node(shape, machine) * shape.size() / kMaxChunks;
  return packets <= std::uint64_t{1} << PacketWord::kFlightBits;
}

}  // namespace

bool LeanNetwork::serves(const Shape& shape, const Machine& machine, const RoutingOptions& options,
                         const SimProbe* probe) {
  const unsigned inputs =
      shape.links() * kVirtualChannels + machine.injection_fifos + machine.priority_injection_fifos;
  const Machine usual;
  const auto fairness = static_cast<FairnessRule>(machine.arbitration_choice);
  const bool usual_routers = fairness <= FairnessRule::uniform &&
                             machine.input_reads == usual.input_reads &&
                             machine.token_return_cycles == usual.token_return_cycles &&
                             machine.escape_wait_cycles == usual.escape_wait_cycles;
  return usual_routers && probe == nullptr && shape.failures() == nullptr &&
         options.transit_first && shape.links() <= kMostLinks && inputs <= kMostInputs &&
         std::max({machine.dynamic_vc_chunks, machine.bubble_vc_chunks, machine.priority_vc_chunks,
                   machine.injection_fifo_chunks}) <= kMostChunks &&
         has_numbers_for_flights(shape, machine);
}

LeanNetwork::LeanNetwork(const Shape& shape, const Machine& machine, const RoutingOptions& options,
                         Range block, FlightMemory& store)
    : Network(shape, machine, block, store, nullptr),
      state_(shape, machine, options, block),
      channel_rule_(machine.bubble_reserve_chunks, options.bubble_rule),
      arbitration_(machine, options.link_seed),
      precedence_(shape.links(), machine.injection_fifos, options.transit_first),
      wire_overhead_bytes_(machine.wire_bytes(1) - kChunkBytes),
      fetches_early_(block.count > kRecordsInCache) {
  flights_.limit(PacketWord::kFlightBits);
}

/// Incoming packets are identified by their PacketWord.
void LeanNetwork::schedule(const WindowMessage& message, std::size_t neighbour) {
  for (const auto& [at, packet, node, input] : message.packets)
    remote_events_.header(
        neighbour, at, {std::bit_cast<PacketWord>(packet), Place::of(node - block_.first, input)});
  for (const auto& [at, node, link, channel, chunks] : message.tokens)
    remote_events_.tokens(neighbour, at,
                          {node - block_.first, static_cast<std::uint8_t>(link), channel, chunks});
}

Tick LeanNetwork::next() const {
  Tick next =
      std::min({calendar_.next(), state_.hops.next(), injections_.next(), remote_events_.next()});
  for (unsigned rest = state_.wires_used; rest != 0; rest &= rest - 1)
    next = std::min(next, state_.wires[static_cast<unsigned>(std::countr_zero(rest))].next());
  return next;
}

std::size_t LeanNetwork::run_events(Tick now, ProcessorEvents& events) {
  calendar_.advance(now);
  injections_.advance(now, injected_);
  std::size_t count = run_lines(state_, now, {flights_, reception_}, fetches_early_, events);
  count += run_injected(state_, now, injected_, fetches_early_);
  injected_.clear();
  if (remote_events_.next() == now) count += run_remote_events(state_, now, remote_events_);
  calendar_.for_each_irregular([&](Event event) {
    ++count;
    (event.kind() == EventKind::repeat ? repeating_ : events.wakes).push_back(event);
  });
  return count;
}

void LeanNetwork::end_cycle(Tick now) {
  calendar_.end_cycle(now);
  state_.hops.close(now);
  for (unsigned rest = state_.wires_used; rest != 0; rest &= rest - 1)
    state_.wires[static_cast<unsigned>(std::countr_zero(rest))].close(now);
}

/// Moves packets that are at their destination to the reception FIFOs that have room for them.
void LeanNetwork::eject(Tick now, Rank node) {
  RouterRecord& router = state_.records[node];
  std::uint32_t left = 0;
  for (std::uint32_t rest = router.at_destination; rest != 0; rest &= rest - 1) {
    const auto input = static_cast<unsigned>(std::countr_zero(rest));
    const PacketWord packet = router.head(input);
    const unsigned chunks = packet.chunks_less_1() + 1;
    const unsigned fifo = reception_.fifo_for(packet.high_priority(), Input(input));
    if (!reception_.try_reserve(node, fifo, chunks)) {
      left |= 1u << input;
      continue;
    }
    state_.start_reading(router, node, input);
    if (outbox_ != nullptr && input < state_.channels) announce_tokens(now, node, input, chunks);
    state_.wire(chunks).delivered.push({EventKind::delivered, node, input, packet.flight()});
  }
  router.at_destination = left;
}

void LeanNetwork::arbitrate(Tick now) {
  const std::span<const Rank> touched = std::span(state_.touched).first(state_.touched_count);
  const SenderArbitration::Cycle cycle = arbitration_.begin(now);
  for (std::size_t first = 0; first < touched.size(); first += kSitesAtOnce) {
    const std::span<const Rank> rest = touched.subspan(first);
    const auto sites = rest.first(std::min(kSitesAtOnce, rest.size()));
    choose(now, cycle, sites, rest.size());
    depart(now);
  }
  state_.touched_count = 0;
  if (!repeating_.empty()) repeat(now);
}

/// Holds a link while it repeats a packet; the packet stays in its queue.
void LeanNetwork::hold(Tick until, const Departing& packet) {
  calendar_.at(until, {EventKind::repeat, packet.node(), packet.link(),
                       Held{packet.input(), packet.channel(), packet.chunks()}.pack()});
}

/// Sends the packets for which links have been held until now.
void LeanNetwork::repeat(Tick now) {
  for (const Event event : repeating_) {
    const auto [input, channel, chunks] = Held::unpack(event.value());
    const Departing one = Departing::of(event.node(), event.index(), input, channel, chunks);
    from_channels_[0] = from_fifos_[0] = one;
    from_fifos_count_ = input >= state_.channels ? 1 : 0;
    from_channels_count_ = 1 - from_fifos_count_;
    depart(now);
  }
  repeating_.clear();
}

/// Lists the links to look at and the nodes that may receive. `ahead`: number of routers, from the
/// first of `sites` on, that may be prefetched.
unsigned LeanNetwork::expand(std::span<const Rank> sites, LinkOrder order, std::size_t ahead) {
  RouterRecord* const records = state_.records.data();
  std::uint32_t* const requested = requested_.data();
  const unsigned row = order.row();
  unsigned count = 0;
  std::size_t receiving = 0;
  std::size_t several = 0;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const Rank node = sites[i];
    if (fetches_early_ && i + kRecordsAhead < ahead) {
      const Rank later = sites.data()[i + kRecordsAhead];
      __builtin_prefetch(&records[later]);
      __builtin_prefetch(&records[later].used);
      __builtin_prefetch(&state_.stalled_of(later, state_.channels));
    }
    if (fetches_early_)
      for (unsigned l = 0; l < kMostLinks; l += 2) __builtin_prefetch(&records[node].links[l]);
    const unsigned touched = records[node].touched;
    records[node].touched = 0;
    const unsigned links = touched % (1u << kRow);
    list_links<kRequestLinkBits>(requested + count, node, links, row);
    several_[several] = static_cast<std::uint16_t>(count * 8 + kCountOf[links]);
    several += kCountOf[links] > 1 ? 1 : 0;
    count += kCountOf[links];
    receiving_[receiving] = node;
    receiving += touched >> 15;
  }
  receiving_count_ = receiving;
  several_count_ = several;
  return count;
}

/// Sorts the requested links of each router that has several in the order in which they choose.
void LeanNetwork::order_links() {
  const RouterRecord* const records = state_.records.data();
  for (std::size_t i = 0; i < several_count_; ++i) {
    std::uint32_t* const first = &requested_[several_[i] / 8];
    const auto& links = records[*first >> kRequestLinkBits].links;
    most_tokens_first<kRequestLinkBits>({first, several_[i] % 8u}, [&links](std::uint32_t index) {
      return std::max(links[index].tokens[0], links[index].tokens[1]);
    });
  }
}

/// Tries the candidates of every link in the order of arbitration until one finds room downstream.
void LeanNetwork::choose(Tick now, const SenderArbitration::Cycle& cycle,
                         std::span<const Rank> sites, std::size_t ahead) {
  const unsigned count = expand(sites, cycle.link_order, ahead);
  if (!cycle.lowest_first) order_links();
  for (std::size_t i = 0; i < receiving_count_; ++i) eject(now, receiving_[i]);
  const ChannelRule rule = channel_rule_;
  const Precedence precedence = precedence_;
  const Rank first = block_.first;
  const unsigned degree = state_.links;
  const unsigned channels = state_.channels;
  const bool checked = state_.protocol.is_on();
  const std::uint32_t* const requested = requested_.data();
  RouterRecord* const records = state_.records.data();
  std::size_t from_channels = 0, from_fifos = 0;
  for (unsigned i = 0; i < count; ++i) {
    const Rank node = requested[i] >> kRequestLinkBits;
    const unsigned index = requested[i] % (1u << kRequestLinkBits);
    RouterRecord& router = records[node];
    Link& link = router.links[index];
    const std::uint32_t escaping = router.requests[kMostLinks + index];
    const std::uint32_t dynamic =
        (link.tokens[0] | link.tokens[1]) != 0 ? router.requests[index] : 0;
    for (std::uint32_t candidates = dynamic | escaping; candidates != 0;) {
      const unsigned input = SenderArbitration::pick(
          cycle, static_cast<std::uint32_t>(precedence.first_class(candidates)),
          (std::uint64_t{first} + node) * degree + index, router.used);
      const std::uint32_t bit = 1u << input;
      const unsigned chunks = router.queues[input].chunks();
      VirtualChannel channel = ChannelRule::emptier_dynamic(link.tokens);
      if ((dynamic & bit) == 0 || !ChannelRule::has_room(link.tokens, channel, chunks)) {
        bool escapes = false;
        if ((escaping & bit) != 0) {
          channel = ChannelRule::escape_channel(router.head(input).high_priority());
          escapes = rule.escapes(chunks, channel, Input(input), {static_cast<std::uint8_t>(index)},
                                 link.tokens);
        }
        if (!escapes) {
          candidates &= ~bit;
          continue;
        }
      }
      for (std::uint32_t& request : router.requests) request &= ~bit;
      const auto vc = static_cast<unsigned>(channel);
      link.tokens[vc] = static_cast<std::uint8_t>(link.tokens[vc] - tokens_held(channel, chunks));
      ++link.packets[vc];
      link.chunks += chunks;
      link.busy = 1;
      router.idle = static_cast<std::uint8_t>(router.idle & ~(1u << index));
      const Departing one = Departing::of(node, index, input, vc, chunks);
      if (checked) {
        const Tick held = state_.protocol.begin(link, node, index, chunks);
        if (held > 0) [[unlikely]] {
          hold(now + held, one);
          break;
        }
      }
      // It is hard to predict which list gets the packet. So, without a branch, the packet is
      // written to both lists, and counted in only one.
      from_channels_[from_channels] = from_fifos_[from_fifos] = one;
      const auto is_fifo = static_cast<std::size_t>(input >= channels);
      from_channels += 1 - is_fifo;
      from_fifos += is_fifo;
      __builtin_prefetch(&router.packets[input]);
      break;
    }
  }
  from_channels_count_ = from_channels;
  from_fifos_count_ = from_fifos;
}

void LeanNetwork::depart(Tick now) {
  packet_hops_ += from_channels_count_ + from_fifos_count_;
  depart<false>(now, std::span(from_channels_).first(from_channels_count_));
  depart<true>(now, std::span(from_fifos_).first(from_fifos_count_));
}

/// Sends the chosen packets. `fifo` is true if they leave injection FIFOs, and false if they leave
/// channels.
template <bool fifo>
void LeanNetwork::depart(Tick now, std::span<const Departing> departing) {
  while (!departing.empty())
    departing = departing.subspan(outbox_ == nullptr ? depart_alike<fifo, true>(now, departing)
                                                     : depart_alike<fifo, false>(now, departing));
}

/// Sends the first packets of `departing`, as long as they have the same length. Returns their
/// number. `alone`: there are no other blocks.
template <bool fifo, bool alone>
std::size_t LeanNetwork::depart_alike(Tick now, std::span<const Departing> departing) {
  RouterRecord* const records = state_.records.data();
  const Rank* const neighbours = state_.neighbours.data();
  const unsigned chunks = departing.front().chunks();
  const bool checked = state_.protocol.is_on();
  TailLines<Tail>& wire = state_.wire(chunks);
  DelayLineOf<Hop>::Writer hops(state_.hops, departing.size());
  DelayLineOf<Tail>::Writer tails(fifo ? wire.fifos : wire.channels, departing.size());
  std::size_t i = 0;
  for (; i < departing.size() && departing[i].chunks() == chunks; ++i) {
    const Departing one = departing[i];
    const Rank node = one.node();
    const unsigned link = one.link();
    const unsigned input = one.input();
    RouterRecord& router = records[node];
    PacketWord packet = state_.start_reading(router, node, input);
    if constexpr (fifo) state_.stalled_of(node, input) += now;
    if constexpr (!fifo && !alone) announce_tokens(now, node, input, chunks);
    packet.advance(link);
    if (checked) LinkRetransmission::sent(router.links[link], packet.bits());
    tails.push(Tail::of(node, link, input));
    const Rank neighbour = neighbours[std::size_t{node} * 8 + link];
    const unsigned arrives_at = link * kVirtualChannels + one.channel();
    if (alone || state_.holds(neighbour))
      hops.push({packet, Place::of(neighbour, arrives_at)});
    else
      outbox_->send_packet(now + state_.hops.delay(), block_.first + neighbour, arrives_at,
                           std::bit_cast<std::uint64_t>(packet));
  }
  return i;
}

/// Tells the upstream node, if it belongs to another block, when the tail will have left.
[[gnu::always_inline]] inline void LeanNetwork::announce_tokens(Tick now, Rank node, unsigned input,
                                                                unsigned chunks) {
  const unsigned link = input / kVirtualChannels;
  const Rank upstream = state_.neighbour(node, link ^ 1u);
  if (state_.holds(upstream)) return;
  outbox_->return_tokens(now + calendar_.wire_cycles(chunks), block_.first + upstream, link,
                         {input % kVirtualChannels, chunks});
}

std::optional<RoutedPacket> LeanNetwork::head(Rank rank, Input input) const {
  const RouterRecord& router = state_.records[rank - block_.first];
  if (router.queues[input.index()].count() == 0) return std::nullopt;
  const PacketWord packet = router.head(input.index());
  const unsigned dynamic = state_.dynamic_directions[packet.rule()][packet.directions()];
  return RoutedPacket{DirectionSet(static_cast<std::uint16_t>(packet.directions())),
                      DirectionSet(static_cast<std::uint16_t>(dynamic)), packet.chunks_less_1() + 1,
                      packet.high_priority()};
}

std::uint64_t LeanNetwork::stalled_cycles(Tick now, Rank rank, unsigned fifo) const {
  const Rank node = rank - block_.first;
  const unsigned input = state_.channels + fifo;
  const RouterRecord& router = state_.records[node];
  const bool waits = router.queues[input].count() != 0 && (router.reading >> input & 1u) == 0 &&
                     router.head(input).directions() != 0;
  return state_.stalled[std::size_t{node} * (state_.inputs - state_.channels) + fifo] +
         (waits ? now : 0);
}

void LeanNetwork::add_to(FabricCounters& counters) const {
  if (state_.protocol.is_on())
    state_.protocol.add_to(counters.health, [this](Rank node, unsigned link) {
      return state_.records[node].links[link].sent_crc;
    });
  counters.packet_hops += packet_hops_;
  for (const RouterRecord& router : state_.records)
    for (unsigned l = 0; l < state_.links; ++l) {
      const Link& link = router.links[l];
      LinkCounters& sum = counters.links.emplace_back();
      sum.packets = link.packets;
      sum.wire_bytes = link.chunks * kChunkBytes + sum.total_packets() * wire_overhead_bytes_;
    }
}

}  // namespace toroid::sim
