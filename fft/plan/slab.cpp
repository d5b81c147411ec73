// The slab FFT: nodes hold planes and transform them in two dimensions. Then come one exchange and
// the transforms along the remaining axis.
//
//   planes along p, FFT of q and r --all--> planes along q, FFT of p
//
// p is the third axis, as in the paper. For the dft of real data it is the first axis, because the
// last axis must be halved first. With a box cut, only the centre of the spectrum is sent. Planes
// may be sent in pieces while others are transformed: planes along p forward, planes along q
// backward.
//
// Source: Hoefler and Zerah, "Transforming the high-performance 3d-FFT in ABINIT to enable the use
// of non-blocking collective operations", 2007.
#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

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

/// A node's planes along `axis`. The nodes split this axis.
Box planes_box(const Index& extents, unsigned axis, Rank nodes, Rank node) {
  Box box = Box::of(extents);
  const Split split{extents[axis], nodes};
  box.lo[axis] = split.begin(node);
  box.hi[axis] = split.end(node);
  return box;
}

Distribution planes(const Index& extents, unsigned axis, Rank nodes) {
  return {extents,
          [=](Rank node) { return NodeLayout::dense(planes_box(extents, axis, nodes, node)); }};
}

/// A node's planes along `axis`, stored one plane of p after the other, so that pieces of planes
/// along p are contiguous.
Distribution plane_by_plane(const Index& extents, unsigned axis, Rank nodes, unsigned p) {
  AxisOrder order{static_cast<std::uint8_t>(p), kBatchAxis};
  std::size_t level = 2;
  for (std::uint8_t a = 0; a < kMaxAxes; ++a)
    if (a != p) order[level++] = a;
  return {extents, [=](Rank node) {
            const NodeLayout part =
                NodeLayout::dense(planes_box(extents, axis, nodes, node), order);
            return axis == p ? part.with_gaps() : part.with_gaps_between_planes();
          }};
}

void check_planes(std::int64_t planes, char axis, std::string_view what, const Shape& shape) {
  if (std::int64_t{shape.size()} <= planes) return;
  throw BadInput(
      fmt::format("the slab method has {} planes {}along {} for {} nodes; with this size "
                  "use at most {} nodes, or the volumetric method",
                  planes, what, axis, shape.size(), planes));
}

}  // namespace

Stages slab_stages(const Description& description, const Shape& shape) {
  const bool real = stays_real(description);
  const unsigned p = keeps_half(description) ? 0 : 2;
  const unsigned q = keeps_half(description) ? 1 : 0;
  const Rank nodes = shape.size();
  const Index large = in_extents(description);
  const Index result = out_extents(description);
  const Axes in_plane = {p != 0, p != 1, p != 2};
  Axes across{};
  across[p] = true;
  const Index between = with_axes(large, in_plane, result);
  check_planes(large[p], "xyz"[p], "", shape);
  check_planes(between[q], "xyz"[q], "of the result ", shape);

  Stages stages;
  stages.stages.push_back({name_of(in_plane, 3), planes(large, p, nodes),
                           plane_by_plane(between, p, nodes, p), in_plane, description.real, real,
                           false});
  stages.exchanges.push_back({0, shape.dims(), p, q});
  stages.stages.push_back({name_of(across, 3), plane_by_plane(between, q, nodes, p),
                           planes(result, q, nodes), across, real, real, false});
  if (description.return_to_input) {
    stages.exchanges.push_back({0, shape.dims(), {}, {}});
    stages.stages.push_back({"return",
                             planes(result, p, nodes),
                             planes(result, p, nodes),
                             {},
                             real,
                             real,
                             false,
                             true});
  }
  return stages;
}

}  // namespace toroid::fft
