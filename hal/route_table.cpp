#include "hal/route_table.hpp"

#include <algorithm>

#include "hal/random.hpp"

namespace toroid {
namespace {

/// The route between two nodes that differ in one dimension only.
std::uint64_t part(const Shape& shape, unsigned dim, int difference, TieRule rule) {
  Coord from;
  Coord to;
  from[dim] = static_cast<std::uint8_t>(std::max(0, -difference));
  to[dim] = static_cast<std::uint8_t>(std::max(0, difference));
  Random unused(0);
  const auto hints = minimal_directions(shape, from, to, rule, unused);
  return std::bit_cast<std::uint64_t>(route_along(shape, from, to, hints).value());
}

}  // namespace

RouteTable::RouteTable(const Shape& shape) {
  for (unsigned d = 0; d < shape.dims(); ++d) {
    const auto k = static_cast<int>(shape.extent(d));
    extents_[d] = shape.extent(d);
    first_[d] = parts_.size();
    for (const TieRule rule : {TieRule::plus, TieRule::minus})
      for (int difference = 1 - k; difference < k; ++difference)
        parts_.push_back(part(shape, d, difference, rule));
  }
}

RoutesFrom::RoutesFrom(const Shape& shape, const Coord& from, TieRule rule) : shape_(&shape) {
  const bool by_source = rule == TieRule::parity || rule == TieRule::plus || rule == TieRule::minus;
  if (shape.routes() == nullptr || shape.failures() != nullptr || !by_source) return;
  for (unsigned d = 0; d < shape.dims(); ++d) {
    const bool minus = rule == TieRule::parity ? (from[d] & 1u) != 0 : rule == TieRule::minus;
    rows_[d] = shape.routes()->row(d, from[d], minus);
  }
}

}  // namespace toroid
