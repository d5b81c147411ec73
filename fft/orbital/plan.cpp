#include "fft/orbital/plan.hpp"

#include <fmt/core.h>

#include <utility>

#include "fft/orbital/coefficients.hpp"

namespace toroid::fft {

OrbitalPlan::OrbitalPlan(const ArrayExtents& size, const Shape& shape, OrbitalOptions options)
    : size_(size), options_(std::move(options)), extent_(shape.extent(0)) {
  check_orbital(size, shape, options_);
}

const OrbitalPlan& OrbitalPlan::checked_for(Rank nodes, ElementType element) const {
  if (nodes != extent_ * extent_ * extent_)
    throw BadInput(fmt::format("an orbital plan for {0} x {0} x {0} nodes on a machine of {1}",
                               extent_, nodes));
  if (element != options_.element) {
    const auto name = [](ElementType type) {
      return kElementTypeNames[static_cast<std::size_t>(type)];
    };
    throw BadInput(fmt::format("an orbital transform of {} elements by a plan for {}",
                               name(element), name(options_.element)));
  }
  return *this;
}

OrbitalStage OrbitalPlan::stage(unsigned number) const {
  if (options_.sign == Sign::forward) return {number, number + 1, product_axis(number)};
  const unsigned pair = kStages - 1 - number;
  return {pair + 1, pair, product_axis(pair)};
}

std::size_t OrbitalPlan::block_elements() const {
  std::size_t elements = 1;
  for (unsigned axis = 0; axis < 3; ++axis) elements *= static_cast<std::size_t>(block(axis));
  return elements;
}

std::array<unsigned, 3> OrbitalPlan::place(Rank node) const {
  return {node / (extent_ * extent_), node / extent_ % extent_, node % extent_};
}

Rank OrbitalPlan::rank(const std::array<unsigned, 3>& place) const {
  return (place[0] * extent_ + place[1]) * extent_ + place[2];
}

BlockIndex OrbitalPlan::home(unsigned number, Rank node) const {
  const auto at = place(node);
  if (options_.variant != OrbitalVariant::cra) return at;
  unsigned t = 0;
  for (unsigned d = 0; d < 3; ++d) t += options_.alpha[d] > 0 ? at[d] : extent_ - at[d];
  t %= extent_;
  const auto [first, second, third] = options_.stage_axes;
  BlockIndex index = at;
  if (number > 0) index[first] = t;
  if (number > 1) index[second] = at[first];
  if (number > 2) index[third] = at[second];
  return index;
}

Box OrbitalPlan::box(unsigned number, Rank node) const {
  const BlockIndex index = home(number, node);
  Box box = Box::of(extents_of({}));
  for (unsigned axis = 0; axis < 3; ++axis) {
    box.lo[axis] = std::int64_t{index[axis]} * block(axis);
    box.hi[axis] = box.lo[axis] + block(axis);
  }
  return box;
}

std::vector<OrbitalPlan::MovedBlock> OrbitalPlan::moved_blocks(unsigned number) const {
  const OrbitalStage stage = this->stage(number);
  const unsigned axis = stage.axis;
  if (options_.variant != OrbitalVariant::cra)
    return {{axis, false, axis, true},
            {(axis + 1) % 3, true, axis, options_.variant == OrbitalVariant::bbc}};
  std::vector<MovedBlock> blocks;
  if (stage.pair() == 0) blocks.push_back({coefficients_dimension(), true, axis});
  for (const unsigned array : {stage.data, stage.sum})
    if (array > 0) blocks.push_back({array_dimension(array), false, axis});
  return blocks;
}

std::uint64_t OrbitalPlan::multiply_adds(unsigned number) const {
  const unsigned axis = stage(number).axis;
  const std::uint64_t numbers = is_complex(options_.element) ? 2 : 1;
  const bool complex = has_complex_coefficients(options_.kinds[axis]);
  const std::uint64_t in_a_sum = by_factors(axis) ? 1 : static_cast<std::uint64_t>(block(axis));
  return block_elements() * in_a_sum * numbers * (complex ? 2 : 1);
}

std::uint64_t OrbitalPlan::block_numbers(const MovedBlock& moved) const {
  const auto b = by_factors(moved.axis) ? 1 : static_cast<std::uint64_t>(block(moved.axis));
  return moved.coefficients ? b * b : block_elements();
}

std::uint64_t OrbitalPlan::block_bytes(const MovedBlock& moved) const {
  const std::uint64_t element = bytes_of(options_.element);
  const bool halves = moved.coefficients && is_complex(options_.element) &&
                      !has_complex_coefficients(options_.kinds[moved.axis]);
  return block_numbers(moved) * (halves ? element / 2 : element);
}

OrbitalPlan::Neighbours OrbitalPlan::ends(unsigned dimension, Rank node) const {
  const auto moved = [&](unsigned by) {
    auto at = place(node);
    at[dimension] = (at[dimension] + by) % extent_;
    return rank(at);
  };
  return {moved(1), moved(extent_ - 1)};
}

OrbitalPlan::Neighbours OrbitalPlan::neighbours(unsigned dimension, Rank node) const {
  const Neighbours upwards = ends(dimension, node);
  const bool up = (options_.alpha[dimension] > 0) == (options_.sign == Sign::forward);
  return up ? upwards : Neighbours{upwards.from, upwards.to};
}

}  // namespace toroid::fft
