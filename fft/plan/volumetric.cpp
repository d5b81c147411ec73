// The volumetric FFT: nodes hold blocks. Then, for each axis in turn, an exchange gives the nodes
// whole lines along the axis, and they transform these lines.
//
//   blocks --line z--> z lines --plane yz--> y lines --plane xy--> x lines
//
// Axes that the machine does not split need no exchange. They are transformed first and together,
// except that the dft of real data begins with the last axis, which is halved.
//
// Source: Eleftheriou et al., "Scalable framework for 3D FFTs on the Blue Gene/L supercomputer",
// its equations for A'(i,j,k)[x,y,z] and A''(l,k)[p]. Here n_m and alpha need not be the same on
// all nodes: the lengths of blocks and the numbers of lines may differ by one. If there are more
// nodes than lines, some nodes have no lines and wait. The first phase's "return to the original
// distribution" and the second phase's redistribution are one exchange, as in the paper.
#include <cstdint>
#include <optional>
#include <utility>

#include "fft/layout/box.hpp"
#include "fft/layout/distribution.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/extents.hpp"
#include "fft/plan/process_grid.hpp"
#include "hal/shape.hpp"

namespace toroid::fft {
namespace {

/// Planes of equal x lie one after the other, in the order in which they are sent and received.
constexpr AxisOrder kPlanesOfX = {0, kBatchAxis, 1, 2, 3, 4, 5};

class VolumetricStages {
 public:
  VolumetricStages(const Description& description, const Shape& shape)
      : in_(in_extents(description)),
        out_(out_extents(description)),
        halves_(keeps_half(description)),
        real_(stays_real(description)),
        may_leave_gaps_(description.may_leave_gaps),
        grid_(shape, far_along_z(shape)),
        extents_(in_) {}

  Stages make(bool return_to_input) {
    begin();
    const Axes unsplit = this->unsplit();
    if (halves_ && !unsplit[2]) add_lines(2);
    if (unsplit != Axes{}) add_unsplit(unsplit);
    for (unsigned axis = 3; axis-- > 0;)
      if (!done_[axis]) add_lines(axis);
    if (return_to_input) add_return();
    return finish();
  }

 private:
  /// One exchange crosses the torus dimension of x, but two cross that of y and two that of z. So x
  /// gets the longer of the first and the last torus dimension.
  static bool far_along_z(const Shape& shape) {
    if (shape.dims() != 3) return false;
    return shape.extent(2) > shape.extent(0);
  }

  Axes unsplit() const {
    return {grid_.extent(0) == 1, grid_.extent(1) == 1, grid_.extent(2) == 1};
  }

  static Box block(const ProcessGrid& grid, const Index& extents, Rank node) {
    Box block = Box::of(extents);
    const GridCoord at = grid.coord(node);
    for (unsigned axis = 0; axis < 3; ++axis) {
      const Split split{extents[axis], grid.extent(axis)};
      block.lo[axis] = split.begin(at[axis]);
      block.hi[axis] = split.end(at[axis]);
    }
    return block;
  }

  Distribution blocks() const {
    return {extents_, [grid = grid_, extents = extents_](Rank node) {
              return NodeLayout::dense(block(grid, extents, node));
            }};
  }

  /// Whole lines along an axis. Nodes that differ only in their coordinate along the axis share the
  /// lines of one block of the two other axes. Lines along z are numbered in the paper's order (x,
  /// y); for lines along y and x the order is rotated cyclically. So consecutive stages split their
  /// lines along different axes, and every node of a plane sends something to every other node.
  /// With one fixed order the second stage would send all of a node's data to a single row of the
  /// plane.
  Distribution lines(unsigned axis) const {
    return {extents_, [grid = grid_, extents = extents_, axis](Rank node) {
              return lines_of(grid, extents, axis, node);
            }};
  }

