#include "packet/traffic/stencil_traffic.hpp"

#include <algorithm>
#include <utility>

#include "hal/check.hpp"

namespace toroid {

StencilTraffic::StencilTraffic(std::string name, const Shape& shape, std::vector<Offset> offsets,
                               std::uint64_t bytes)
    : name_(std::move(name)), shape_(shape), offsets_(std::move(offsets)), bytes_(bytes) {}

std::vector<Offset> StencilTraffic::neighbours(unsigned dims) {
  std::vector<Offset> offsets;
  for (unsigned d = 0; d < dims; ++d)
    for (const int step : {+1, -1}) offsets.emplace_back()[d] = step;
  return offsets;
}

std::vector<Offset> StencilTraffic::halo(unsigned dims) {
  std::vector<Offset> offsets{Offset{}};
  for (unsigned d = 0; d < dims; ++d) {
    const std::vector<Offset> flat = offsets;
    for (Offset offset : flat)
      for (const int step : {+1, -1}) {
        offset[d] = step;
        offsets.push_back(offset);
      }
  }
  offsets.erase(offsets.begin());  // the node itself
  return offsets;
}

std::vector<Offset> StencilTraffic::rolls(unsigned dims, unsigned along) {
  std::vector<Offset> offsets;
  for (unsigned d = 0; d < dims; ++d)
    if ((along >> d & 1u) != 0) offsets.emplace_back()[d] = 1;
  return offsets;
}

std::vector<Rank> StencilTraffic::around(Rank node, int sign) const {
  return bytes_ > 0 ? all_moved(shape_, node, offsets_, sign) : std::vector<Rank>();
}

std::uint64_t StencilTraffic::bytes(Rank from, Rank to) const {
  if (from == to) return 0;
  const Coord at = shape_.coord(from);
  const auto leads = [&](const Offset& offset) { return moved(shape_, at, offset, +1) == to; };
  return std::ranges::any_of(offsets_, leads) ? bytes_ : 0;
}

Rank StencilTraffic::draw(Rank from, Random& random) const {
  const std::vector<Rank> to = around(from, +1);
  TOROID_CHECK(!to.empty());
  return to[random.below(static_cast<std::uint32_t>(to.size()))];
}

}  // namespace toroid
