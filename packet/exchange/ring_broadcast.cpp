#include "packet/exchange/ring_broadcast.hpp"

#include <algorithm>

#include "packet/node/message_record.hpp"

namespace toroid {

RingBroadcast::RingBroadcast(Node& node, HandlerId first_handler, const Ring& ring,
                             std::size_t bytes)
    : node_(&node),
      first_handler_(first_handler),
      ring_(ring),
      bytes_(bytes),
      packets_(packets_for(bytes)),
      attachment_(node, "RingBroadcast", *this) {
  TOROID_CHECK_LT(0u, packets_);
  TOROID_CHECK_LT(ring.place, ring.size);
  using Handler = Node::PlainHandler;
  node.on(attachment_, first_handler, Handler::of<&RingBroadcast::receive>(this));
  node.on(attachment_, static_cast<HandlerId>(first_handler + 1),
          Handler::of<&RingBroadcast::on_permission>(this));
}

RingBroadcast::~RingBroadcast() {
  attachment_.detach(is_under_way());
}

unsigned RingBroadcast::root(std::uint64_t block) const {
  return static_cast<unsigned>((ring_.first + block) % ring_.size);
}

/// Hops of a block from its own node to this one, if it travels in this direction.
unsigned RingBroadcast::distance(std::uint64_t block, Direction direction) const {
  const unsigned upwards = (ring_.place + ring_.size - root(block)) % ring_.size;
  return direction == kUp ? upwards : (ring_.size - upwards) % ring_.size;
}

/// The largest number of hops that a block goes in that direction.
unsigned RingBroadcast::reach(Direction direction) const {
  return direction == kUp ? ring_.size / 2 : (ring_.size - 1) / 2;
}

bool RingBroadcast::sends(std::uint64_t block, Direction direction) const {
  return distance(block, direction) < reach(direction);
}

std::uint64_t RingBroadcast::directions(std::uint64_t block) const {
  return static_cast<std::uint64_t>(std::ranges::count_if(
      kDirections, [&](Direction direction) { return sends(block, direction); }));
}

/// Prepares the slot of a block.
void RingBroadcast::open(std::uint64_t block) {
  Slot& slot = slots_[block % 2];
  slot.arrived = slot.left = 0;
  slot.memory = is_own(block) ? nullptr : buffers_[block % 2];
  slot.early.assign(is_own(block) ? 0 : packets_, false);
}

void RingBroadcast::begin(std::span<const std::byte> own,
                          std::array<std::span<std::byte>, 2> buffers) {
  if (finished_.value() != end_of_rounds())
    throw RunFailed(
        "a RingBroadcast began a round before its last one was over; let the program wait until "
        "finished() has reached current() - 1");
  TOROID_CHECK_LE(bytes_, own.size());
  own_ = own.data();
  for (std::size_t i = 0; i < 2; ++i) {
    TOROID_CHECK(ring_.size == 1 || bytes_ <= buffers[i].size());
    buffers_[i] = buffers[i].data();
  }
  for (std::uint64_t block = end_of_rounds(); block < end_of_rounds() + 2; ++block) open(block);
  ++rounds_;
  settle();
}

void RingBroadcast::advance() {
  if (used_ >= arrived_.value())
    throw RunFailed(
        "a RingBroadcast went on before its block had arrived; let the program wait until "
        "arrived() has reached current()");
  ++used_;
  settle();
}

/// Counts the blocks that have arrived, and the blocks that this node no longer needs and has sent
/// on.
void RingBroadcast::settle() {
  for (std::uint64_t block = finished_.value(); block < finished_.value() + 2; ++block) {
    Slot& slot = slots_[block % 2];
    if (is_own(block) && block < end_of_rounds() && slot.memory == nullptr) {
      slot.memory = own_;
      slot.arrived = packets_;
    }
    if (arrived_.value() == block && slot.arrived == packets_) arrived_.bump();
  }
  while (finished_.value() < used_) {
    const std::uint64_t block = finished_.value();
    if (slots_[block % 2].left < directions(block) * packets_) break;
    finished_.bump();
    open(block + 2);
    settle();
  }
  post_if_needed();
}

/// Goes on to the next block that this node sends in a direction.
void RingBroadcast::seek(Direction direction) {
  Stream& stream = streams_[direction];
  while (stream.block < end_of_rounds() && !sends(stream.block, direction)) ++stream.block;
}

/// Number of packets that may leave of the block that the node sends in that direction.
std::uint64_t RingBroadcast::sendable(Direction direction) const {
  const Stream& stream = streams_[direction];
  if (stream.block >= std::min(end_of_rounds(), finished_.value() + 2)) return 0;
  if (stream.permitted == stream.begun) return 0;
  return slots_[stream.block % 2].arrived - stream.packets;
}

std::uint64_t RingBroadcast::permissible() const {
  return std::min(end_of_rounds(), finished_.value() + 2);
}

void RingBroadcast::post_if_needed() {
  if (ring_.size == 1 || posted_) return;
  for (const Direction direction : kDirections) seek(direction);
  if (!owes() && sendable(kUp) == 0 && sendable(kDown) == 0) return;
  posted_ = true;
  node_->post(*this);
}

bool RingBroadcast::fill(OutputQueues& queues) {
  for (; owes(); ++permitted_)
    if (!permit(queues)) return false;
  for (const Direction direction : kDirections) {
    const unsigned queue = (kBlockQueue + direction) % queues.count();
    while (sendable(direction) > 0) {
      if (!queues.has_room(queue)) return false;
      queues[queue].push(describe(direction));
      seek(direction);
    }
  }
  posted_ = false;
  return true;
}

/// The direction in which a block of another node travels when it comes here.
RingBroadcast::Direction RingBroadcast::way_of(std::uint64_t block) const {
  return distance(block, kUp) <= reach(kUp) ? kUp : kDown;
}

bool RingBroadcast::permit(OutputQueues& queues) {
  if (is_own(permitted_)) return true;
  constexpr unsigned kPermissionQueue = 0;
  if (!queues.has_room(kPermissionQueue)) return false;
  const Direction direction = way_of(permitted_);
  const Rank sender = source(direction);
  const auto handler = static_cast<HandlerId>(first_handler_ + 1);
  SendDescriptor made = node_->descriptor(sender, handler, 0, direction, chunks_for(0));
  made.source = nullptr;
  queues[kPermissionQueue].push(made);
  if (RankRecord* const record = node_->record()) record->send(node_->now(), sender, 0, handler);
  return true;
}

/// Describes all full packets that may leave now or, if only the block's last, shorter packet is
/// left, that packet.
SendDescriptor RingBroadcast::describe(Direction direction) {
  Stream& stream = streams_[direction];
  const std::uint64_t left = bytes_ - stream.packets * kPayloadBytes;
  const auto bytes = static_cast<unsigned>(std::min<std::uint64_t>(left, kPayloadBytes));
  const std::uint64_t full = std::max<std::uint64_t>(1, left / kPayloadBytes);
  const Rank to = neighbour(direction);
  SendDescriptor made = node_->descriptor(to, first_handler_, bytes, 0, chunks_for(bytes));
  made.source = this;
  made.cookie = stream.block % 2 * packets_ + stream.packets;
  made.packets = static_cast<std::uint32_t>(std::min(full, sendable(direction)));
  stream.packets += made.packets;
  if (stream.packets == packets_) {
    if (RankRecord* const record = node_->record())
      record->send(node_->now(), to, bytes_, first_handler_);
    stream.packets = 0;
    ++stream.begun;
    ++stream.block;
  }
  return made;
}

std::uint32_t RingBroadcast::gather(const SendDescriptor& descriptor, std::uint32_t number,
                                    std::span<std::byte, kPayloadBytes> payload) {
  const std::uint64_t packet = descriptor.cookie + number;
  Slot& slot = slots_[packet / packets_];
  copy_payload(payload.data(), slot.memory + packet % packets_ * kPayloadBytes,
               descriptor.header.payload_bytes());
  ++slot.left;
  settle();
  return static_cast<std::uint32_t>(packet);
}

void RingBroadcast::receive(const Packet& packet) {
  const std::uint64_t number = packet.header.argument();
  const unsigned bytes = packet.header.payload_bytes();
  const std::uint64_t at = number % packets_ * kPayloadBytes;
  TOROID_CHECK_LT(number, 2 * packets_);
  TOROID_CHECK_LE(at + bytes, bytes_);
  const std::uint64_t slot_number = number / packets_;
  Slot& slot = slots_[slot_number];
  TOROID_CHECK_EQ(slot.early.size(), packets_);
  copy_payload(buffers_[slot_number] + at, packet.payload.data(), bytes);
  slot.early[number % packets_] = true;
  while (slot.arrived < packets_ && slot.early[slot.arrived]) ++slot.arrived;
  if (slot.arrived == packets_) note_received(slot_number);
  settle();
}

void RingBroadcast::note_received(std::uint64_t slot) {
  const std::uint64_t block = finished_.value() + (finished_.value() + slot) % 2;
  const Direction direction = way_of(block);
  ++streams_[direction].received;
  if (RankRecord* const record = node_->record())
    record->received(node_->now(), first_handler_, source(direction), streams_[direction].received);
}

void RingBroadcast::on_permission(const Packet& packet) {
  const std::uint32_t direction = packet.header.argument();
  TOROID_CHECK_LT(direction, streams_.size());
  ++streams_[direction].permitted;
  if (RankRecord* const record = node_->record())
    record->received(node_->now(), static_cast<HandlerId>(first_handler_ + 1),
                     RankRecord::kEverybody, streams_[kUp].permitted + streams_[kDown].permitted);
  post_if_needed();
}

}  // namespace toroid