  static NodeLayout lines_of(const ProcessGrid& grid, const Index& extents, unsigned axis,
                             Rank node) {
    const auto u = static_cast<std::uint8_t>((axis + 1) % 3);
    const auto v = static_cast<std::uint8_t>((axis + 2) % 3);
    Box whole = block(grid, extents, node);
    whole.lo[axis] = 0;
    whole.hi[axis] = extents[axis];
    const Split split{whole.length(u) * whole.length(v), grid.extent(axis)};
    const Rank part = grid.coord(node)[axis];
    const std::int64_t batch = extents[kBatchAxis];
    const AxisOrder order = {3, 4, 5, u, v, kBatchAxis, static_cast<std::uint8_t>(axis)};
    NodeLayout layout =
        NodeLayout::lines(whole, order, split.begin(part) * batch, split.end(part) * batch);
    if (layout.boxes().size() != 1) return layout;
    if (axis != 0) return NodeLayout::dense(layout.boxes()[0]);
    return NodeLayout::dense(layout.boxes()[0], kPlanesOfX).with_gaps_between_planes();
  }

  void begin() {
    stages_.stages.push_back({"in", blocks(), blocks(), {}, is_real(), is_real(), false, true});
  }

  /// Whether the array is real after the stages so far.
  bool is_real() const { return real_ || (halves_ && !done_[2]); }

  Stage& last() { return stages_.stages.back(); }

  /// Adds transforms to the last stage.
  void transform(const Axes& axes) {
    Stage& stage = last();
    stage.axes = axes;
    stage.name = name_of(axes, 3);
    stage.real_out = real_ || (stage.real_in && !axes[2]);
    extents_ = with_axes(extents_, axes, out_);
    for (unsigned axis = 0; axis < 3; ++axis) done_[axis] = done_[axis] || axes[axis];
  }

  void exchange(DimensionRange dims) {
    stages_.exchanges.push_back({dims.first, dims.last, {}, {}});
  }

  void add_lines(unsigned axis) {
    exchange(grid_.dimensions(axis, lines_.value_or(axis)));
    stages_.stages.push_back({"", lines(axis), {}, {}, is_real(), false, false});
    Axes axes{};
    axes[axis] = true;
    transform(axes);
    last().out = lines(axis);
    last().same_distribution = last().real_in == last().real_out;
    lines_ = axis;
  }

  void add_unsplit(Axes axes) {
    if (lines_) {  // real data lies in lines along z by now
      exchange(grid_.dimensions(*lines_, *lines_));
      stages_.stages.push_back({"", blocks(), {}, {}, is_real(), false, false});
      lines_.reset();
    }
    transform(axes);
    last().same_distribution = false;
    last().out = {extents_, [grid = grid_, extents = extents_](Rank node) {
                    return NodeLayout::dense(block(grid, extents, node), kPlanesOfX).with_gaps();
                  }};
    // If only x is split, every node receives lines along x, so planes of x can be sent one by one.
    planes_leave_ = !axes[0] && axes[1] && axes[2];
  }

  void add_return() {
    if (lines_) {
      exchange(grid_.dimensions(*lines_, *lines_));
      stages_.stages.push_back({"return", blocks(), blocks(), {}, real_, real_, false, true});
    }
  }

  Stages finish() {
    if (planes_leave_ && !stages_.exchanges.empty()) stages_.exchanges[0].forward_axis = 0;
    if (last().is_empty() || (may_leave_gaps_ && last().same_distribution))
      return std::move(stages_);
    last().out = without_gaps(last().out);
    last().same_distribution = false;
    return std::move(stages_);
  }

  Index in_;
  Index out_;
  bool halves_;  ///< forward returns half a spectrum
  bool real_;    ///< both sides are real
  bool may_leave_gaps_;
  ProcessGrid grid_;
  Index extents_;                  ///< extents of the array after the stages so far
  Axes done_{};                    ///< axes that have been transformed
  std::optional<unsigned> lines_;  ///< axis of the last stage's lines; none if it holds blocks
  bool planes_leave_ = false;
  Stages stages_;
};

}  // namespace

Stages volumetric_stages(const Description& description, const Shape& shape) {
  return VolumetricStages(description, shape).make(description.return_to_input);
}

}  // namespace toroid::fft
