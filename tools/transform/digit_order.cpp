#include "tools/transform/digit_order.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/orbital/plan.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/transform_kind.hpp"

namespace toroid {
namespace {

using PlaceOf = std::int64_t (*)(std::int64_t size, std::int64_t extent, std::int64_t index);

/// For each axis: the index in the source array for each index in the result.
using Sources = std::array<std::vector<std::int64_t>, 3>;

Sources sources_of(const fft::Blueprint& blueprint, PlaceOf place) {
  const fft::Description& description = blueprint.description();
  Sources sources;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t size = description.size[axis];
    const bool by_digits = description.kinds[axis].by_factors();
    for (std::int64_t i = 0; i < size; ++i)
      sources[axis].push_back(by_digits ? place(size, blueprint.shape().extent(0), i) : i);
  }
  return sources;
}

HostArray rearranged(const fft::Blueprint& blueprint, const HostArray& array, PlaceOf place) {
  const Sources sources = sources_of(blueprint, place);
  HostArray result{array.size, array.batch, {}};
  result.values.reserve(static_cast<std::size_t>(fft::Box::of(array.extents()).volume()));
  fft::Index at{};
  for (at[fft::kBatchAxis] = 0; at[fft::kBatchAxis] < array.batch; ++at[fft::kBatchAxis])
    for (const std::int64_t x : sources[0])
      for (const std::int64_t y : sources[1])
        for (const std::int64_t z : sources[2]) {
          at[0] = x;
          at[1] = y;
          at[2] = z;
          result.values.push_back(array.at(at));
        }
  return result;
}

}  // namespace

bool is_by_digits(const fft::Blueprint& blueprint) {
  return std::ranges::any_of(blueprint.description().kinds, &fft::AxisTransform::by_factors);
}

HostArray from_digits(const fft::Blueprint& blueprint, const HostArray& spectrum) {
  return rearranged(blueprint, spectrum, fft::place_by_digits);
}
HostArray to_digits(const fft::Blueprint& blueprint, const HostArray& spectrum) {
  return rearranged(blueprint, spectrum, fft::frequency_by_digits);
}

}  // namespace toroid
