#include "fft/plan/transform_kind.hpp"

#include <cstddef>

#include "fft/plan/square_matrix.hpp"

namespace toroid::fft {

std::string name_of(const AxisTransform& transform) {
  if (const SquareMatrix* const matrix = transform.matrix.get()) return "matrix " + matrix->name();
  return std::string(kTransformKindNames[static_cast<std::size_t>(transform.kind)]);
}

}  // namespace toroid::fft
