#include "router/ofi/direct_gateway.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "router/ofi/buffers.hpp"
#include "router/ofi/flow.hpp"
#include "router/ofi/frame.hpp"
#include "router/ofi/gateway.hpp"
#include "router/ofi/host_device.hpp"
#include "router/ofi/wire.hpp"
#include "router/placement/partition.hpp"
#include "router/placement/placement.hpp"
#include "router/shm/device.hpp"
#include "router/shm/direct/switch_topology.hpp"
#include "router/shm/direct/tagged_ring.hpp"
#include "router/shm/torus/link.hpp"

namespace toroid::ofi {
namespace {

/// The worker that serves the gateway.
constexpr std::size_t kOwnWorker = 0;
/// Slots of the ring from another worker to the gateway.
constexpr std::uint32_t kWayOutSlots = 1024;

const std::byte* behind(const std::byte* at, std::uint32_t packets) {
  for (std::uint32_t i = 0; i < packets; ++i)
    at += framed_bytes(packet_at(at).header.payload_bytes());
  return at;
}

}  // namespace

std::uint32_t DirectGateway::Near::room(Rank to) {
  out_ = &gateway_.out(gateway_.partition_.owner(to));
  return out_->room();
}

DirectGateway::Far::Far(std::uint32_t capacity) {
  memory.capacity = capacity;
  memory.allocate();
  sender.emplace(memory);
  receiver.emplace(memory);
}

std::uint32_t DirectGateway::Far::room(Rank) {
  if (sender->room() == 0) sender->refresh();
  return sender->room();
}

DirectGateway::DirectGateway(Wire& wire, Buffers& buffers, std::span<const FlowIdentity> identities,
                             const ring::Machinery& machinery, const Partition& partition,
                             const Placement& placement)
    : Gateway(wire, buffers, partition.processes(), identities),
      machinery_(machinery),
      partition_(partition),
      near_(*this),
      far_(placement.workers.size()),
      worker_of_(machinery.local.size()),
      nodes_(machinery.local.size()) {
  for (std::size_t w = 0; w < far_.size(); ++w)
    if (w != kOwnWorker) far_[w] = std::make_unique<Far>(kWayOutSlots);
}

std::unique_ptr<HostDevice> DirectGateway::make_device(const ring::SwitchPlug& plug) {
  const Rank index = machinery_.local.index(plug.node);
  WayOut& out = plug.worker == kOwnWorker ? static_cast<WayOut&>(near_) : *far_[plug.worker];
  auto node = std::make_unique<HostDevice>(machinery_, plug, out, *this);
  worker_of_[index] = plug.worker;
  if (plug.worker == kOwnWorker) {
    nodes_[index] = node.get();
    rings_to_nodes_ = plug.outward;
  }
  return node;
}

bool DirectGateway::is_valid(unsigned, const Run& run, const PacketHeader& header) const {
  return run.port < machinery_.shape.size() && machinery_.local.has(run.port) && run.channel == 0 &&
         header.destination() == run.port && (header.hardware_word() & kHardwareReserved) == 0 &&
         has_valid_order(header, machinery_.shape.dims());
}

void DirectGateway::take(Arrival& arrival) {
  if (arrival.runs_left == 0) return release(arrival);
  const std::byte* at = arrival.view.packets;
  for (const Run& run : arrival.view.runs) {
    hand_over(machinery_.local.index(run.port), {&arrival, at, run.packets});
    at = behind(at, run.packets);
  }
}

void DirectGateway::hand_over(Rank index, const FrameRun& run) {
  if (nodes_[index] != nullptr) return nodes_[index]->arrive(run);
  far_[worker_of_[index]]->inward.emplace_back(index, run);
}

void DirectGateway::taken(Arrival& frame) {
  if (--frame.runs_left == 0) release(frame);
}

bool DirectGateway::collect() {
  bool moved = false;
  for (const auto& far : far_) {
    if (far == nullptr) continue;
    moved |= send_from(*far);
    moved |= bring_to(*far);
  }
  return moved;
}

bool DirectGateway::send_from(Far& far) {
  bool moved = false;
  while (const Packet* packet = far.receiver->front()) {
    const Rank to = packet->header.destination();
    if (near_.room(to) == 0) break;
    ring::copy_packet(*packet, near_.writer()->claim());
    near_.writer()->commit(to, 0, packet->header.without_link_bits());
    far.receiver->pop();
    moved = true;
  }
  if (moved) far.receiver->publish();
  return moved;
}

bool DirectGateway::bring_to(Far& far) {
  bool moved = false;
  while (!far.inward.empty()) {
    auto& [index, run] = far.inward.front();
    moved |= copy_to_ring(run, rings_to_nodes_[index]) > 0;
    if (run.packets > 0) break;
    taken(*run.frame);
    far.inward.pop_front();
  }
  return moved;
}

std::uint32_t DirectGateway::copy_to_ring(FrameRun& run, ring::TaggedSender& ring) {
  if (ring.room() == 0) ring.refresh();
  const std::uint32_t count = std::min(run.packets, ring.room());
  for (std::uint32_t i = 0; i < count; ++i) {
    const Packet& packet = packet_at(run.at);
    copy_payload(ring.claim().payload.data(), packet.payload.data(), packet.header.payload_bytes());
    ring.commit(packet.header);
    run.at += framed_bytes(packet.header.payload_bytes());
  }
  ring.publish();
  run.packets -= count;
  return count;
}

}  // namespace toroid::ofi
