#include "fft/layout/distribution.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "hal/check.hpp"

namespace toroid::fft {
namespace {

void check_box(const Index& extents, const Box& box, Rank node, std::string_view what) {
  for (unsigned axis = 0; axis < kAxes; ++axis) {
    if (box.lo[axis] > box.hi[axis])
      throw BadInput(fmt::format("{} of node {}, {}, ends before it begins along axis {}", what,
                                 node, text_of(box), axis));
    if (box.lo[axis] < 0 || box.hi[axis] > extents[axis])
      throw BadInput(
          fmt::format("{} of node {}, {}, is not inside the array", what, node, text_of(box)));
  }
}

/// Returns an element that is in no box. REQUIRES: the boxes are inside the array, do not overlap,
/// and leave a gap.
Index gap(const Index& extents, std::span<const Box> boxes) {
  for (Index at{};;) {
    const auto holder =
        std::ranges::find_if(boxes, [&](const Box& box) { return box.contains(at); });
    if (holder == boxes.end()) return at;
    unsigned axis = kMaxAxes - 1;
    at[axis] = holder->hi[axis];  // the box also holds the rest of this row
    for (; axis > 0 && at[axis] == extents[axis]; at[axis--] = 0) ++at[axis - 1];
    TOROID_CHECK_LT(at[0], extents[0]);
  }
}

}  // namespace

PieceCut::PieceCut(const PieceRule& rule, std::int64_t length) : planes_(rule.planes) {
  TOROID_CHECK_LT(0, rule.planes);
  const std::int64_t fit = length / rule.planes;
  whole_ = static_cast<std::uint32_t>(rule.taper ? std::max<std::int64_t>(0, fit - 1) : fit);
  for (std::int64_t left = length - whole_ * planes_; left > 0; left -= tail_.back())
    tail_.push_back(rule.taper ? std::clamp<std::int64_t>(left / 2, 1, planes_) : left);
}

std::int64_t PieceCut::begin(std::uint32_t piece) const {
  if (piece <= whole_) return piece * planes_;
  return std::accumulate(tail_.begin(), tail_.begin() + (piece - whole_), whole_ * planes_);
}

std::int64_t PieceCut::length(std::uint32_t piece) const {
  return piece < whole_ ? planes_ : tail_[piece - whole_];
}

void check_extents(const Index& extents) {
  std::int64_t left = kMostElements;
  for (const std::int64_t extent : extents) {
    const auto text = [&] {
      return fmt::format("an array of {}, batch {}",
                         fmt::join(std::span(extents).first(kMaxAxes), "x"), extents[kBatchAxis]);
    };
    if (extent < 1) throw BadInput(text() + "; expected extents of 1 or more");
    left /= extent;
    if (left == 0) throw BadInput(text() + ", is too large; expected at most 2^56 elements");
  }
}

std::string text_of(const Box& box) {
  std::string text;
  for (unsigned axis = 0; axis < kMaxAxes; ++axis)
    text += fmt::format("{}[{}, {})", axis == 0 ? "" : " x ", box.lo[axis], box.hi[axis]);
  return text;
}

Distribution distribution_of_boxes(const Index& extents, std::vector<Box> boxes) {
  for (Box& box : boxes) {
    box.lo[kBatchAxis] = 0;
    box.hi[kBatchAxis] = extents[kBatchAxis];
  }
  return {extents, [boxes = std::move(boxes)](Rank node) {
            return node < boxes.size() ? NodeLayout::dense(boxes[node]) : NodeLayout();
          }};
}

std::int64_t elements_on(const Distribution& distribution, Rank nodes) {
  std::int64_t elements = 0;
  for (Rank node = 0; node < nodes; ++node) elements += distribution.layout(node).size();
  return elements;
}

Distribution without_gaps(const Distribution& distribution) {
  return {distribution.extents, [layout = distribution.layout](Rank node) {
            NodeLayout part = layout(node);
            return part.boxes().size() == 1 ? NodeLayout::dense(part.boxes()[0]) : part;
          }};
}

void check_boxes(const Index& extents, std::span<const Box> boxes, Rank nodes,
                 std::string_view what) {
  if (boxes.size() != nodes)
    throw BadInput(
        fmt::format("{} {}es for {} nodes; expected one per node", boxes.size(), what, nodes));
  for (Rank node = 0; node < nodes; ++node) check_box(extents, boxes[node], node, what);
  std::int64_t total = 0;
  for (Rank a = 0; a < nodes; ++a) {
    if (boxes[a].volume() == 0) continue;
    total += boxes[a].volume();
    for (Rank b = 0; b < a; ++b)
      if (intersect(boxes[a], boxes[b]).volume() > 0)
        throw BadInput(fmt::format("{}es of nodes {} and {} overlap", what, b, a));
  }
  const std::int64_t volume = Box::of(extents).volume();
  if (total == volume) return;
  const Index missing = gap(extents, boxes);
  throw BadInput(fmt::format("{}es hold {} of the array's {} elements; first missing: ({})", what,
                             total, volume, fmt::join(std::span(missing).first(kMaxAxes), ", ")));
}

}  // namespace toroid::fft
