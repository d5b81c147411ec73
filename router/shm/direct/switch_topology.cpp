#include "router/shm/direct/switch_topology.hpp"

#include <algorithm>
#include <cstdint>

#include "hal/machine.hpp"
#include "hal/packet.hpp"

namespace toroid::ring {
namespace {

/// If rings are deeper than the hardware's buffers, all rings together take at most this many
/// bytes, so that they fit in a part of a typical second- or third-level cache.
constexpr std::size_t kRingBytes = std::size_t{8} << 20;
/// Maximum number of slots of such a deeper ring. It is large because a plane of a large transform
/// may arrive while a node computes.
constexpr std::size_t kDeepest = 4096;

/// Slots of a ring: at least as many as the hardware's reception buffer holds packets, and more if
/// there are few nodes. Deep rings help because a node that computes receives nothing, and others
/// should not have to wait for it.
std::uint32_t capacity_of(const Machine& machine, std::size_t rings) {
  const std::size_t least = machine.reception_fifos * (machine.reception_fifo_chunks / kMaxChunks);
  const std::size_t affordable = kRingBytes / (rings * sizeof(Packet));
  return static_cast<std::uint32_t>(std::max(least, std::min(affordable, kDeepest)));
}

}  // namespace

SwitchTopology::SwitchTopology(const SharedDeviceState& shared, const Placement& placement,
                               const DeviceFactory& make_device)
    : local_(shared.local),
      puts_(local_, placement),
      rings_(local_.size()),
      devices_(local_.size()) {
  const std::size_t workers = placement.workers.size();
  for (std::vector<TaggedMemory>& inward : rings_) {
    inward = std::vector<TaggedMemory>(workers);
    for (TaggedMemory& ring : inward)
      ring.capacity = capacity_of(shared.machine, rings_.size() * workers);
  }
  for (std::size_t w = 0; w < workers; ++w) add_senders(w);
  for (std::size_t w = 0; w < workers; ++w)
    for (const Rank node : placement.workers[w].nodes) {
      const Rank index = local_.index(node);
      devices_[index] = make_device({node, w, rings_[index], senders_[w], puts_.port(w)});
      puts_.plug_in(node, *devices_[index]);
    }
}

void SwitchTopology::allocate(Rank rank) {
  for (TaggedMemory& ring : rings_[local_.index(rank)]) ring.allocate();
}

void SwitchTopology::add_senders(std::size_t worker) {
  std::vector<TaggedSender>& senders = senders_.emplace_back();
  for (auto& inward : rings_) senders.emplace_back(inward[worker]);
}

double switch_bytes(const Shape& shape, const Machine& machine, std::size_t workers) {
  const double rings = static_cast<double>(shape.size()) * static_cast<double>(workers);
  return rings * sizeof(Packet) * capacity_of(machine, shape.size() * workers);
}

std::unique_ptr<DevicesAndRings> make_switch_topology(const SharedDeviceState& shared,
                                                      const Placement& placement) {
  return std::make_unique<SwitchTopology>(shared, placement, [&](const SwitchPlug& plug) {
    return std::make_unique<DirectDevice>(shared, plug);
  });
}

}  // namespace toroid::ring
