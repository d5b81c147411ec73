#include "fft/transform_bounds.hpp"

#include <cmath>

namespace toroid {

/// What one exchange asks of links and nodes.
struct TransformBounds::Tally {
  LinkLoad load;                         ///< of the group being tallied
  std::vector<std::uint64_t> out_bytes;  ///< per node
  std::vector<Tick> busy;                ///< per node
  std::uint64_t packets = 0;
  std::uint64_t payload_bytes = 0;
};

TransformBounds::TransformBounds(const Decomposition& decomposition, const Machine& machine)
    : decomposition_(&decomposition),
      machine_(machine),
      load_(decomposition.grid().shape()),
      processor_(decomposition.grid().shape().size()) {}

Tick TransformBounds::cycles(double bytes) const {
  return static_cast<Tick>(std::ceil(bytes * 8 / machine_.link_bits_per_cycle));
}

MessageCost TransformBounds::cost(const Transfer& transfer) const {
  MessageCost sum{0, 0};
  transfer.for_each_stretch([&](std::uint64_t elements, std::uint64_t times) {
    const MessageCost stretch = message_cost(machine_, elements * sizeof(Complex));
    sum.packets += times * stretch.packets;
    sum.wire_bytes += times * stretch.wire_bytes;
  });
  return sum;
}

void TransformBounds::tally_group(const Exchange& exchange, const Group& group,
                                  Tally& tally) const {
  const ProcessGrid& grid = decomposition_->grid();
  Transfer transfer;
  std::vector<NodeLayout> to;
  for (Rank t = 0; t < group.size(); ++t)
    to.push_back(decomposition_->layout(exchange.to, grid.coord(group.rank(t))));
  for (Rank s = 0; s < group.size(); ++s) {
    const Rank source = group.rank(s);
    const NodeLayout from = decomposition_->layout(exchange.from, grid.coord(source));
    for (Rank t = 0; t < group.size(); ++t) {
      if (s == t) continue;
      const Rank target = group.rank(t);
      transfer.assign(from, to[t]);
      const MessageCost cost = this->cost(transfer);
      tally.load.add(grid.shape().coord(source), grid.shape().coord(target), cost.wire_bytes);
      tally.out_bytes[source] += cost.wire_bytes;
      tally.busy[source] += cost.packets * machine_.inject_cycles;
      tally.busy[target] += cost.packets * machine_.receive_cycles;
      tally.packets += cost.packets;
      tally.payload_bytes += transfer.size() * sizeof(Complex);
    }
  }
}

ExchangeBounds TransformBounds::add(const VolumetricPhase& phase) {
  ExchangeBounds bounds;
  if (phase.exchange) bounds = add_exchange(*phase.exchange);
  add_transforms(phase);
  return bounds;
}

ExchangeBounds TransformBounds::add_exchange(const Exchange& exchange) {
  const ProcessGrid& grid = decomposition_->grid();
  const Rank nodes = grid.shape().size();
  const Shape slice = grid.slice(exchange.first_axis, exchange.last_axis);
  ExchangeBounds bounds;
  Tally tally{LinkLoad(grid.shape()), std::vector<std::uint64_t>(nodes), std::vector<Tick>(nodes)};
  for (Rank node = 0; node < nodes; ++node) {
    const Group group = grid.group(exchange.first_axis, exchange.last_axis, node);
    if (group.self() != 0) continue;  // each group once
    tally.load = LinkLoad(grid.shape());
    tally_group(exchange, group, tally);
    bounds.hottest_link =
        std::max(bounds.hottest_link, cycles(tally.load.hottest_bytes(group.size())));
    load_.add(tally.load);
  }
  const double links = std::max(1u, usable_links(slice));
  for (Rank node = 0; node < nodes; ++node) {
    const auto bytes = static_cast<double>(tally.out_bytes[node]);
    bounds.injection = std::max(bounds.injection, cycles(bytes / links));
    bounds.processor = std::max(bounds.processor, tally.busy[node]);
    processor_[node] += tally.busy[node];
  }
  bounds.packets = tally.packets;
  bounds.payload_bytes = tally.payload_bytes;
  longest_exchange_ = std::max(longest_exchange_, bounds.max());
  hottest_exchange_ = std::max(hottest_exchange_, bounds.hottest_link);
  const auto payload = static_cast<std::uint64_t>(decomposition_->volume()) * sizeof(Complex);
  paper_model_ += paper_model_exchange(machine_, slice, payload / nodes);
  return bounds;
}

void TransformBounds::add_transforms(const VolumetricPhase& phase) {
  const Decomposition& decomposition = *decomposition_;
  const Rank nodes = decomposition.grid().shape().size();
  const auto cycles = [&](std::int64_t elements) {
    return transform_cycles(machine_, elements, decomposition.size(), phase.axes);
  };
  for (Rank node = 0; node < nodes; ++node) {
    const GridCoord at = decomposition.grid().coord(node);
    processor_[node] += cycles(decomposition.layout(phase.distribution, at).size());
  }
  paper_model_ += cycles(decomposition.volume()) / nodes;
}

Tick TransformBounds::hottest_link() const {
  const Rank nodes = decomposition_->grid().shape().size();
  return std::max(hottest_exchange_, cycles(load_.hottest_bytes(nodes)));
}

Tick TransformBounds::total() const {
  Tick longest = std::max(longest_exchange_, hottest_link());
  for (const Tick busy : processor_) longest = std::max(longest, busy);
  return longest;
}

}  // namespace toroid
