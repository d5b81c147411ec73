#include "router/shm/torus/shared_node.hpp"

#include <algorithm>

#include "hal/check.hpp"
#include "hal/route.hpp"

namespace toroid::ring {

RankDevice::RankDevice(SharedNode& node, const Shape& shape, Rank rank)
    : node_(&node), shape_(&shape), rank_(rank) {}

const Machine& RankDevice::machine() const {
  return node_->device_->machine();
}

Tick RankDevice::now() const {
  return node_->device_->now();
}

InjectionFifos& RankDevice::fifos() {
  return node_->device_->fifos();
}

void RankDevice::inject(const SendDescriptor& descriptor, std::uint32_t count, unsigned fifo) {
  check_injection(descriptor, count, fifo);
  if (descriptor.header.hints() == shape_->within_node()) {
    copy(descriptor, count);
    return fifos().release(fifo, descriptor.header.chunks() * count);
  }
  const std::uint64_t before = node_->device_->injected();
  node_->device_->inject(descriptor, count, fifo);
  const std::uint64_t injected = node_->device_->injected() - before;  // 0 if it is refused
  sent_ += injected;
  bytes_ += std::uint64_t{descriptor.header.payload_bytes()} * injected;
}

void RankDevice::copy(const SendDescriptor& descriptor, std::uint32_t count) {
  const PacketHeader& header = descriptor.header;
  Route route;
  if (validate(header, *shape_, shape_->coord(rank_), route) != HeaderError::none) {
    refused_ += count;
    return;
  }
  TOROID_CHECK(descriptor.source != nullptr || header.payload_bytes() == 0);
  for (std::uint32_t i = 0; i < count; ++i) {
    Packet& packet = node_->ranks_[header.processor()].received_.emplace_back();
    packet.header = header;
    if (descriptor.source == nullptr) continue;
    packet.header = header.with_argument(
        descriptor.source->gather(descriptor, descriptor.first + i, packet.payload));
  }
  node_->moved_ = true;
  sent_ += count;
  copies_ += count;
  copied_bytes_ += std::uint64_t{header.payload_bytes()} * count;
}

bool RankDevice::flush() {
  return node_->device_->flush();
}

std::size_t RankDevice::receive(PacketSink& sink, std::size_t limit) {
  std::size_t count = 0;
  for (; count < limit && !received_.empty(); ++count) {
    sink.arrive(received_.front());
    received_.pop_front();
  }
  taken_ += count;
  return count;
}

std::size_t RankDevice::packets_per_turn() const {
  return node_->device_->packets_per_turn();
}

void RankDevice::stop_readers() noexcept {
  node_->device_->stop_readers();
}

NodeTotals RankDevice::totals() const {
  return {.finished = processor_->finished_at(),
          .sent_packets = sent_,
          .received_packets = taken_,
          .packet_bytes = bytes_ + copied_bytes_};
}

SharedNode::SharedNode(RingDevice& device, const Shape& shape, Rank node) : device_(&device) {
  for (unsigned p = 0; p < shape.ranks().per_node(); ++p)
    ranks_.emplace_back(*this, shape, shape.ranks().rank(node, p));
  device.attach(*this);
}

TurnResult SharedNode::turn() {
  moved_ = false;
  const std::size_t limit = device_->packets_per_turn();
  TurnResult all{.again = device_->receive(*this, limit) == limit};
  const auto count = static_cast<unsigned>(ranks_.size());
  for (unsigned i = 0; i < count; ++i) {
    const TurnResult one = ranks_[(first_ + i) % count].processor_->turn();
    all.output_waiting |= one.output_waiting;
    all.again |= one.again;
    all.gone_on |= one.gone_on;
  }
  first_ = (first_ + 1) % count;
  all.gone_on |= moved_;
  all.again |= std::ranges::any_of(ranks_, [](const auto& r) { return !r.received_.empty(); });
  return all;
}

void SharedNode::arrive(const Packet& packet) {
  ranks_[packet.header.processor()].received_.push_back(packet);
  moved_ = true;
}

/// On the torus route nothing moves by put.
std::size_t SharedNode::arrive(const PutDescriptor&) {
  TOROID_CHECK(false);
  return 0;
}

bool SharedNode::finished() const {
  return std::ranges::all_of(ranks_, [](const auto& r) { return r.processor_->finished(); });
}

Tick SharedNode::finished_at() const {
  Tick last = 0;
  for (const RankDevice& rank : ranks_) last = std::max(last, rank.processor_->finished_at());
  return last;
}

std::uint64_t SharedNode::queued() const {
  std::uint64_t packets = 0;
  for (const RankDevice& rank : ranks_) packets += rank.processor_->queued();
  return packets;
}

std::string SharedNode::waits_for() const {
  for (const RankDevice& rank : ranks_)
    if (!rank.processor_->finished()) return rank.processor_->waits_for();
  return "nothing";
}

}  // namespace toroid::ring
