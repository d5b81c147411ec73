#include <deque>

#include "router/ring/direct_node.hpp"
#include "router/ring/wiring.hpp"

namespace toroid::ring {
namespace {

/// Each worker finds as much room at a node as the hardware's reception buffer has.
ChannelSlots capacity_of(const Machine& machine) {
  const unsigned packets = machine.reception_fifos * (machine.reception_fifo_chunks / kMaxChunks);
  return {static_cast<std::uint16_t>(packets), 0, 0, 0};
}

class SwitchWiring final : public Wiring {
 public:
  SwitchWiring(const Machinery& machinery, const Placement& placement) {
    const Rank size = machinery.shape.size();
    const std::size_t workers = placement.workers.size();
    for (Rank node = 0; node < size; ++node) add_reception(workers, machinery.machine);
    std::vector<std::size_t> owner(size);
    for (std::size_t w = 0; w < workers; ++w) {
      add_senders(w);
      for (const Rank node : placement.workers[w].nodes) owner[node] = w;
    }
    for (Rank node = 0; node < size; ++node)
      nodes_.emplace_back(machinery, node, receptions_[node].inward, senders_[owner[node]]);
  }

  DirectNode& node(Rank rank) override { return nodes_[rank]; }
  void allocate(Rank rank) override {
    for (LinkMemory& link : receptions_[rank].inward) link.allocate();
  }
  unsigned sources() const override { return 0; }
  std::optional<RoutedPacket> head(Rank, Source) const override { return std::nullopt; }

 private:
  void add_reception(std::size_t workers, const Machine& machine) {
    Reception& reception = receptions_.emplace_back(workers);
    for (std::size_t w = 0; w < workers; ++w) {
      reception.inward[w].pushed = &reception.pushed[w].word;
      reception.inward[w].popped = &reception.popped[w].word;
      reception.inward[w].capacity = capacity_of(machine);
    }
  }

  void add_senders(std::size_t worker) {
    std::vector<LinkSender>& senders = senders_.emplace_back();
    for (const Reception& reception : receptions_) senders.emplace_back(reception.inward[worker]);
  }

  std::deque<Reception> receptions_;             ///< [rank]
  std::deque<std::vector<LinkSender>> senders_;  ///< [worker][rank]
  std::deque<DirectNode> nodes_;                 ///< [rank]
};

}  // namespace

std::unique_ptr<Wiring> wire_switch(const Machinery& machinery, const Placement& placement) {
  return std::make_unique<SwitchWiring>(machinery, placement);
}

}  // namespace toroid::ring
