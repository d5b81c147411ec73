#include "packet/exchange/ring_shift.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "hal/check.hpp"
#include "packet/node/message_record.hpp"

namespace toroid {

void RingShift::check(std::uint64_t bytes) {
  if (packets_for(bytes) > UINT32_MAX / 2)
    throw BadInput(fmt::format(
        "a block of {} bytes is too long for a ring; expected less than 480 GiB", bytes));
}

RingShift::RingShift(Node& node, HandlerId first_handler, const Way& way, std::size_t bytes)
    : node_(&node),
      first_handler_(first_handler),
      way_(way),
      alone_(way.to == node.rank()),
      bytes_(bytes),
      packets_(packets_for(bytes)),
      early_(alone_ || by_pointers() ? 0 : 2 * packets_),
      attachment_(node, "RingShift", *this) {
  TOROID_CHECK_LT(0u, packets_);
  TOROID_CHECK(!by_pointers() || (shares_memory_with(way.to) && shares_memory_with(way.from)));
  using Handler = Node::PlainHandler;
  node.on(attachment_, first_handler,
          by_pointers() ? Handler::of<&RingShift::receive_pointer>(this)
                        : Handler::of<&RingShift::receive>(this));
  node.on(attachment_, static_cast<HandlerId>(first_handler + 1),
          Handler::of<&RingShift::on_permission>(this));
}

RingShift::~RingShift() {
  attachment_.detach(left_[0] + left_[1] < queued_);
}

void RingShift::begin(std::span<std::byte> own, std::span<std::byte> other) {
  if (has_begun_ || sent_.value() != sent_with_all())
    throw RunFailed(
        "a RingShift began a round before its last one was over; let the program wait until all "
        "blocks have left, and call end()");
  TOROID_CHECK_LE(bytes_, own.size());
  buffers_[current()] = own.data();
  has_begun_ = true;
  if (alone_) return;
  TOROID_CHECK_EQ(arrived_.value(), steps_ * packets_);
  if (!by_pointers()) {
    TOROID_CHECK_LE(bytes_, other.size());
    buffers_[1 - current()] = other.data();
  }
  post_if_needed();
}

void RingShift::release(std::size_t bytes) {
  if (alone_) return;
  TOROID_CHECK_LE(bytes, size());
  const bool rounds_up = by_pointers() || bytes == size();
  const std::uint64_t whole = rounds_up ? packets_for(bytes) : bytes / kPayloadBytes;
  const std::uint64_t released = steps_ * packets_ + whole;
  if (released <= released_) return;
  released_ = released;
  if (by_pointers()) marks_.push_back(released);
  if (RankRecord* const record = node_->record(); record != nullptr && whole == packets_)
    record->send(node_->now(), way_.to, size(), first_handler_);
  post_if_needed();
}

void RingShift::advance() {
  if (!alone_) go_on();
}

void RingShift::end() {
  has_begun_ = false;
  if (!alone_) go_on();
}

void RingShift::go_on() {
  ++steps_;
  if (released_ != steps_ * packets_)
    throw RunFailed("a RingShift went on before it had released its block; call release() first");
  post_if_needed();
}

std::uint64_t RingShift::arrived_with(std::size_t bytes) const {
  return alone_ || steps_ == 0 ? 0 : (steps_ - 1) * packets_ + packets_for(bytes);
}

/// The number of packets, of all blocks so far, that may leave or have left.
std::uint64_t RingShift::sendable() const {
  return std::min(released_, permitted_ * packets_);
}

/// The number of permissions that this node has yet to send. It gives one for the round's first
/// block, and one for each block that it has sent and no longer needs, except the last of the
/// round.
std::uint64_t RingShift::owed() const {
  const std::uint64_t done = std::min(sent_.value(), steps_);
  const std::uint64_t permitted = has_begun_ ? done + 1 : std::min(sent_.value() + 1, steps_);
  return permitted - permitting_;
}

void RingShift::post_if_needed() {
  if (posted_ || (owed() == 0 && queued_ == sendable())) return;
  posted_ = true;
  node_->post(*this);
}

bool RingShift::fill(OutputQueues& queues) {
  while (owed() > 0)
    if (!permit(queues)) return false;
  const unsigned queue = way_.queue % queues.count();
  while (queued_ < sendable()) {
    if (!queues.has_room(queue)) return false;
    queues[queue].push(describe());
  }
  posted_ = false;
  return true;
}

bool RingShift::permit(OutputQueues& queues) {
  if (!queues.has_room(kPermissionQueue)) return false;
  const auto handler = static_cast<HandlerId>(first_handler_ + 1);
  SendDescriptor made = node_->descriptor(way_.from, handler, 0, 0, chunks_for(0));
  made.source = nullptr;
  queues[kPermissionQueue].push(made);
  if (RankRecord* const record = node_->record()) record->send(node_->now(), way_.from, 0, handler);
  ++permitting_;
  return true;
}

SendDescriptor RingShift::describe() {
  SendDescriptor made = by_pointers() ? describe_pointer() : describe_packets();
  made.source = this;
  return made;
}

/// Describes all full packets that may leave now or, if only the block's last, shorter packet is
/// left, that packet.
SendDescriptor RingShift::describe_packets() {
  const std::uint64_t first = queued_ % packets_;
  const std::uint64_t left = size() - first * kPayloadBytes;
  const auto bytes = static_cast<unsigned>(std::min<std::uint64_t>(left, kPayloadBytes));
  const std::uint64_t full = std::max<std::uint64_t>(1, left / kPayloadBytes);
  SendDescriptor made = node_->descriptor(way_.to, first_handler_, bytes, 0, chunks_for(bytes));
  made.cookie = queued_ % (2 * packets_);
  made.packets = static_cast<std::uint32_t>(std::min(full, sendable() - queued_));
  queued_ += made.packets;
  return made;
}

/// One packet for each released part, so that the number of packets does not depend on when they
/// may leave.
SendDescriptor RingShift::describe_pointer() {
  const std::uint64_t block = queued_ / packets_;
  const std::uint64_t upto = marks_.front();
  marks_.pop_front();
  constexpr unsigned kBytes = sizeof(std::byte*);
  SendDescriptor made = node_->descriptor(way_.to, first_handler_, kBytes, 0, chunks_for(kBytes));
  made.cookie = (block % 2) << kBufferBit | (upto - block * packets_);
  queued_ = upto;
  return made;
}

/// If packets carry the bytes, a packet's argument is its number, counted through both buffers.
std::uint32_t RingShift::gather(const SendDescriptor& descriptor, std::uint32_t number,
                                std::span<std::byte, kPayloadBytes> payload) {
  if (by_pointers()) {
    const auto buffer = static_cast<unsigned>(descriptor.cookie >> kBufferBit);
    const std::uint64_t upto = descriptor.cookie & ((std::uint64_t{1} << kBufferBit) - 1);
    std::memcpy(payload.data(), &buffers_[buffer], sizeof(std::byte*));
    note_left(buffer, upto - left_[buffer] % packets_);
    return static_cast<std::uint32_t>(descriptor.cookie);
  }
  const std::uint64_t packet = descriptor.cookie + number;
  const auto buffer = static_cast<unsigned>(packet / packets_);
  const std::uint64_t at = packet % packets_ * kPayloadBytes;
  copy_payload(payload.data(), buffers_[buffer] + at, descriptor.header.payload_bytes());
  note_left(buffer, 1);
  return static_cast<std::uint32_t>(packet);
}

void RingShift::note_left(unsigned buffer, std::uint64_t packets) {
  left_[buffer] += packets;
  const auto block = [this] { return sent_.value(); };
  while (left_[block() % 2] == (block() / 2 + 1) * packets_) sent_.bump();
  post_if_needed();
}

void RingShift::receive(const Packet& packet) {
  const std::uint64_t number = packet.header.argument();
  const unsigned bytes = packet.header.payload_bytes();
  const std::uint64_t at = number % packets_ * kPayloadBytes;
  TOROID_CHECK_LT(number, 2 * packets_);
  TOROID_CHECK_LE(at + bytes, size());
  copy_payload(buffers_[1 - number / packets_] + at, packet.payload.data(), bytes);
  note_arrived(number);
}

/// The released parts of a block come in order: nodes that share memory have only one path between
/// them.
void RingShift::receive_pointer(const Packet& packet) {
  const std::uint32_t argument = packet.header.argument();
  const std::uint64_t upto = argument & ((std::uint64_t{1} << kBufferBit) - 1);
  const std::uint64_t before = arrived_.value() % packets_;
  TOROID_CHECK_LT(before, upto);
  TOROID_CHECK_LE(upto, packets_);
  std::memcpy(&buffers_[1 - (argument >> kBufferBit)], packet.payload.data(), sizeof(std::byte*));
  arrived_.bump(upto - before);
  note_block_received();
}

/// `arrived_` counts the packets before the first that has not arrived.
void RingShift::note_arrived(std::uint64_t packet) {
  const auto next = [this] { return arrived_.value() % early_.size(); };
  early_[packet] = true;
  while (early_[next()]) {
    early_[next()] = false;
    arrived_.bump();
  }
  note_block_received();
}

void RingShift::note_block_received() const {
  if (arrived_.value() % packets_ == 0)
    note_received(first_handler_, way_.from, arrived_.value() / packets_);
}

void RingShift::on_permission(const Packet&) {
  ++permitted_;
  note_received(static_cast<HandlerId>(first_handler_ + 1), RankRecord::kEverybody, permitted_);
  post_if_needed();
}

void RingShift::note_received(HandlerId handler, Rank from, std::uint64_t count) const {
  if (RankRecord* const record = node_->record())
    record->received(node_->now(), handler, from, count);
}

}  // namespace toroid
