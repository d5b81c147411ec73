#include "router/shm/device.hpp"

#include "hal/route.hpp"
#include "router/termination/run_control.hpp"

namespace toroid::ring {

RingDevice::RingDevice(const SharedDeviceState& shared, Rank rank,
                       std::span<const InjectionFifo> fifos)
    : shared_(&shared),
      shape_(&shared.shape),
      rank_(rank),
      here_(shared.shape.coord(rank)),
      fifos_(fifos),
      queues_(fifos_.size()),
      fifo_counters_(fifos_.size()),
      link_counters_(shared.shape.links()) {}

void RingDevice::inject(const SendDescriptor& descriptor, std::uint32_t count, unsigned fifo) {
  check_injection(descriptor, count, fifo);
  const SendDescriptor some = descriptor.next(count);
  if (!accept(some, fifo)) fifos_.release(fifo, some.header.chunks() * count);
}

bool RingDevice::accept(const SendDescriptor& descriptor, unsigned f) {
  const std::uint32_t packets = descriptor.left();
  if (!is_valid(descriptor.header)) {
    refused_ += packets;
    return false;
  }
  count_injected(descriptor, f, fifos_.used(f));
  const bool was_empty = queues_[f].empty();
  queues_[f].append(descriptor);
  if (was_empty) expose_fifo(f);
  return true;
}

void RingDevice::count_injected(const SendDescriptor& descriptor, unsigned f, unsigned chunks) {
  const std::uint32_t packets = descriptor.left();
  injected_ += descriptor.is_put ? descriptor.message_packets() : packets;
  moves_ += packets;
  fifo_counters_[f].note(packets, chunks);
}

/// Packets of a message have the same hardware word except for their lengths, so only the first one
/// is fully validated.
bool RingDevice::is_valid(const PacketHeader& header) {
  if (((header.hardware_word() ^ valid_) & ~PacketHeader::kLengthBits) == 0 &&
      payload_fits(header) && has_valid_order(header, shape().torus_dims()))
    return true;
  Route route;
  if (validate(header, shape(), here_, route) != HeaderError::none) return false;
  valid_ = header.hardware_word();
  return true;
}

void RingDevice::stop_readers() noexcept {
  if (shared_->control != nullptr) shared_->control->stop_others();
}

PutDescriptor RingDevice::take_put(unsigned f) {
  const SendDescriptor& front = queues_[f].front();
  const PutDescriptor put = front.source->put(front);
  pop_put(f);
  return put;
}

void RingDevice::pop_put(unsigned f) {
  fifos_.release(f, queues_[f].front().header.chunks());
  queues_[f].pop();
  ++puts_;
  ++moves_;
}

void RingDevice::complete(const PutDescriptor& put) {
  finish(put);
  ++completions_taken_;
}

/// The program of this node may be waiting for the put to finish.
void RingDevice::finish(const PutDescriptor& put) {
  put.source->put_done(put);
  ++moves_;
  gathered_ = true;
  resting_ = false;
}

bool RingDevice::step() {
  if (!look() && resting_) return false;
  const std::uint64_t moves = moves_;
  forward_between_turns();
  if (again_ || gathered_ || output_waiting_ || has_delivery()) take_turn();
  if (again_) take_turn();  // arrived packets usually give the processor something to send
  give_back();
  resting_ = quiet();
  return moves_ != moves;
}

void RingDevice::take_turn() {
  gathered_ = false;
  const TurnResult result = processor_->turn();
  output_waiting_ = result.output_waiting;
  again_ = result.again;
  moves_ += again_ ? 1 : 0;
  own_turns_ += again_ && !result.gone_on ? 1 : 0;
  forward_between_turns();
}

/// If time_packets() has asked for it, measures how long forwarding takes. Within a turn the
/// processor measures that itself.
void RingDevice::forward_between_turns() {
  if (packet_times_ == nullptr || !holds_packets()) return forward();
  const Tick begin = now();
  const std::uint64_t moves = moves_;
  forward();
  if (moves_ != moves) packet_times_->sending += now() - begin;
}

bool RingDevice::quiet() const {
  return !again_ && !gathered_ && !output_waiting_ && !has_delivery() && !holds_packets();
}

}  // namespace toroid::ring
