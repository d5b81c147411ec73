// The patent's method: every node holds whole lines of an array of any number of axes and
// transforms them; all nodes exchange everything before the next axis.
//
//   lines along the last axis --all--> lines along the one before --all--> ... along the first
//
// The lines of an axis are numbered in C order of the other axes and shared out in blocks by rank,
// as in FIG. 4 and 6, where node Q11 has the first row and then the first column. The patent says
// "any assignment is feasible"; in_boxes and out_boxes choose another one at the two ends.
//
// Source: U.S. Pat. No. 7,315,877, FIG. 3 to 8.
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "fft/layout/box.hpp"
#include "fft/layout/distribution.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/extents.hpp"
#include "hal/check.hpp"
#include "hal/shape.hpp"

namespace toroid::fft {
namespace {

AxisOrder lines_order(unsigned axis) {
  AxisOrder order{};
  std::size_t level = 0;
  for (std::uint8_t a = 0; a < kMaxAxes; ++a)
    if (a != axis) order[level++] = a;
  order[level] = kBatchAxis;  // the same lines of every array on the same node
  order[level + 1] = static_cast<std::uint8_t>(axis);
  return order;
}

std::int64_t lines_along(const Index& extents, unsigned axis) {
  return Box::of(extents).volume() / extents[axis] / extents[kBatchAxis];
}

Distribution rows(const Index& extents, unsigned axis, Rank nodes) {
  return {extents, [=](Rank node) {
            const Split lines{lines_along(extents, axis), nodes};
            const std::int64_t batch = extents[kBatchAxis];
            return NodeLayout::lines(Box::of(extents), lines_order(axis), lines.begin(node) * batch,
                                     lines.end(node) * batch);
          }};
}

void check_lines(const Index& extents, std::size_t axes, const Shape& shape) {
  std::int64_t most = 0;
  for (unsigned axis = 0; axis < axes; ++axis) most = std::max(most, lines_along(extents, axis));
  if (std::int64_t{shape.size()} > most)
    throw BadInput(fmt::format("the array has at most {} lines to share out; torus {} has {} nodes",
                               most, shape.text(), shape.size()));
}

}  // namespace

Stages rows_stages(const Description& description, const Shape& shape) {
  const std::size_t dims = description.size.size();
  const Rank nodes = shape.size();
  const Index result = out_extents(description);
  check_lines(result, dims, shape);
  Index extents = in_extents(description);
  Stages stages;
  for (auto axis = static_cast<unsigned>(dims); axis-- > 0;) {
    Axes axes{};
    axes[axis] = true;
    const bool real = description.real && axis + 1 == dims;
    if (axis + 1 < dims) stages.exchanges.push_back({0, shape.dims(), {}, {}});
    const Distribution in = rows(extents, axis, nodes);
    extents = with_axes(extents, axes, result);
    stages.stages.push_back(
        {name_of(axes, dims), in, rows(extents, axis, nodes), axes, real, false, false, !real});
  }
  if (description.return_to_input && dims > 1) {
    stages.exchanges.push_back({0, shape.dims(), {}, {}});
    const Distribution back = rows(result, static_cast<unsigned>(dims) - 1, nodes);
    stages.stages.push_back({"return", back, back, {}, false, false, false, true});
  }
  return stages;
}

}  // namespace toroid::fft
