#include "fft/layout/distribution.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/layout/node_layout.hpp"
#include "hal/check.hpp"
#include "hal/shape.hpp"

namespace toroid::fft {
namespace {

std::string text_of(const Box& box) {
  std::string text;
  for (unsigned axis = 0; axis < kMaxAxes; ++axis)
    text += fmt::format("{}[{}, {})", axis == 0 ? "" : " x ", box.lo[axis], box.hi[axis]);
  return text;
}

void check_inside(const Index& extents, const Box& box, Rank node, std::string_view what) {
  if (intersect(box, Box::of(extents)) == box) return;
  throw BadInput(
      fmt::format("{} of node {}, {}, is not inside the array", what, node, text_of(box)));
}

/// An element that no box holds. REQUIRES: the boxes are inside the array, do not overlap, and
/// leave a gap.
Index gap(const Index& extents, std::span<const Box> boxes) {
  for (Index at{};;) {
    const auto holder =
        std::ranges::find_if(boxes, [&](const Box& box) { return box.contains(at); });
    if (holder == boxes.end()) return at;
    unsigned axis = kMaxAxes - 1;
    at[axis] = holder->hi[axis];  // the rest of its row is there too
    for (; axis > 0 && at[axis] == extents[axis]; at[axis--] = 0) ++at[axis - 1];
    TOROID_CHECK_LT(at[0], extents[0]);
  }
}

}  // namespace

Distribution distribution_of_boxes(const Index& extents, std::vector<Box> boxes) {
  for (Box& box : boxes) {
    box.lo[kBatchAxis] = 0;
    box.hi[kBatchAxis] = extents[kBatchAxis];
  }
  return {extents,
          [boxes = std::move(boxes)](Rank node) { return NodeLayout::dense(boxes[node]); }};
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
    throw BadInput(fmt::format("{} {}es for {} nodes", boxes.size(), what, nodes));
  std::int64_t total = 0;
  for (Rank a = 0; a < nodes; ++a) {
    if (boxes[a].volume() == 0) continue;
    check_inside(extents, boxes[a], a, what);
    total += boxes[a].volume();
    for (Rank b = 0; b < a; ++b)
      if (intersect(boxes[a], boxes[b]).volume() > 0)
        throw BadInput(fmt::format("{}es of nodes {} and {} overlap", what, b, a));
  }
  const std::int64_t volume = Box::of(extents).volume();
  if (total == volume) return;
  const Index missing = gap(extents, boxes);
  throw BadInput(fmt::format("{}es hold {} of the array's {} elements, and not ({})", what, total,
                             volume, fmt::join(std::span(missing).first(kMaxAxes), ", ")));
}

}  // namespace toroid::fft
