#include "packet/exchange/ring_shift.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "hal/check.hpp"
#include "hal/output_queues.hpp"
#include "hal/packet.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/shape.hpp"
#include "packet/node/message_record.hpp"
#include "packet/node/node.hpp"

namespace toroid {

void RingShift::check(std::uint64_t bytes) {
  if (packets_for(bytes) > UINT32_MAX / 2)
    throw BadInput(fmt::format(
        "a block of {} bytes takes more packets than a packet's argument can count", bytes));
}

RingShift::RingShift(Node& node, HandlerId first_handler, const Way& way,
                     std::array<std::span<std::byte>, 2> buffers)
    : node_(&node),
      first_handler_(first_handler),
      way_(way),
      alone_(way.to == node.rank()),
      buffers_(buffers),
      packets_(packets_for(buffers[0].size())),
      early_(alone_ ? 0 : 2 * packets_) {
  TOROID_CHECK_LT(0u, packets_);
  node.on(first_handler, [this](const Packet& packet) { receive(packet); });
  node.on(static_cast<HandlerId>(first_handler + 1),
          [this](const Packet&) { on_acknowledgement(); });
}

void RingShift::release(std::size_t bytes) {
  if (alone_) return;
  TOROID_CHECK_LE(bytes, size());
  const std::uint64_t whole = bytes == size() ? packets_ : bytes / kPayloadBytes;
  const std::uint64_t released = steps_ * packets_ + whole;
  if (released <= released_) return;
  released_ = released;
  if (RankRecord* const record = node_->record(); record != nullptr && whole == packets_)
    record->send(node_->now(), way_.to, size(), first_handler_);
  post_if_needed();
}

void RingShift::advance() {
  if (alone_) return;
  ++steps_;
  TOROID_CHECK_EQ(released_, steps_ * packets_);
  post_if_needed();
}

std::uint64_t RingShift::arrived_with(std::size_t bytes) const {
  return alone_ || steps_ == 0 ? 0 : (steps_ - 1) * packets_ + packets_for(bytes);
}

/// The number of packets that may leave.
std::uint64_t RingShift::sendable() const {
  return std::min(released_, (acknowledged_ + 1) * packets_);
}

/// The number of acknowledgements that may leave.
std::uint64_t RingShift::owed() const {
  return std::min(sent_.value(), steps_) - acknowledging_;
}

void RingShift::post_if_needed() {
  if (posted_ || (owed() == 0 && queued_ == sendable())) return;
  posted_ = true;
  node_->post(*this);
}

bool RingShift::fill(OutputQueues& queues) {
  while (owed() > 0)
    if (!acknowledge(queues)) return false;
  const unsigned queue = way_.queue % queues.count();
  while (queued_ < sendable()) {
    if (!queues.has_room(queue)) return false;
    const SendDescriptor next = describe();
    queued_ += next.packets;
    queues[queue].push(next);
  }
  posted_ = false;
  return true;
}

bool RingShift::acknowledge(OutputQueues& queues) {
  if (!queues.has_room(kAcknowledgementQueue)) return false;
  const auto handler = static_cast<HandlerId>(first_handler_ + 1);
  SendDescriptor made = node_->descriptor(way_.from, handler, 0, 0, chunks_for(0));
  made.source = nullptr;
  queues[kAcknowledgementQueue].push(made);
  if (RankRecord* const record = node_->record()) record->send(node_->now(), way_.from, 0, handler);
  ++acknowledging_;
  return true;
}

/// All full packets that may leave at once, or the block's rest.
SendDescriptor RingShift::describe() {
  const std::uint64_t first = queued_ % packets_;
  const std::uint64_t left = size() - first * kPayloadBytes;
  const auto bytes = static_cast<unsigned>(std::min<std::uint64_t>(left, kPayloadBytes));
  const std::uint64_t full = std::max<std::uint64_t>(1, left / kPayloadBytes);
  SendDescriptor made = node_->descriptor(way_.to, first_handler_, bytes, 0, chunks_for(bytes));
  made.source = this;
  made.cookie = queued_ % (2 * packets_);
  made.packets = static_cast<std::uint32_t>(std::min(full, sendable() - queued_));
  return made;
}

/// A packet's argument is its number in both buffers together.
std::uint32_t RingShift::gather(const SendDescriptor& descriptor, std::uint32_t number,
                                std::span<std::byte, kPayloadBytes> payload) {
  const std::uint64_t packet = descriptor.cookie + number;
  const auto buffer = static_cast<unsigned>(packet / packets_);
  const std::uint64_t at = packet % packets_ * kPayloadBytes;
  copy_payload(payload.data(), buffers_[buffer].data() + at, descriptor.header.payload_bytes());
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
  copy_payload(buffers_[1 - number / packets_].data() + at, packet.payload.data(), bytes);
  note_arrived(number);
}

/// `arrived_` counts what has arrived without a gap.
void RingShift::note_arrived(std::uint64_t packet) {
  const auto next = [this] { return arrived_.value() % early_.size(); };
  early_[packet] = true;
  while (early_[next()]) {
    early_[next()] = false;
    arrived_.bump();
  }
  if (arrived_.value() % packets_ == 0)
    note_received(first_handler_, way_.from, arrived_.value() / packets_);
}

void RingShift::on_acknowledgement() {
  ++acknowledged_;
  note_received(static_cast<HandlerId>(first_handler_ + 1), RankRecord::kEverybody, acknowledged_);
  post_if_needed();
}

void RingShift::note_received(HandlerId handler, Rank from, std::uint64_t count) const {
  if (RankRecord* const record = node_->record())
    record->received(node_->now(), handler, from, count);
}

}  // namespace toroid
