#include "router/ofi/frame_flow.hpp"

#include <tuple>
#include <utility>

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

std::uint32_t Inflow::held() const {
  std::uint32_t held = 0;
  for (std::size_t bit = 0; bit + 1 < held_.size() && bit < 32; ++bit)
    if (held_[(next_ + 1 + bit) % held_.size()] != nullptr) held |= 1u << bit;
  return held;
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
      acknowledgement_(&acknowledgement),
      frame_bytes_(limits.frame_bytes) {
  for (Operation& operation : frames) {
    operation.peer = identity.peer;
    free_.push_back(&operation);
  }
  acknowledgement.peer = identity.peer;
  if (limits.checked) kept_ = std::make_unique<KeptFrames>(window_);
}

bool Outflow::provide_buffer() {
  if (writer_.has_buffer()) return true;
  if (free_.empty()) return false;
  filling_ = free_.back();
  free_.pop_back();
  writer_ = FrameWriter(filling_->buffer, crc_);
  return true;
}

/// From now on packets are written to a waste buffer, because the transport may never return the
/// frame buffers.
void Outflow::abandon() {
  waste_.resize(frame_bytes_ / sizeof(Packet));
  sealed_ = nullptr;
  discard();
}

void Outflow::discard() {
  packets_ += writer_.packets();
  writer_ = FrameWriter(std::as_writable_bytes(std::span(waste_)), crc_);
}

std::uint32_t Outflow::make_room() {
  if (!waste_.empty())
    discard();
  else if (writer_.has_buffer() && !try_seal())
    return 0;
  if (!provide_buffer()) return 0;
  return writer_.room();
}

std::uint32_t Outflow::part_room(std::uint32_t least, std::uint32_t most) {
  if (!waste_.empty()) discard();
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
  if (kept_ != nullptr) header.held = inflow_->held();
  return header;
}

/// Numbers the frame being filled and tries to send it. If the transport is busy, the frame waits
/// in sealed_. False if the window is full or an earlier frame still waits.
bool Outflow::try_seal() {
  if (sealed_ != nullptr && !try_send_sealed()) return false;
  if (sent_ - freed_ >= window_) return false;
  if (in_flight() == 0) waiting_since_ = transport_->now();
  packets_ += writer_.packets();
  filling_->bytes = writer_.finish(header(++sent_)).size();
  filling_->slot = static_cast<std::uint32_t>(sent_ % window_);
  if (kept_ != nullptr) kept_->add(sent_, *filling_);
  sealed_ = std::exchange(filling_, nullptr);
  (void)try_send_sealed();
  return true;
}

bool Outflow::try_send_sealed() {
  if (!transport_->try_send(*sealed_)) return false;
  if (kept_ != nullptr) kept_->sent(*sealed_, transport_->now());
  sealed_ = nullptr;
  return true;
}

bool Outflow::try_flush() {
  if (sealed_ != nullptr && !try_send_sealed()) return false;
  return writer_.empty() || (try_seal() && sealed_ == nullptr);
}

bool Outflow::try_acknowledge(bool asks) {
  if (acknowledging_) return false;
  FrameWriter writer(acknowledgement_->buffer, crc_);
  const auto before = std::pair(announced_received_, announced_freed_);
  FrameHeader said = header(0);
  said.flags = (answers_ == Answer::damage ? kRefusedDamage : 0) | (asks ? kAsks : 0);
  acknowledgement_->bytes = writer.finish(said).size();
  acknowledging_ = transport_->try_send(*acknowledgement_);
  if (acknowledging_)
    answers_ = Answer::none;
  else
    std::tie(announced_received_, announced_freed_) = before;
  return acknowledging_;
}

void Outflow::completed(Operation& operation) {
  if (&operation == acknowledgement_)
    acknowledging_ = false;
  else if (kept_ == nullptr || kept_->completed(operation))
    free_.push_back(&operation);
}

bool Outflow::acknowledged(const FrameHeader& header) {
  const bool has_received = header.received > received_ && header.received <= sent_;
  const bool has_freed = header.freed > freed_ && header.freed <= sent_;
  if (has_received) {
    received_ = header.received;
    waiting_since_ = transport_->now();
  }
  if (has_freed) freed_ = header.freed;
  if (kept_ == nullptr) return has_received || has_freed;
  const Clock::time_point now = transport_->now();
  if (has_received || has_freed) kept_->acknowledged(received_, now, free_);
  kept_->told(header, now);
  if ((header.flags & kAsks) != 0) answer(Answer::state);
  return has_received || has_freed;
}

/// Resends the frame that is due, if there is one. Otherwise the window may be full although the
/// other end has received everything, because its last acknowledgement was lost. Then this asks the
/// other end for an acknowledgement after a timeout.
void Outflow::repeat(Clock::time_point now) {
  if (Operation* const operation = kept_->due(now)) {
    if (transport_->try_send(*operation)) kept_->sent(*operation, now);
    return;
  }
  if (is_stuck() && kept_->is_late(now) && try_acknowledge(true)) kept_->asked(now);
}

}  // namespace toroid::ofi
