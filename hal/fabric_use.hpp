// Checks that a fabric is used as the protocol of Fabric says.
#pragma once

#include <string>
#include <vector>

#include "hal/shape.hpp"

namespace toroid {

/// The fabrics of toroid have one each and ask it first. All functions throw BadInput, with a
/// message that says what is wrong, before anything has changed.
class FabricUse {
 public:
  /// `shape` must outlive this. `nodes`: the nodes that this process runs.
  FabricUse(const Shape& shape, const std::vector<Rank>& nodes);

  /// For Fabric::device(): throws if this process does not run the node.
  void check(Rank node) const;
  /// For Fabric::attach(): throws also if the node has a processor.
  void attach(Rank node);
  /// For Fabric::detach(): run() throws from now on.
  void detach() { detached_ = true; }
  /// For Fabric::run(): throws if a node has no processor, or if this is not the first run.
  void run();

 private:
  enum class Node : unsigned char { elsewhere, free, attached };
  std::string text(Rank node) const { return shape_->coord_text(node); }

  const Shape* shape_;
  std::vector<Node> nodes_;  ///< [rank]
  bool ran_ = false;
  bool detached_ = false;
};

}  // namespace toroid
