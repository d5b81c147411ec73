// How an array is distributed over the machine: which node holds which elements, and where.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/layout/node_layout.hpp"
#include "hal/shape.hpp"

namespace toroid::fft {

/// Every node's part of an array. Every element belongs to exactly one node.
struct Distribution {
  Index extents{};                         ///< extents of the whole array
  std::function<NodeLayout(Rank)> layout;  ///< a node's part
};

/// How the exchange between two distributions is cut into pieces, which are sent one after the
/// other. If it is cut, every sender's part is a single box, and every receiver holds whole lines
/// along the axis.
struct PieceRule {
  unsigned axis = 0;
  std::int64_t planes = 0;  ///< planes per piece along the axis; 0 if everything is one piece
  /// If set, each piece has half of the remaining planes, rounded down, but at most `planes` and at
  /// least one.
  bool taper = false;
};

/// How one node's planes are cut: first into pieces of equal length, then into shorter ones.
class PieceCut {
 public:
  PieceCut() = default;  ///< no pieces
  /// REQUIRES: rule.planes > 0.
  PieceCut(const PieceRule& rule, std::int64_t length);

  std::uint32_t pieces() const { return whole_ + static_cast<std::uint32_t>(tail_.size()); }
  std::int64_t begin(std::uint32_t piece) const;   ///< number of planes before a piece
  std::int64_t length(std::uint32_t piece) const;  ///< its number of planes
  /// Pieces of the same kind differ only by a shift. All long pieces are kind 0; each shorter piece
  /// is a kind of its own.
  std::uint32_t kind(std::uint32_t piece) const { return piece < whole_ ? 0 : piece - whole_ + 1; }
  std::uint32_t kinds() const { return static_cast<std::uint32_t>(tail_.size()) + 1; }

 private:
  std::uint32_t whole_ = 0;
  std::int64_t planes_ = 0;
  std::vector<std::int64_t> tail_;  ///< lengths of the shorter pieces
};

/// An array of more elements would have more than 2^60 bytes. Up to here, no place or number of
/// bytes overflows, even with gaps between rows.
inline constexpr std::int64_t kMostElements = std::int64_t{1} << 56;

/// Throws BadInput unless every extent is at least 1 and the array has at most kMostElements.
void check_extents(const Index& extents);

/// The box without its batch axis: "[0, 4) x [2, 6) x ...".
std::string text_of(const Box& box);

/// Node r holds boxes[r], stored in C order without gaps. Nodes without a box hold nothing.
Distribution distribution_of_boxes(const Index& extents, std::vector<Box> boxes);

/// The number of elements that the nodes 0 to `nodes` - 1 hold together.
std::int64_t elements_on(const Distribution& distribution, Rank nodes);

/// The same distribution, except that a part that is a single box is stored in C order without
/// gaps.
Distribution without_gaps(const Distribution& distribution);

/// Throws BadInput unless there is one box per node, no box begins or ends outside the array or
/// ends before it begins, and the boxes cover the array without overlaps. `what` is the word for a
/// box in the message, such as in-box.
void check_boxes(const Index& extents, std::span<const Box> boxes, Rank nodes,
                 std::string_view what);

}  // namespace toroid::fft
