#include "router/ring/node.hpp"

#include <algorithm>

namespace toroid::ring {

RingNode::RingNode(const Machinery& machinery, Rank rank)
    : machinery_(&machinery),
      rank_(rank),
      here_(machinery.shape.coord(rank)),
      fifos_(tie_fifos(machinery.shape, machinery.machine.injection_fifos,
                       machinery.machine.injection_fifo_chunks, machinery.tying)),
      queues_(fifos_.size()),
      fifo_counters_(fifos_.size()),
      link_counters_(machinery.shape.links()) {}

void RingNode::inject(std::span<const Injection> packets) {
  for (const Injection& injection : packets)
    if (!accept(injection.descriptor, injection.fifo))
      fifos_[injection.fifo].used -= injection.descriptor.header.chunks();
}

bool RingNode::accept(const SendDescriptor& descriptor, unsigned f) {
  if (!is_valid(descriptor.header)) {
    ++refused_;
    return false;
  }
  CHECK(descriptor.source != nullptr || descriptor.header.payload_bytes() == 0);
  const bool was_empty = queues_[f].empty();
  queues_[f].push(descriptor);
  if (was_empty) expose_fifo(f);
  ++injected_;
  ++moves_;
  FifoCounters& counters = fifo_counters_[f];
  ++counters.packets;
  counters.most_chunks = std::max(counters.most_chunks, static_cast<std::uint16_t>(fifos_[f].used));
  return true;
}

/// Packets of one message have one hardware word: only the first is looked at closely.
bool RingNode::is_valid(const PacketHeader& header) {
  if (header.hardware_word() == valid_ && has_valid_software_word(header)) return true;
  Route route;
  if (validate(header, shape(), here_, route) != HeaderError::none) return false;
  valid_ = header.hardware_word();
  return true;
}

void RingNode::write_front(unsigned f, Packet& packet) {
  const SendDescriptor& front = queues_[f].front();
  packet.header = front.header;
  if (front.source != nullptr) {
    front.source->gather(front, packet.payload);
    gathered_ = true;
  }
  fifos_[f].used -= front.header.chunks();
  queues_[f].pop();
}

bool RingNode::step() {
  if (!look() && resting_) return false;
  const std::uint64_t moves = moves_;
  forward();
  if (again_ || gathered_ || output_waiting_ || has_delivery()) take_turn();
  give_back();
  resting_ = quiet();
  return moves_ != moves;
}

void RingNode::take_turn() {
  gathered_ = false;
  const TurnResult result = processor_->turn();
  output_waiting_ = result.output_waiting;
  again_ = result.again;
  moves_ += again_ ? 1 : 0;
  forward();
}

bool RingNode::quiet() const {
  return !again_ && !gathered_ && !output_waiting_ && !has_delivery() && !holds_packets();
}

}  // namespace toroid::ring
