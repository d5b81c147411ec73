// How an array is spread over the machine: which node holds which elements, and where.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/layout/node_layout.hpp"
#include "hal/shape.hpp"

namespace toroid {

/// Every node's part of an array. Every element belongs to exactly one node.
struct Distribution {
  Index extents{};  ///< of the array
  std::function<NodeLayout(Rank)> layout;
};

/// How every node's part is cut into the pieces that travel one after the other. With pieces, every
/// node's part is a single box, and what receives it holds the whole axis.
struct PieceRule {
  unsigned axis = 0;
  std::int64_t planes = 0;  ///< of a piece along the axis; 0: everything is one piece
};

/// The box that each node holds, by rank, without gaps in C order.
Distribution distribution_of_boxes(const Index& extents, std::vector<Box> boxes);

/// The same parts, those of a single box without gaps in C order.
Distribution without_gaps(const Distribution& distribution);

/// Throws BadInput where the boxes, one per node, are not inside the array, overlap, or leave
/// something out; `what` says which boxes in the message.
void check_boxes(const Index& extents, std::span<const Box> boxes, Rank nodes,
                 std::string_view what);

}  // namespace toroid
