// How an array is distributed over the machine: which node holds which elements, and where.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/layout/node_layout.hpp"
#include "hal/shape.hpp"

namespace toroid::fft {

/// Every node's part of an array. Every element belongs to exactly one node.
struct Distribution {
  Index extents{};                         ///< of the whole array
  std::function<NodeLayout(Rank)> layout;  ///< the part of a node
};

/// How the exchange between two distributions is cut into pieces, one of which travels after the
/// other. If it is cut, every sender's part is a single box, and every receiver holds whole lines
/// along the axis.
struct PieceRule {
  unsigned axis = 0;
  std::int64_t planes = 0;  ///< planes of a piece along the axis; 0: everything is one piece
  /// A piece has half of the planes that are left, rounded down, `planes` at most and one at least.
  bool taper = false;
};

/// How the planes of one node are cut: into pieces of equal length, then shorter ones.
class PieceCut {
 public:
  PieceCut() = default;  ///< no pieces
  /// REQUIRES: rule.planes > 0.
  PieceCut(const PieceRule& rule, std::int64_t length);

  std::uint32_t pieces() const { return whole_ + static_cast<std::uint32_t>(tail_.size()); }
  std::int64_t begin(std::uint32_t piece) const;   ///< planes before it; REQUIRES: it exists
  std::int64_t length(std::uint32_t piece) const;  ///< planes; REQUIRES: it exists
  /// Pieces of a kind differ by a shift only: kind 0 are the long ones, each shorter piece is a
  /// kind of its own.
  std::uint32_t kind(std::uint32_t piece) const { return piece < whole_ ? 0 : piece - whole_ + 1; }
  std::uint32_t kinds() const { return static_cast<std::uint32_t>(tail_.size()) + 1; }

 private:
  std::uint32_t whole_ = 0;
  std::int64_t planes_ = 0;
  std::vector<std::int64_t> tail_;  ///< lengths of the shorter pieces
};

/// Node r holds boxes[r], without gaps in C order.
Distribution distribution_of_boxes(const Index& extents, std::vector<Box> boxes);

/// The same parts; those that are a single box lie without gaps in C order.
Distribution without_gaps(const Distribution& distribution);

/// Throws BadInput unless the boxes, one per node, cover the array without overlaps. `what` names
/// the boxes in the message.
void check_boxes(const Index& extents, std::span<const Box> boxes, Rank nodes,
                 std::string_view what);

}  // namespace toroid::fft
