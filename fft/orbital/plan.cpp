#include "fft/orbital/plan.hpp"

#include <array>
#include <cstdint>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/orbital/coefficients.hpp"
#include "fft/plan/transform_kind.hpp"
#include "hal/shape.hpp"

namespace toroid::fft {

OrbitalPlan::OrbitalPlan(const CubeSize& size, const Shape& shape, OrbitalOptions options)
    : size_(size), options_(options), extent_(shape.extent(0)) {
  check_orbital(size, shape, options);
}

OrbitalStage OrbitalPlan::stage(unsigned number) const {
  if (options_.sign == Sign::forward) return {number, number + 1, kProductAxes[number]};
  const unsigned pair = kStages - 1 - number;
  return {pair + 1, pair, kProductAxes[pair]};
}

std::array<unsigned, 3> OrbitalPlan::place(Rank node) const {
  return {node / (extent_ * extent_), node / extent_ % extent_, node % extent_};
}

Rank OrbitalPlan::rank(const std::array<unsigned, 3>& place) const {
  return (place[0] * extent_ + place[1]) * extent_ + place[2];
}

BlockIndex OrbitalPlan::home(unsigned number, Rank node) const {
  const auto at = place(node);
  unsigned t = 0;
  for (unsigned d = 0; d < 3; ++d) t += options_.alpha[d] > 0 ? at[d] : extent_ - at[d];
  t %= extent_;
  const auto [q, r, s] = at;
  const std::array<BlockIndex, 4> homes = {{{q, r, s}, {q, r, t}, {s, r, t}, {s, q, t}}};
  return homes[number];
}

Box OrbitalPlan::box(unsigned number, Rank node) const {
  const BlockIndex index = home(number, node);
  Box box = Box::of(extents_of({}));
  for (unsigned axis = 0; axis < 3; ++axis) {
    box.lo[axis] = std::int64_t{index[axis]} * block();
    box.hi[axis] = box.lo[axis] + block();
  }
  return box;
}

std::vector<OrbitalPlan::ShiftedBlock> OrbitalPlan::shifted_blocks(unsigned number) const {
  const OrbitalStage stage = this->stage(number);
  std::vector<ShiftedBlock> blocks;
  if (stage.pair() == 0) blocks.push_back({kCoefficientsDimension, true});
  for (const unsigned array : {stage.data, stage.sum})
    if (array > 0) blocks.push_back({kArrayDimensions[array], false});
  return blocks;
}

std::uint64_t OrbitalPlan::multiply_adds(unsigned number) const {
  const auto b = static_cast<std::uint64_t>(block());
  const std::uint64_t elements = is_complex(options_.element) ? 2 : 1;
  const bool complex = has_complex_coefficients(options_.kinds[stage(number).axis]);
  return b * b * b * b * elements * (complex ? 2 : 1);
}

std::uint64_t OrbitalPlan::block_bytes(const ShiftedBlock& shifted) const {
  const auto b = static_cast<std::uint64_t>(block());
  const std::uint64_t element = bytes_of(options_.element);
  if (!shifted.coefficients) return b * b * b * element;
  const bool halves = is_complex(options_.element) && !has_complex_coefficients(options_.kinds[2]);
  return b * b * (halves ? element / 2 : element);
}

OrbitalPlan::Neighbours OrbitalPlan::neighbours(unsigned dimension, Rank node) const {
  const auto moved = [&](unsigned by) {
    auto at = place(node);
    at[dimension] = (at[dimension] + by) % extent_;
    return rank(at);
  };
  const Neighbours upwards{moved(1), moved(extent_ - 1)};
  const bool up = (options_.alpha[dimension] > 0) == (options_.sign == Sign::forward);
  return up ? upwards : Neighbours{upwards.from, upwards.to};
}

}  // namespace toroid::fft
