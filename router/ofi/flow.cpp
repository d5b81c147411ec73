#include "router/ofi/flow.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>

#include "router/ofi/frame.hpp"
#include "router/ofi/transport.hpp"

namespace toroid::ofi {

FrameError Inflow::hold(std::uint64_t sequence, Operation& operation) {
  if (sequence < next_ || sequence > freed_ + held_.size()) return FrameError::wrong_sequence;
  Operation*& place = held_[sequence % held_.size()];
  if (place != nullptr) return FrameError::wrong_sequence;
  place = &operation;
  return FrameError::none;
}

Operation* Inflow::next() {
  Operation* const operation = std::exchange(held_[next_ % held_.size()], nullptr);
  if (operation == nullptr) return nullptr;
  ++next_;
  return operation;
}

void Inflow::free(std::uint64_t sequence) {
  is_free_[sequence % is_free_.size()] = true;
  for (; is_free_[(freed_ + 1) % is_free_.size()]; ++freed_)
    is_free_[(freed_ + 1) % is_free_.size()] = false;
}

Outflow::Outflow(Transport& transport, const FlowIdentity& identity, const Inflow& inflow,
                 const FlowLimits& limits, std::span<Operation> frames, Operation& acknowledgement)
    : transport_(&transport),
      identity_(identity),
      inflow_(&inflow),
      window_(limits.window),
      crc_(limits.crc),
      acknowledgement_(&acknowledgement) {
  for (Operation& operation : frames) {
    operation.peer = identity.peer;
    free_.push_back(&operation);
  }
  acknowledgement.peer = identity.peer;
}

bool Outflow::provide_buffer() {
  if (writer_.has_buffer()) return true;
  if (free_.empty()) return false;
  filling_ = free_.back();
  free_.pop_back();
  writer_ = FrameWriter(filling_->buffer, crc_);
  return true;
}

std::uint32_t Outflow::make_room() {
  if (writer_.has_buffer() && !try_seal()) return 0;
  if (!provide_buffer()) return 0;
  return writer_.room();
}

std::uint32_t Outflow::part_room(std::uint32_t least, std::uint32_t most) {
  const bool is_full = !writer_.empty() && writer_.part_room() < least;
  if ((is_full && !try_seal()) || !provide_buffer()) return 0;
  return std::min(most, writer_.part_room());
}

bool Outflow::try_add_credit(std::uint32_t link, std::uint64_t popped) {
  if (!provide_buffer()) return false;
  if (!writer_.has_room_for_credit() && (!try_seal() || !provide_buffer())) return false;
  writer_.add_credit(link, popped);
  return true;
}

FrameHeader Outflow::header(std::uint64_t sequence) {
  announced_received_ = inflow_->received();
  announced_freed_ = inflow_->freed();
  FrameHeader header{};
  header.source = identity_.self;
  header.token = identity_.token;
  header.sequence = sequence;
  header.received = announced_received_;
  header.freed = announced_freed_;
  return header;
}

/// Numbers and sends the frame that is being filled, or keeps it until the transport is not busy.
bool Outflow::try_seal() {
  if (sealed_ != nullptr && !try_send_sealed()) return false;
  if (sent_ - freed_ >= window_) return false;
  if (in_flight() == 0) waiting_since_ = Clock::now();
  filling_->bytes = writer_.finish(header(++sent_)).size();
  filling_->slot = static_cast<std::uint32_t>(sent_ % window_);
  sealed_ = std::exchange(filling_, nullptr);
  (void)try_send_sealed();
  return true;
}

bool Outflow::try_send_sealed() {
  if (!transport_->try_send(*sealed_)) return false;
  sealed_ = nullptr;
  return true;
}

bool Outflow::try_flush() {
  if (sealed_ != nullptr && !try_send_sealed()) return false;
  return writer_.empty() || (try_seal() && sealed_ == nullptr);
}

bool Outflow::try_acknowledge() {
  if (acknowledging_) return false;
  FrameWriter writer(acknowledgement_->buffer, crc_);
  const auto before = std::pair(announced_received_, announced_freed_);
  acknowledgement_->bytes = writer.finish(header(0)).size();
  acknowledging_ = transport_->try_send(*acknowledgement_);
  if (!acknowledging_) std::tie(announced_received_, announced_freed_) = before;
  return acknowledging_;
}

void Outflow::completed(Operation& operation) {
  if (&operation == acknowledgement_)
    acknowledging_ = false;
  else
    free_.push_back(&operation);
}

void Outflow::acknowledged(std::uint64_t received, std::uint64_t freed) {
  if (received > received_ && received <= sent_) {
    received_ = received;
    waiting_since_ = Clock::now();
  }
  if (freed > freed_ && freed <= sent_) freed_ = freed;
}

}  // namespace toroid::ofi
