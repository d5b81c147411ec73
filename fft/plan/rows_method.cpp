// The patent's method, for arrays with any number of axes: every node holds whole lines along an
// axis and transforms them; then all nodes exchange data before the next axis.
//
//   lines along the last axis --all--> lines along the one before --all--> ... along the first
//
// The lines of an axis are numbered in C order of the other axes and assigned in blocks by rank, as
// in FIG. 4 and 6, where node Q11 has the first row and then the first column. The patent says "any
// assignment is feasible"; in_boxes and out_boxes choose another assignment for the input and the
// result. If there are fewer lines than nodes, some nodes have none and wait.
//
// Source: U.S. Pat. No. 7,315,877, FIG. 3 to 8.
#include <cstddef>

#include "fft/layout/box.hpp"
#include "fft/layout/distribution.hpp"
#include "fft/layout/partitions.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/extents.hpp"
#include "hal/shape.hpp"

namespace toroid::fft {

Stages rows_stages(const Description& description, const Shape& shape) {
  const std::size_t dims = description.size.size();
  const Rank nodes = shape.size();
  const Index result = out_extents(description);
  const bool real = stays_real(description);
  Index extents = in_extents(description);
  Stages stages;
  for (auto axis = static_cast<unsigned>(dims); axis-- > 0;) {
    Axes axes{};
    axes[axis] = true;
    const bool halved = keeps_half(description) && axis + 1 == dims;
    if (axis + 1 < dims) stages.exchanges.push_back({0, shape.dims(), {}, {}});
    const Distribution in = line_parts(extents, lines_order(axis), nodes);
    extents = with_axes(extents, axes, result);
    stages.stages.push_back({name_of(axes, dims), in, line_parts(extents, lines_order(axis), nodes),
                             axes, real || halved, real, false, !halved});
  }
  if (description.return_to_input && dims > 1) {
    stages.exchanges.push_back({0, shape.dims(), {}, {}});
    const Distribution back =
        line_parts(result, lines_order(static_cast<unsigned>(dims) - 1), nodes);
    stages.stages.push_back({"return", back, back, {}, real, real, false, true});
  }
  return stages;
}

}  // namespace toroid::fft
