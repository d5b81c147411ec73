#include "fft/plan/norm.hpp"

#include <cmath>
#include <cstddef>

#include "fft/plan/transform_kind.hpp"

namespace toroid::fft {
namespace {

bool is_cosine_or_sine(const AxisTransform& transform) {
  return transform.kind == TransformKind::dct || transform.kind == TransformKind::dst;
}

/// Whether a weight makes the rows of the axis's matrix equally long. A single row needs none.
bool needs_weight(const Description& description, std::size_t axis) {
  return is_cosine_or_sine(description.kinds[axis]) && description.size[axis] > 1;
}

/// The norm's forward transform along an axis over ours, before N is divided out. For orthonormal
/// rows, this is N over the square of the length of our rows.
double forward_ratio(const Description& description, std::size_t axis) {
  const bool doubled = description.norm == Norm::ortho ? needs_weight(description, axis)
                                                       : is_cosine_or_sine(description.kinds[axis]);
  return doubled ? 2 : 1;
}

}  // namespace

double norm_factor(const Description& description, Way way) {
  if (description.norm == Norm::paper) return 1;
  double ratio = 1;
  double points = 1;
  for (std::size_t axis = 0; axis < description.size.size(); ++axis) {
    ratio *= forward_ratio(description, axis);
    points *= static_cast<double>(description.size[axis]);
  }
  const bool forward = way == Way::forward;
  switch (description.norm) {
    case Norm::ortho:
      return forward ? std::sqrt(ratio / points) : 1 / std::sqrt(ratio * points);
    case Norm::forward:
      return forward ? 1 / points : 1;
    default:
      return forward ? ratio : 1 / (ratio * points);
  }
}

Scale undoing_scale(const Description& description) {
  return description.norm == Norm::paper ? Scale::by_n : Scale::none;
}

void set_weights(Description& description) {
  for (std::size_t axis = 0; axis < description.size.size(); ++axis)
    description.kinds[axis].weighted =
        description.norm == Norm::ortho && needs_weight(description, axis);
}

}  // namespace toroid::fft
