#include "tools/report/tracer.hpp"

#include <algorithm>
#include <limits>

namespace toroid {

Tracer::Tracer(const Shape& shape, const Machine& machine, std::size_t most_slices)
    : fifos_(machine.injection_fifos + machine.priority_injection_fifos),
      most_slices_(most_slices),
      drawn_(std::size_t{shape.size()} * fifos_) {
  for (unsigned chunks = 1; chunks <= kMaxChunks; ++chunks)
    wire_cycles_[chunks] = machine.wire_cycles(machine.wire_bytes(chunks));
}

void Tracer::on_inject(Tick now, Rank, unsigned fifo, const ProbedPacket& packet) {
  if (keeps(packet.serial)) waiting_.insert({packet.serial, {now, fifo}});
}

void Tracer::on_hop(Tick now, Rank node, Direction direction, VirtualChannel,
                    const ProbedPacket& packet) {
  if (!keeps(packet.serial)) return;
  if (node == packet.source) leave_fifo(now, node, packet);
  if (!keeps(packet.serial))
    return;  // adding its stay in the FIFO made the tracer drop this packet
  add(packet, now, now + wire_cycles_[packet.chunks], node, direction.index);
}

void Tracer::on_deliver(Tick now, Rank node, const ProbedPacket& packet) {
  if (!keeps(packet.serial)) return;
  if (node == packet.source) leave_fifo(now, node, packet);
  if (!keeps(packet.serial)) return;
  add(packet, now, now, node, TraceSlice::kDelivered);
}

/// Adds the stay in the injection FIFO when the packet first moves. A FIFO holds several packets,
/// but a track shows one at a time: each from the moment at which the previous one left.
void Tracer::leave_fifo(Tick now, Rank node, const ProbedPacket& packet) {
  const auto found = waiting_.find(packet.serial);
  if (found == waiting_.end()) return;
  const auto [since, fifo] = found->second;
  waiting_.erase(found);
  Tick& drawn = drawn_[std::size_t{node} * fifos_ + fifo];
  add(packet, std::clamp(drawn, since, now), now, node, TraceSlice::kFifo + fifo);
  drawn = now;
}

void Tracer::add(const ProbedPacket& packet, Tick begin, Tick end, Rank node, unsigned track) {
  constexpr Tick kLongest = std::numeric_limits<std::uint32_t>::max();
  if (slices_.size() >= most_slices_) {
    halve();
    if (!keeps(packet.serial)) return;
  }
  slices_.push_back({packet.serial, begin, node, packet.source, packet.destination,
                     static_cast<std::uint32_t>(std::min(end - begin, kLongest)),
                     static_cast<std::uint16_t>(track), static_cast<std::uint16_t>(packet.chunks)});
}

void Tracer::halve() {
  ++halvings_;
  std::erase_if(slices_, [&](const TraceSlice& slice) { return !keeps(slice.serial); });
  std::erase_if(waiting_, [&](const auto& one) { return !keeps(one.first); });
}

}  // namespace toroid
