#include "fft/volumetric_plan.hpp"

namespace toroid {

VolumetricPlan::VolumetricPlan(const Index& size, const Shape& shape, VolumetricOptions options,
                               const TransformLibrary& library)
    : decomposition_(size, shape),
      options_(options),
      phases_(volumetric_phases(decomposition_.grid(), options.return_to_blocks)) {
  CHECK_LT(0u, options.repeat);
  for (const VolumetricPhase& phase : phases_) {
    if (phase.axes == Axes{}) continue;
    for (Rank node = 0; node < shape.size(); ++node) {
      const NodeLayout layout =
          decomposition_.layout(phase.distribution, decomposition_.grid().coord(node));
      if (layout.size() == 0) continue;
      const LocalShape local = shape_of(phase, layout);
      if (auto& transform = transforms_[local]; transform == nullptr)
        transform = library.plan(local, options.sign, options.rigor);
    }
  }
}

NodeLayout VolumetricPlan::local_result(const NodeLayout& blocks) const {
  return phases_.size() > 1 ? blocks.with_gaps() : blocks;
}

LocalShape VolumetricPlan::shape_of(const VolumetricPhase& phase, const NodeLayout& layout) const {
  if (phase.exchange) return local_shape(layout, decomposition_.size(), phase.axes);
  LocalShape shape = local_shape(layout, local_result(layout), phase.axes);
  shape.in_place = false;
  if (by_planes()) shape.axes[0] = {};
  return shape;
}

const LocalTransform* VolumetricPlan::transform(const VolumetricPhase& phase,
                                                const NodeLayout& layout) const {
  if (phase.axes == Axes{} || layout.size() == 0) return nullptr;
  return transforms_.at(shape_of(phase, layout)).get();
}

}  // namespace toroid
