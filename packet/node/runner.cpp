#include "packet/node/runner.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "hal/check.hpp"

namespace toroid {

Runner::Runner(Fabric& fabric, const NodeOptions& options)
    : fabric_(&fabric),
      life_(fabric.life()),
      agreement_(fabric.nodes().size()),
      nodes_(fabric.nodes().size()) {
  const auto shared = std::make_shared<NodeOptions>(options);
  shared->agreement = &agreement_;
  for (const Rank r : fabric.nodes())
    fabric.attach(r, nodes_.emplace_back(fabric.device(r), shared));
  const bool has_others = nodes_.size() < fabric.shape().size();
  if (has_others && nodes_[0].rank() == 0) agreement_.hear_others(nodes_[0]);
}

Runner::~Runner() {
  if (!life_.expired()) fabric_->detach();
}

Node& Runner::node(Rank rank) {
  const auto at = std::ranges::lower_bound(nodes_, rank, {}, &Node::rank);
  if (at == nodes_.end() || at->rank() != rank)
    throw BadInput(fmt::format("node {} is not one of the {} nodes of this process, {} to {}", rank,
                               nodes_.size(), nodes_[0].rank(), nodes_[nodes_.size() - 1].rank()));
  return *at;
}

void Runner::run() {
  if (life_.expired())
    throw BadInput("the fabric was destroyed before the run; it must outlive it");
  ran_ = true;
  fabric_->run();
  for (const Node& node : nodes_) node.check_end();
}

Tick Runner::finished_at() const {
  TOROID_CHECK(ran_);
  Tick last = 0;
  for (const Node& node : nodes_) last = std::max(last, node.finished_at());
  return last;
}

FlowchartProfile Runner::profile() const {
  TOROID_CHECK(ran_);
  FlowchartProfile sum;
  for (const Node& node : nodes_) sum += node.profile();
  return sum;
}

}  // namespace toroid
