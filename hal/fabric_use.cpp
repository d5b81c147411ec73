#include "hal/fabric_use.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "hal/check.hpp"

namespace toroid {

FabricUse::FabricUse(const Shape& shape, const std::vector<Rank>& nodes)
    : shape_(&shape), nodes_(shape.size(), Node::elsewhere) {
  for (const Rank node : nodes) nodes_[node] = Node::free;
}

void FabricUse::check(Rank node) const {
  if (node >= nodes_.size())
    throw BadInput(
        fmt::format("there is no node {}; the torus has nodes 0 to {}", node, nodes_.size() - 1));
  if (nodes_[node] == Node::elsewhere)
    throw BadInput(fmt::format("node {} runs in another process", text(node)));
}

void FabricUse::attach(Rank node) {
  check(node);
  if (nodes_[node] == Node::attached)
    throw BadInput(fmt::format(
        "node {} has a processor already; a fabric serves one Runner: make another fabric",
        text(node)));
  nodes_[node] = Node::attached;
}

void FabricUse::run() {
  if (ran_) throw BadInput("the fabric has run already; make another one for another run");
  if (detached_) throw BadInput("the Runner of the fabric has been destroyed before the run");
  const auto free = std::ranges::find(nodes_, Node::free);
  if (free != nodes_.end())
    throw BadInput(fmt::format("node {} has no processor; make a Runner on the fabric",
                               text(static_cast<Rank>(free - nodes_.begin()))));
  ran_ = true;
}

}  // namespace toroid
