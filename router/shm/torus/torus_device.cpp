#include "router/shm/torus/torus_device.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include "hal/failures.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/route.hpp"

namespace toroid::ring {
namespace {

Direction direction(unsigned link) {
  return {static_cast<std::uint8_t>(link)};
}

/// The part of a header that routing looks at. The dimension order replaces the link bits.
std::uint64_t routing_word(const PacketHeader& header) {
  return header.without_link_bits().hardware_word() | std::uint64_t{header.order()}
                                                          << PacketHeader::kFirstLinkBit;
}

/// A place for one packet, which is made visible to the other end later.
struct Place {
  Packet& packet;
  Packet& claim() const { return packet; }
  void commit(const PacketHeader& header) const { packet.header = header; }
};

/// Places for packets, each in the emptier dynamic channel of a link.
class DynamicPlaces {
 public:
  DynamicPlaces(LinkSender& link, LinkCounters& counters) : link_(&link), counters_(&counters) {}
  Packet& claim() {
    const unsigned channel = link_->room(1) > link_->room(0) ? 1 : 0;
    ++counters_->packets[channel];
    packet_ = &link_->claim(channel);
    return *packet_;
  }
  void commit(const PacketHeader& header) { packet_->header = header; }

 private:
  LinkSender* link_;
  LinkCounters* counters_;
  Packet* packet_ = nullptr;
};

/// Converts free slots to tokens. A slot counts as the room of a full packet, because every packet
/// takes a slot, whatever its length.
Tokens tokens_of(const LinkSender& link) {
  Tokens tokens;
  for (unsigned c = 0; c < kVirtualChannels; ++c)
    tokens[c] = static_cast<std::uint16_t>(link.room(c) * kMaxChunks);
  return tokens;
}

}  // namespace

TorusDevice::TorusDevice(const SharedDeviceState& shared, Rank rank, RoutingOptions options,
                         const Mailbox& mailbox, std::span<const LinkMemory* const> outward,
                         const FailureTimeline* stages)
    : RingDevice(shared, rank, fifos_of_node(shared.shape, shared.machine, shared.tying)),
      pushed_(&mailbox.pushed),
      links_(shared.shape.links()),
      channels_(shared.machine.bubble_reserve_chunks, options.bubble_rule),
      precedence_(links_, shared.machine.injection_fifos, options.transit_first),
      arbitration_(shared.machine, options.link_seed),
      transit_first_(options.transit_first),
      reception_(shared.machine, links_),
      stages_(stages) {
  for (unsigned l = 0; l < links_; ++l) {
    in_.emplace_back(mailbox.inward[l]);
    out_.emplace_back(*outward[l]);
    checked_in_.emplace_back();
    checked_out_.emplace_back();
    RetransmittingLink* const arriving = mailbox.inward[l].check;
    if (arriving != nullptr) checked_in_[l].emplace(mailbox.inward[l], *arriving);
    RetransmittingLink* const leaving = outward[l]->check;
    if (leaving != nullptr) checked_out_[l].emplace(*outward[l], *leaving);
    is_checked_ |= arriving != nullptr || leaving != nullptr;
  }
}

bool TorusDevice::has_news() const {
  std::uint64_t changed = 0;
  // Relaxed: no data is read because of it; LinkReceiver::look() acquires.
  for (unsigned l = 0; l < links_; ++l)
    changed |= pushed_->word[l].load(std::memory_order_relaxed) ^ seen_[l];
  if (is_checked_)
    for (const auto& link : checked_in_) changed |= link && link->has_more() ? 1u : 0u;
  return changed != 0 || is_behind();
}

/// Learns of failures, and gives new routes to all heads that wait. If this node has failed, its
/// heads have no path left.
void TorusDevice::notice_failures() {
  stage_ = stages_->now();
  change_to(stages_->shape(stage_));
  words_.fill(~std::uint64_t{0});
  lost_heads_ = 0;
  std::uint64_t waiting = exposed_ & ~deliverable_;
  if (!shape().is_alive(rank())) {
    stop(processor()->finished() ? ended_ : cut_short_);
    waiting |= std::exchange(deliverable_, 0);
    known_here_.fill(0);
    for (; !reception_.empty(); reception_.pop()) {
      ++losses_[rank()];
      count_lost();
    }
  }
  for (; waiting != 0; waiting &= waiting - 1) {
    const Input input(static_cast<unsigned>(std::countr_zero(waiting)));
    unwant(input);
    expose(input);
  }
}

/// If there are several packets, sends them on at once: the FIFO is small, and this makes room for
/// more packets in the same drain. forward() makes the packets visible downstream.
void TorusDevice::inject(const SendDescriptor& descriptor, std::uint32_t count, unsigned fifo) {
  RingDevice::inject(descriptor, count, fifo);
  if (count > 1) move_on();
}

bool TorusDevice::look() {
  if (is_behind()) notice_failures();
  if (!has_news()) return false;
  for (unsigned l = 0; l < links_; ++l) {
    if (!look_at_link(l)) continue;
    for (unsigned c = 0; c < kVirtualChannels; ++c)
      expose_next(Input::channel(direction(l), static_cast<VirtualChannel>(c)));
  }
  return true;
}

/// Returns whether packets have arrived by this link, or may have arrived.
bool TorusDevice::look_at_link(unsigned l) {
  if (checked_in_[l]) {
    seen_[l] = checked_in_[l]->look(in_[l]);
    return true;
  }
  if (!in_[l].look()) return false;
  seen_[l] = in_[l].seen();
  return true;
}

const PacketHeader& TorusDevice::header_at(Input input) const {
  if (input.is_fifo(links_)) return fifo(input.index() - links_ * kVirtualChannels).front().header;
  return in_[input.travelling().index].front(static_cast<unsigned>(input.channel())).header;
}

unsigned TorusDevice::waiting_at(Input input) const {
  if (input.is_fifo(links_))
    return static_cast<unsigned>(fifo(input.index() - links_ * kVirtualChannels).size());
  return in_[input.travelling().index].waiting(static_cast<unsigned>(input.channel()));
}

/// How full an input is, for arbitration: chunks in an injection FIFO, packets in a channel. FIFOs
/// are never compared with channels.
unsigned TorusDevice::used(Input input) const {
  if (input.is_fifo(links_)) return fifo_used(input.index() - links_ * kVirtualChannels);
  return waiting_at(input);
}

RoutedPacket TorusDevice::routed(const PacketHeader& header) const {
  const Coord to = shape().coord(header.destination());
  DirectionSet left = directions_left(shape(), here(), to, header.hints());
  bool may_escape = true;
  if (const Failures* const failures = shape().failures(); failures != nullptr && !left.empty()) {
    may_escape = failures->leaves_way(rank(), header.destination(), left, false);
    if (header.dynamic())
      left = failures->passable(rank(), header.destination(), left);
    else if (!failures->works(rank(), left.first()))
      left = {};
  }
  return {left, dynamic_directions(left, header.dynamic(), header.order(), shape().dims()),
          header.chunks(), header.channel() == VirtualChannel::priority,
          may_escape || !header.dynamic()};
}

void TorusDevice::expose_next(Input input) {
  if ((exposed_ & input.bit()) == 0 && waiting_at(input) > 0) expose(input);
}

/// Whether packets for this node, at the front of a channel, keep others from moving on: those
/// behind them, or those upstream if the ring is full.
bool TorusDevice::is_in_the_way(Input input) {
  const LinkReceiver& link = in_[input.travelling().index];
  const auto c = static_cast<unsigned>(input.channel());
  const unsigned waiting = link.waiting(c);
  std::uint16_t& here = known_here_[input.index()];
  while (here < waiting && link.behind_front(c, here).header.destination() == rank()) ++here;
  return here < waiting || waiting == link.capacity(c);
}

/// Moves packets for this node from the front of a channel into the reception FIFOs, as far as
/// these have room, if they are in the way. Returns whether the channel has another head, which is
/// not exposed yet.
bool TorusDevice::make_way(Input input) {
  if (input.is_fifo(links_) || !is_in_the_way(input)) return false;
  LinkReceiver& link = in_[input.travelling().index];
  const auto c = static_cast<unsigned>(input.channel());
  std::uint16_t& here = known_here_[input.index()];
  while (here > 0 && reception_.try_take(link.front(c), input)) {
    link.pop(c);
    --here;
  }
  if (here > 0) return false;
  exposed_ &= ~input.bit();
  deliverable_ &= ~input.bit();
  return true;
}

/// Makes the head visible to the links by which it may leave, or to the processor.
void TorusDevice::expose(Input input) {
  exposed_ |= input.bit();
  const PacketHeader& header = header_at(input);
  RoutedPacket& head = heads_[input.index()];
  const std::uint64_t word = routing_word(header);
  if (std::exchange(words_[input.index()], word) != word)
    head = routed(header);  // seldom needed: packets of one message usually follow one another
  const DirectionSet escapes = head.may_escape ? head.directions : DirectionSet();
  const DirectionSet allowed = allowed_directions(escapes, head.dynamic);
  if (head.directions.empty()) {
    const bool lost = is_lost(header);
    if (lost && find_other_way(input)) return expose(input);
    (lost ? lost_heads_ : deliverable_) |= input.bit();
    return;
  }
  if (head.may_escape) escape_of_[head.directions.first().index] |= input.bit();
  for (unsigned rest = allowed.bits(); rest != 0; rest &= rest - 1)
    wanted_by_[static_cast<unsigned>(std::countr_zero(rest))] |= input.bit();
}

bool TorusDevice::is_lost(const PacketHeader& header) const {
  return stages_ != nullptr && (header.destination() != rank() || !shape().is_alive(rank()));
}

/// As on `sim`: if the hint bits of an adaptive packet, or of any packet that is still in an
/// injection FIFO, lead nowhere any more, the packet gets new ones. Returns whether it did.
bool TorusDevice::find_other_way(Input input) {
  const PacketHeader& header = header_at(input);
  const Rank to = header.destination();
  if ((!header.dynamic() && !input.is_fifo(links_)) || !shape().is_alive(rank())) return false;
  const auto hints = shape().failures()->way(rank(), to, header.dynamic());
  if (!hints) return false;
  if (input.is_fifo(links_))
    fifo(input.index() - links_ * kVirtualChannels).turn_front(*hints);
  else
    in_[input.travelling().index].turn(static_cast<unsigned>(input.channel()), *hints);
  return true;
}

void TorusDevice::drop_lost() {
  while (lost_heads_ != 0) {
    const Input input(static_cast<unsigned>(std::countr_zero(lost_heads_)));
    exposed_ &= ~input.bit();
    lost_heads_ &= ~input.bit();
    ++losses_[header_at(input).destination()];
    Packet packet;
    move_head(input, packet);
    count_lost();
    expose_next(input);
  }
}

void TorusDevice::unwant(Input input) {
  exposed_ &= ~input.bit();
  for (unsigned rest = heads_[input.index()].directions.bits(); rest != 0; rest &= rest - 1) {
    const auto link = static_cast<unsigned>(std::countr_zero(rest));
    wanted_by_[link] &= ~input.bit();
    escape_of_[link] &= ~input.bit();
  }
}

void TorusDevice::forward() {
  move_on();
  if (lost_heads_ != 0) drop_lost();
  if (is_checked_) check_links();
  for (LinkSender& link : out_) link.publish();
}

/// Called before written packets are published.
void TorusDevice::check_links() {
  for (unsigned l = 0; l < links_; ++l) {
    if (!checked_out_[l]) continue;
    checked_out_[l]->supervise();
    checked_out_[l]->stamp(out_[l].written());
  }
}

void TorusDevice::move_on() {
  ++steps_;
  for (unsigned l = 0; l < links_; ++l)
    while (wanted_by_[l] != 0)
      if (!send_alike(l) && !send_one(l) && !out_[l].refresh()) break;
}

/// Does nothing unless exactly one input wants the link, so that there is nothing to arbitrate.
/// Sends this input's packets exactly as send_one() would, as long as they are routed alike and the
/// dynamic channels have room. Returns whether any packet was sent.
bool TorusDevice::send_alike(unsigned link) {
  if (!std::has_single_bit(wanted_by_[link])) return false;
  const Input input(static_cast<unsigned>(std::countr_zero(wanted_by_[link])));
  const RoutedPacket& head = heads_[input.index()];
  const unsigned room = out_[link].room(0) + out_[link].room(1);
  if (room == 0 || !head.dynamic.has(direction(link))) return false;
  turn_[link] = static_cast<std::uint8_t>((input.index() + 1) & 63u);
  unwant(input);
  const std::uint32_t sent = move_alike(input, room, DynamicPlaces(out_[link], link_counter(link)));
  link_counter(link).wire_bytes += std::uint64_t{machine().wire_bytes(head.chunks)} * sent;
  count_hops(sent);
  expose_next(input);
  return true;
}

/// Sends up to `most` packets that are routed alike, starting at an input's head. Returns their
/// number.
template <typename Out>
std::uint32_t TorusDevice::move_alike(Input input, std::uint32_t most, Out&& out) {
  if (input.is_fifo(links_)) {
    const unsigned f = input.index() - links_ * kVirtualChannels;
    const std::uint32_t count = std::min(fifo(f).front().left(), most);
    write_front(f, count, out);
    return count;
  }
  const std::uint64_t word = words_[input.index()];
  const auto alike = [word](const PacketHeader& header) { return routing_word(header) == word; };
  return for_each_while(input, most, alike, [&out](const Packet& packet) {
    copy_payload(out.claim().payload.data(), packet.payload.data(), packet.header.payload_bytes());
    out.commit(packet.header);
  });
}

/// Calls take(packet) for up to `most` packets, starting at a channel's head, and removes them.
/// Stops before a packet whose header is not alike; the head always is.
template <typename Alike, typename Take>
std::uint32_t TorusDevice::for_each_while(Input input, std::size_t most, Alike&& alike,
                                          Take&& take) {
  LinkReceiver& link = in_[input.travelling().index];
  const auto c = static_cast<unsigned>(input.channel());
  const auto limit = static_cast<std::uint32_t>(std::min<std::size_t>(link.waiting(c), most));
  std::uint32_t count = 0;
  do {
    take(link.front(c));
    link.pop(c);
  } while (++count < limit && alike(link.front(c).header));
  return count;
}

/// Tries the candidates in the order of arbitration until one finds room downstream.
bool TorusDevice::send_one(unsigned link) {
  const Tokens tokens = tokens_of(out_[link]);
  const bool dynamic_open = (tokens[0] | tokens[1]) != 0;
  std::uint64_t candidates = dynamic_open ? wanted_by_[link] : wanted_by_[link] & escape_of_[link];
  while (candidates != 0) {
    const std::uint64_t first = precedence_.first_class(candidates);
    const Input input(transit_first_ ? arbitration_.choose(
                                           arbitration_.begin(steps_), first, link, direction(link),
                                           [&](unsigned s) { return used(Input(s)); })
                                     : next_bit(first, turn_[link]));
    if (const auto channel =
            channels_.choose(heads_[input.index()], input, direction(link), tokens)) {
      send(link, input, *channel);
      return true;
    }
    candidates &= ~input.bit();
  }
  return false;
}

void TorusDevice::send(unsigned link, Input input, VirtualChannel channel) {
  const auto c = static_cast<unsigned>(channel);
  LinkCounters& counters = link_counter(link);
  ++counters.packets[c];
  counters.wire_bytes += machine().wire_bytes(heads_[input.index()].chunks);
  turn_[link] = static_cast<std::uint8_t>((input.index() + 1) & 63u);
  unwant(input);
  move_head(input, out_[link].claim(c));
  count_hops(1);
  expose_next(input);
}

/// Moves the head of an input to `packet`.
void TorusDevice::move_head(Input input, Packet& packet) {
  if (input.is_fifo(links_))
    return write_front(input.index() - links_ * kVirtualChannels, 1, Place{packet});
  LinkReceiver& link = in_[input.travelling().index];
  const auto c = static_cast<unsigned>(input.channel());
  copy_packet(link.front(c), packet);
  link.pop(c);
}

std::size_t TorusDevice::receive(PacketSink& sink, std::size_t limit) {
  std::size_t count = 0;
  for (; count < limit && !reception_.empty(); ++count) {
    sink.arrive(reception_.front());
    reception_.pop();
  }
  count_delivered(count);
  while (count < limit && deliverable_ != 0)
    count +=
        deliver(Input(static_cast<unsigned>(std::countr_zero(deliverable_))), sink, limit - count);
  return count;
}

std::size_t TorusDevice::deliver(Input input, PacketSink& sink, std::size_t limit) {
  exposed_ &= ~input.bit();
  deliverable_ &= ~input.bit();
  std::size_t count = 1;
  if (input.is_fifo(links_)) {  // a packet to its own node
    Packet packet;
    move_head(input, packet);
    sink.arrive(packet);
  } else {
    known_here_[input.index()] = 0;
    const auto is_here = [this](const PacketHeader& header) {
      return header.destination() == rank();
    };
    count =
        for_each_while(input, limit, is_here, [&](const Packet& packet) { sink.arrive(packet); });
  }
  count_delivered(count);
  expose_next(input);
  return count;
}

/// The processor has had its turn. What it has left in the rings makes way.
void TorusDevice::give_back() {
  for (std::uint64_t left = deliverable_; left != 0; left &= left - 1) {
    const Input input(static_cast<unsigned>(std::countr_zero(left)));
    if (make_way(input)) expose_next(input);
  }
  for (LinkReceiver& link : in_) link.publish();
}

bool TorusDevice::holds_packets() const {
  const auto awaits = [](const auto& link) { return link && link->awaits_acknowledgement(); };
  return exposed_ != 0 || !reception_.empty() ||
         (is_checked_ && std::ranges::any_of(checked_out_, awaits));
}

std::optional<RoutedPacket> TorusDevice::head(Input input) const {
  if ((exposed_ & input.bit()) == 0) return std::nullopt;
  return heads_[input.index()];
}

}  // namespace toroid::ring
