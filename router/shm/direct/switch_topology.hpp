// Rings from every worker to every node of the process, as through a switch.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hal/shape.hpp"
#include "router/placement/placement.hpp"
#include "router/rules/routing.hpp"
#include "router/shm/device.hpp"
#include "router/shm/direct/direct_device.hpp"
#include "router/shm/direct/tagged_ring.hpp"
#include "router/shm/local_nodes.hpp"
#include "router/shm/topology.hpp"

namespace toroid::ring {

/// What a node of the switch is wired to; see DirectNode.
struct SwitchPlug {
  Rank node;
  std::size_t worker;
  std::span<TaggedMemory> inward;
  std::span<TaggedSender> outward;
};

class SwitchWiring final : public Wiring {
 public:
  using NodeFactory = std::function<std::unique_ptr<DirectNode>(const SwitchPlug&)>;

  SwitchWiring(const Machinery& machinery, const Placement& placement,
               const NodeFactory& make_node);

  DirectNode& node(Rank rank) override { return *nodes_[territory_.index(rank)]; }
  void allocate(Rank rank) override;
  unsigned sources() const override { return 0; }
  std::optional<RoutedPacket> head(Rank, Source) const override { return std::nullopt; }

 private:
  void add_senders(std::size_t worker);

  const Territory& territory_;
  std::vector<std::vector<TaggedMemory>> rings_;    ///< [index in the territory][worker that sends]
  std::deque<std::vector<TaggedSender>> senders_;   ///< [worker][index in the territory]
  std::vector<std::unique_ptr<DirectNode>> nodes_;  ///< [index in the territory]
};

}  // namespace toroid::ring
