// The orbital transform as the one stage of a plan: blocks in, skewed blocks out.
#include <cstdint>

#include "fft/layout/box.hpp"
#include "fft/layout/distribution.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/orbital/plan.hpp"
#include "fft/orbital/stage_state.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/half.hpp"
#include "fft/plan/transform_kind.hpp"
#include "hal/shape.hpp"

namespace toroid {
namespace {

/// A node's block of every array of a batch.
NodeLayout of_batch(Box box, std::int64_t batch) {
  box.hi[kBatchAxis] = batch;
  return NodeLayout::dense(box);
}

}  // namespace

OrbitalPlan orbital_plan(const Description& description, const Shape& shape, Way way) {
  const bool single = description.precision == Precision::single;
  OrbitalOptions options;
  options.kinds = description.kinds;
  options.sign = way == Way::forward ? Sign::forward : Sign::inverse;
  options.alpha = description.scheduling;
  if (description.real)
    options.element = single ? ElementType::float32 : ElementType::float64;
  else
    options.element = single ? ElementType::complex64 : ElementType::complex128;
  return {{description.size[0], description.size[1], description.size[2]}, shape, options};
}

Stages orbital_stages(const Description& description, const Shape& shape) {
  const OrbitalPlan plan = orbital_plan(description, shape, Way::forward);
  const Index extents = in_extents(description);
  const std::int64_t batch = description.batch;
  const bool real = description.real;
  const Distribution canonical{extents,
                               [=](Rank node) { return of_batch(plan.input_box(node), batch); }};
  const Distribution skewed{extents,
                            [=](Rank node) { return of_batch(plan.output_box(node), batch); }};
  Stages stages;
  stages.stages.push_back({"xyz", canonical, skewed, {}, real, real, true});
  if (description.return_to_input) {
    stages.exchanges.push_back({0, shape.dims(), {}, {}});
    stages.stages.push_back({"return", canonical, canonical, {}, real, real, false, true});
  }
  return stages;
}

}  // namespace toroid
