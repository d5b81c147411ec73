#include "router/shm/torus/torus_device.hpp"

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "hal/counters.hpp"
#include "hal/device.hpp"
#include "hal/direction.hpp"
#include "hal/failures.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/packet.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "router/rules/arbitration.hpp"
#include "router/rules/routing.hpp"
#include "router/shm/device.hpp"
#include "router/shm/machinery.hpp"
#include "router/shm/torus/link.hpp"

namespace toroid::ring {
namespace {

Direction direction(unsigned link) {
  return {static_cast<std::uint8_t>(link)};
}

/// All of a header that routing looks at: the order takes the place of the link bits.
std::uint64_t routing_word(const PacketHeader& header) {
  return header.without_link_bits().hardware_word() | std::uint64_t{header.order()}
                                                          << PacketHeader::kFirstLinkBit;
}

/// A packet written to a place that is shown to the other end later.
struct Place {
  Packet& packet;
  Packet& claim() const { return packet; }
  void commit(const PacketHeader& header) const { packet.header = header; }
};

/// Free slots as tokens: every packet takes a slot, whatever its length.
Tokens tokens_of(const LinkSender& link) {
  Tokens tokens;
  for (unsigned c = 0; c < kVirtualChannels; ++c)
    tokens[c] = static_cast<std::uint16_t>(link.room(c) * kMaxChunks);
  return tokens;
}

}  // namespace

TorusDevice::TorusDevice(const Machinery& machinery, Rank rank, RoutingOptions options,
                         const Mailbox& mailbox, std::span<const LinkMemory* const> outward)
    : RingDevice(machinery, rank,
                 tie_fifos(machinery.shape, machinery.machine.injection_fifos,
                           machinery.machine.injection_fifo_chunks, machinery.tying)),
      pushed_(&mailbox.pushed),
      links_(machinery.shape.links()),
      channels_(machinery.machine.bubble_reserve_chunks, options.bubble_rule),
      precedence_(links_, options.transit_first),
      arbitration_(machinery.machine),
      transit_first_(options.transit_first) {
  for (unsigned l = 0; l < links_; ++l) {
    in_.emplace_back(mailbox.inward[l]);
    out_.emplace_back(*outward[l]);
  }
}

bool TorusDevice::has_news() const {
  std::uint64_t changed = 0;
  // Relaxed: nothing is read on the strength of it; LinkReceiver::look() acquires.
  for (unsigned l = 0; l < links_; ++l)
    changed |= pushed_->word[l].load(std::memory_order_relaxed) ^ seen_[l];
  return changed != 0;
}

bool TorusDevice::look() {
  if (!has_news()) return false;
  for (unsigned l = 0; l < links_; ++l) {
    if (!in_[l].look()) continue;
    seen_[l] = in_[l].seen();
    for (unsigned c = 0; c < kVirtualChannels; ++c)
      expose_next(Source::channel(direction(l), static_cast<VirtualChannel>(c)));
  }
  return true;
}

const PacketHeader& TorusDevice::header_at(Source source) const {
  if (source.is_fifo(links_))
    return fifo(source.index() - links_ * kVirtualChannels).front().header;
  return in_[source.travelling().index].front(static_cast<unsigned>(source.channel())).header;
}

unsigned TorusDevice::waiting_at(Source source) const {
  if (source.is_fifo(links_))
    return static_cast<unsigned>(fifo(source.index() - links_ * kVirtualChannels).size());
  return in_[source.travelling().index].waiting(static_cast<unsigned>(source.channel()));
}

/// Chunks in an injection FIFO, packets in a channel; the two are never compared with each other.
unsigned TorusDevice::used(Source source) const {
  if (source.is_fifo(links_)) return fifo_used(source.index() - links_ * kVirtualChannels);
  return waiting_at(source);
}

RoutedPacket TorusDevice::routed(const PacketHeader& header) const {
  const Coord to = shape().coord(header.destination());
  DirectionSet left = directions_left(shape(), here(), to, header.hints());
  if (shape().failures() != nullptr && header.dynamic() && !left.empty())
    left = shape().failures()->passable(rank(), header.destination(), left);
  return {left, dynamic_directions(left, header.dynamic(), header.order(), shape().dims()),
          header.chunks(), header.channel() == VirtualChannel::priority};
}

void TorusDevice::expose_next(Source source) {
  if ((exposed_ & source.bit()) == 0 && waiting_at(source) > 0) expose(source);
}

/// The head shows itself to the links it may leave by, or to the processor.
void TorusDevice::expose(Source source) {
  exposed_ |= source.bit();
  const PacketHeader& header = header_at(source);
  RoutedPacket& head = heads_[source.index()];
  const std::uint64_t word = routing_word(header);
  if (std::exchange(words_[source.index()], word) != word)
    head = routed(header);  // packets of one message follow one another
  const DirectionSet allowed = allowed_directions(head.directions, head.dynamic);
  if (allowed.empty()) {
    deliverable_ |= source.bit();
    return;
  }
  escape_of_[allowed.first().index] |= source.bit();
  for (unsigned rest = allowed.bits(); rest != 0; rest &= rest - 1)
    wanted_by_[static_cast<unsigned>(std::countr_zero(rest))] |= source.bit();
}

void TorusDevice::unwant(Source source) {
  exposed_ &= ~source.bit();
  for (unsigned rest = heads_[source.index()].directions.bits(); rest != 0; rest &= rest - 1) {
    const auto link = static_cast<unsigned>(std::countr_zero(rest));
    wanted_by_[link] &= ~source.bit();
    escape_of_[link] &= ~source.bit();
  }
}

void TorusDevice::forward() {
  ++steps_;
  for (unsigned l = 0; l < links_; ++l)
    if (wanted_by_[l] != 0) serve(l);
}

void TorusDevice::serve(unsigned link) {
  bool sent = false;
  while (wanted_by_[link] != 0) {
    if (send_one(link))
      sent = true;
    else if (!out_[link].refresh())
      break;
  }
  if (sent) out_[link].publish();
}

/// Tries the candidates in the order of arbitration until one finds room downstream.
bool TorusDevice::send_one(unsigned link) {
  const Tokens tokens = tokens_of(out_[link]);
  const bool dynamic_open = (tokens[0] | tokens[1]) != 0;
  std::uint64_t candidates = dynamic_open ? wanted_by_[link] : wanted_by_[link] & escape_of_[link];
  while (candidates != 0) {
    const std::uint64_t first = precedence_.first_class(candidates);
    const Source source(transit_first_
                            ? arbitration_.choose(arbitration_.begin(steps_), first, link,
                                                  direction(link),
                                                  [&](unsigned s) { return used(Source(s)); })
                            : next_bit(first, turn_[link]));
    if (const auto channel =
            channels_.choose(heads_[source.index()], source, direction(link), tokens)) {
      send(link, source, *channel);
      return true;
    }
    candidates &= ~source.bit();
  }
  return false;
}

void TorusDevice::send(unsigned link, Source source, VirtualChannel channel) {
  const auto c = static_cast<unsigned>(channel);
  LinkCounters& counters = link_counter(link);
  ++counters.packets[c];
  counters.wire_bytes += machine().wire_bytes(heads_[source.index()].chunks);
  turn_[link] = static_cast<std::uint8_t>((source.index() + 1) & 63u);
  unwant(source);
  move_head(source, out_[link].claim(c));
  count_hops(1);
  expose_next(source);
}

/// Moves the head of a source to `packet`.
void TorusDevice::move_head(Source source, Packet& packet) {
  if (source.is_fifo(links_))
    return write_front(source.index() - links_ * kVirtualChannels, 1, Place{packet});
  LinkReceiver& link = in_[source.travelling().index];
  const auto c = static_cast<unsigned>(source.channel());
  copy_packet(link.front(c), packet);
  link.pop(c);
}

std::size_t TorusDevice::receive(PacketSink& sink, std::size_t limit) {
  std::size_t count = 0;
  for (; count < limit && deliverable_ != 0; ++count)
    deliver(Source(static_cast<unsigned>(std::countr_zero(deliverable_))), sink);
  return count;
}

void TorusDevice::deliver(Source source, PacketSink& sink) {
  exposed_ &= ~source.bit();
  deliverable_ &= ~source.bit();
  count_delivered();
  if (source.is_fifo(links_)) {  // to oneself
    Packet packet;
    move_head(source, packet);
    sink.arrive(packet);
  } else {
    LinkReceiver& link = in_[source.travelling().index];
    const auto c = static_cast<unsigned>(source.channel());
    sink.arrive(link.front(c));
    link.pop(c);
  }
  expose_next(source);
}

void TorusDevice::give_back() {
  for (LinkReceiver& link : in_) link.publish();
}

bool TorusDevice::holds_packets() const {
  return exposed_ != 0;
}

std::optional<RoutedPacket> TorusDevice::head(Source source) const {
  if ((exposed_ & source.bit()) == 0) return std::nullopt;
  return heads_[source.index()];
}

}  // namespace toroid::ring
