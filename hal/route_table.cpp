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

RouteTable::Ties ties_from(unsigned coordinate, TieRule rule) {
  if (rule == TieRule::both || rule == TieRule::alternate) return RouteTable::Ties::stay_open;
  const bool minus = rule == TieRule::parity ? (coordinate & 1u) != 0 : rule == TieRule::minus;
  return minus ? RouteTable::Ties::go_minus : RouteTable::Ties::go_plus;
}

}  // namespace

RouteTable::RouteTable(const Shape& shape) {
  for (unsigned d = 0; d < shape.dims(); ++d) {  // all parts of the dimension T are empty
    const auto k = static_cast<int>(shape.extent(d));
    extents_[d] = shape.extent(d);
    first_[d] = parts_.size();
    for (const TieRule rule : {TieRule::plus, TieRule::minus, TieRule::both})
      for (int difference = 1 - k; difference < k; ++difference)
        parts_.push_back(part(shape, d, difference, rule));
  }
}

RoutesFrom::RoutesFrom(const Shape& shape, const Coord& from, TieRule rule) : shape_(&shape) {
  const bool by_chance = rule == TieRule::split || rule == TieRule::balanced;
  if (shape.routes() == nullptr || shape.failures() != nullptr || by_chance) return;
  for (unsigned d = 0; d < shape.dims(); ++d)
    rows_[d] = shape.routes()->row(d, from[d], ties_from(from[d], rule));
}

}  // namespace toroid
