#include "router/ofi/kept_frames.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "hal/packet_crc.hpp"

namespace toroid::ofi {
namespace {

constexpr unsigned kHeldBits = 32;

std::uint32_t crc_of(const Operation& operation) {
  std::uint32_t crc;
  std::memcpy(&crc, operation.buffer.data() + offsetof(FrameHeader, crc), sizeof crc);
  return crc;
}

}  // namespace

void RoundTrip::add(Clock::duration sample) {
  backed_off_ = 0;
  sample = std::min<Clock::duration>(sample, kMostSample);
  if (smoothed_ == Clock::duration{}) {
    smoothed_ = sample;
    deviation_ = sample / 2;
    return;
  }
  const Clock::duration error = sample > smoothed_ ? sample - smoothed_ : smoothed_ - sample;
  deviation_ += (error - deviation_) / 4;
  smoothed_ += (sample - smoothed_) / 8;
}

Clock::duration RoundTrip::timeout() const {
  const Clock::duration once = std::max<Clock::duration>(kLeastTimeout, smoothed_ + 4 * deviation_);
  const Clock::duration most = std::max<Clock::duration>(kMostTimeout, once);
  return std::min(most, once * (1 << backed_off_));
}

void KeptFrames::add(std::uint64_t sequence, Operation& operation) {
  operation.user = last_ = sequence;
  frame(sequence) = {.operation = &operation};
  const std::uint64_t before = (sequence - 1) % sent_crcs_.size();
  sent_crcs_[sequence % sent_crcs_.size()] = chained_crc(sent_crcs_[before], crc_of(operation));
}

void KeptFrames::sent(const Operation& operation, Clock::time_point now) {
  Frame& sent = frame(operation.user);
  if (sent.transmission == 0 && operation.user == first_) progressed_at_ = now;
  if (sent.transmission > 0) {
    ++repeats_;
    if (!sent.is_overtaken) trip_.back_off();
  }
  sent.transmission = ++transmissions_;
  ++sent.times;
  sent.at = now;
  sent.rests = false;
  sent.is_overtaken = false;
}

bool KeptFrames::completed(const Operation& operation) {
  Frame& done = frame(operation.user);
  if (done.operation != &operation) return true;
  done.rests = true;
  return false;
}

void KeptFrames::acknowledged(std::uint64_t received, Clock::time_point now,
                              std::vector<Operation*>& free) {
  for (; first_ <= received; ++first_) {
    Frame& gone = frame(first_);
    if (!gone.is_held) arrived(gone, now);
    Operation* const operation = std::exchange(gone.operation, nullptr);
    if (gone.rests) free.push_back(operation);
  }
  progressed(now);
}

/// Measures the round trip only if the frame was sent once: otherwise it is unknown which
/// transmission has arrived.
void KeptFrames::arrived(const Frame& frame, Clock::time_point now) {
  latest_arrived_ = std::max(latest_arrived_, frame.transmission);
  if (frame.times == 1) trip_.add(now - frame.at);
}

void KeptFrames::progressed(Clock::time_point now) {
  progressed_at_ = now;
}

void KeptFrames::told(const FrameHeader& header, Clock::time_point now) {
  for (unsigned bit = 0; bit < kHeldBits; ++bit) {
    const std::uint64_t sequence = header.received + 2 + bit;
    if ((header.held >> bit & 1) == 0 || sequence < first_ || sequence > last_) continue;
    if (!std::exchange(frame(sequence).is_held, true)) arrived(frame(sequence), now);
  }
  note_overtaken();
  if ((header.flags & kRefusedDamage) != 0 && first_ <= last_) frame(first_).is_overtaken = true;
}

void KeptFrames::note_overtaken() {
  for (std::uint64_t sequence = first_; sequence <= last_; ++sequence) {
    Frame& kept = frame(sequence);
    kept.is_overtaken |= kept.transmission > 0 && kept.transmission < latest_arrived_;
  }
}

Operation* KeptFrames::due(Clock::time_point now) const {
  for (std::uint64_t sequence = first_; sequence <= last_; ++sequence)
    if (is_due(frame(sequence), now)) return frame(sequence).operation;
  if (first_ > last_ || !frame(first_).rests) return nullptr;
  const Frame& oldest = frame(first_);
  const bool is_late = now - std::max(oldest.at, progressed_at_) >= trip_.timeout();
  return is_late ? oldest.operation : nullptr;
}

bool KeptFrames::is_due(const Frame& frame, Clock::time_point now) const {
  return frame.is_overtaken && frame.rests && !frame.is_held &&
         now - frame.at >= trip_.smoothed() + trip_.smoothed() / 4;
}

void KeptFrames::asked(Clock::time_point now) {
  progressed_at_ = now;
  trip_.back_off();
}

bool KeptFrames::is_unanswered(Clock::time_point now, Clock::duration patience) const {
  if (first_ > last_) return false;
  const Frame& oldest = frame(first_);
  return oldest.times >= kManyTimes || (!oldest.rests && now - oldest.at > patience);
}

}  // namespace toroid::ofi
