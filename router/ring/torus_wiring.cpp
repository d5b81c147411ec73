#include <deque>

#include "router/ring/torus_node.hpp"
#include "router/ring/wiring.hpp"

namespace toroid::ring {
namespace {

ChannelSlots capacity_of(const Machine& machine) {
  ChannelSlots slots{};
  for (unsigned c = 0; c < kVirtualChannels; ++c) {
    const unsigned packets = machine.channel_chunks(static_cast<VirtualChannel>(c)) / kMaxChunks;
    if (packets < 1 || packets * kMaxChunks > UINT16_MAX)  // tokens are counted in chunks
      throw BadInput(fmt::format("buffers of {} packets; rings hold 1 to {}", packets,
                                 UINT16_MAX / kMaxChunks));
    slots[c] = static_cast<std::uint16_t>(packets);
  }
  return slots;
}

class TorusWiring final : public Wiring {
 public:
  TorusWiring(const Machinery& machinery, RoutingOptions options)
      : mailboxes_(machinery.shape.size()) {
    const Shape& shape = machinery.shape;
    for (Rank node = 0; node < shape.size(); ++node) connect(shape, node, machinery.machine);
    for (Rank node = 0; node < shape.size(); ++node)
      nodes_.emplace_back(machinery, node, options, mailboxes_[node], outward_of(shape, node));
  }

  TorusNode& node(Rank rank) override { return nodes_[rank]; }
  void allocate(Rank rank) override {
    for (LinkMemory& link : mailboxes_[rank].inward) link.allocate();
  }
  unsigned sources() const override { return nodes_.front().sources(); }
  std::optional<RoutedPacket> head(Rank node, Source source) const override {
    return nodes_[node].head(source);
  }

 private:
  /// The links that end at `node`. Where there is none, both words are its own and never change.
  void connect(const Shape& shape, Rank node, const Machine& machine) {
    Mailbox& box = mailboxes_[node];
    for (unsigned l = 0; l < shape.links(); ++l) {
      const Direction travelling{static_cast<std::uint8_t>(l)};
      const auto upstream = shape.neighbour(node, travelling.opposite());
      box.inward[l].pushed = &box.pushed.word[l];
      box.inward[l].popped = &mailboxes_[upstream.value_or(node)].popped.word[l];
      if (upstream) box.inward[l].capacity = capacity_of(machine);
    }
  }

  std::vector<const LinkMemory*> outward_of(const Shape& shape, Rank node) const {
    std::vector<const LinkMemory*> links;
    for (unsigned l = 0; l < shape.links(); ++l) {
      const auto downstream = shape.neighbour(node, {static_cast<std::uint8_t>(l)});
      links.push_back(&mailboxes_[downstream.value_or(node)].inward[l]);
    }
    return links;
  }

  std::vector<Mailbox> mailboxes_;  ///< [rank]
  std::deque<TorusNode> nodes_;     ///< [rank]
};

}  // namespace

double torus_bytes(const Shape& shape, const Machine& machine) {
  double packets = 0;
  for (const std::uint16_t slots : capacity_of(machine)) packets += slots;
  return packets * sizeof(Packet) * shape.links() * shape.size();
}

std::unique_ptr<Wiring> wire_torus(const Machinery& machinery, RoutingOptions options) {
  const unsigned sources =
      machinery.shape.links() * kVirtualChannels + machinery.machine.injection_fifos;
  if (sources > 64)  // a bit each
    throw BadInput(
        fmt::format("{} channels and injection FIFOs per node; a node of rings holds 64", sources));
  return std::make_unique<TorusWiring>(machinery, options);
}

}  // namespace toroid::ring
