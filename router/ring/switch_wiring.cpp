#include <algorithm>
#include <deque>

#include "router/ring/direct_node.hpp"
#include "router/ring/wiring.hpp"

namespace toroid::ring {
namespace {

/// What all rings together may take, bytes: a part of a usual second-level cache and of the third.
constexpr std::size_t kRingBytes = std::size_t{8} << 20;
/// Packets that a node may have to take at once while it computes: a plane of a large transform.
constexpr std::size_t kDeepest = 4096;

/// Slots of a ring: at least as much room as the hardware's reception buffer has, more where nodes
/// are few. A node that computes takes nothing, and others should not have to wait for it.
std::uint32_t capacity_of(const Machine& machine, std::size_t rings) {
  const std::size_t least = machine.reception_fifos * (machine.reception_fifo_chunks / kMaxChunks);
  const std::size_t affordable = kRingBytes / (rings * sizeof(Packet));
  return static_cast<std::uint32_t>(std::max(least, std::min(affordable, kDeepest)));
}

class SwitchWiring final : public Wiring {
 public:
  SwitchWiring(const Machinery& machinery, const Placement& placement) {
    const Rank size = machinery.shape.size();
    const std::size_t workers = placement.workers.size();
    for (Rank node = 0; node < size; ++node) {
      rings_.emplace_back(workers);
      for (TaggedMemory& ring : rings_.back())
        ring.capacity = capacity_of(machinery.machine, size * workers);
    }
    std::vector<std::size_t> owner(size);
    for (std::size_t w = 0; w < workers; ++w) {
      add_senders(w);
      for (const Rank node : placement.workers[w].nodes) owner[node] = w;
    }
    for (Rank node = 0; node < size; ++node)
      nodes_.emplace_back(machinery, node, rings_[node], senders_[owner[node]]);
  }

  DirectNode& node(Rank rank) override { return nodes_[rank]; }
  void allocate(Rank rank) override {
    for (TaggedMemory& ring : rings_[rank]) ring.allocate();
  }
  unsigned sources() const override { return 0; }
  std::optional<RoutedPacket> head(Rank, Source) const override { return std::nullopt; }

 private:
  void add_senders(std::size_t worker) {
    std::vector<TaggedSender>& senders = senders_.emplace_back();
    for (const auto& rings : rings_) senders.emplace_back(rings[worker]);
  }

  std::deque<std::vector<TaggedMemory>> rings_;    ///< [rank][worker that sends]
  std::deque<std::vector<TaggedSender>> senders_;  ///< [worker][rank]
  std::deque<DirectNode> nodes_;                   ///< [rank]
};

}  // namespace

double switch_bytes(const Shape& shape, const Machine& machine, std::size_t workers) {
  const double rings = static_cast<double>(shape.size()) * static_cast<double>(workers);
  return rings * sizeof(Packet) * capacity_of(machine, shape.size() * workers);
}

std::unique_ptr<Wiring> wire_switch(const Machinery& machinery, const Placement& placement) {
  return std::make_unique<SwitchWiring>(machinery, placement);
}

}  // namespace toroid::ring
