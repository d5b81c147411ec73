#include "router/ring/direct_node.hpp"

#include <algorithm>

namespace toroid::ring {

DirectNode::DirectNode(const Machinery& machinery, Rank rank, std::span<TaggedMemory> inward,
                       std::span<TaggedSender> outward)
    : RingNode(machinery, rank), out_(outward) {
  for (TaggedMemory& memory : inward) in_.emplace_back(memory);
}

bool DirectNode::has_news() const {
  return std::any_of(in_.begin(), in_.end(),
                     [](const TaggedReceiver& ring) { return ring.front() != nullptr; });
}

/// FIFO by FIFO, each as far as its head finds room.
void DirectNode::forward() {
  for (unsigned f = 0; f < fifo_count(); ++f)
    while (!fifo(f).empty() && send_some(f)) continue;
}

bool DirectNode::send_some(unsigned f) {
  const SendDescriptor& front = fifo(f).front();
  TaggedSender& ring = out_[front.header.destination()];
  if (ring.room() == 0 && !ring.refresh()) return false;
  const std::uint32_t count = std::min(front.left(), ring.room());
  write_front(f, count, ring);
  count_hops(count);
  return true;
}

std::size_t DirectNode::receive(PacketSink& sink, std::size_t limit) {
  std::size_t count = 0;
  for (TaggedReceiver& ring : in_)
    for (const Packet* packet; count < limit && (packet = ring.front()) != nullptr; ++count) {
      count_delivered();
      sink.arrive(*packet);
      ring.pop();
    }
  arrived_ = count == limit;
  return count;
}

void DirectNode::give_back() {
  for (TaggedReceiver& ring : in_) ring.publish();
}

bool DirectNode::holds_packets() const {
  bool any = false;
  for (unsigned f = 0; f < fifo_count(); ++f) any |= !fifo(f).empty();
  return any;
}

}  // namespace toroid::ring
