#include "hal/route.hpp"

#include <algorithm>

namespace toroid {
namespace {

unsigned parity_off_ring(const Coord& from, const Coord& to, unsigned ring) {
  unsigned sum = from[ring];
  for (unsigned d = 0; d < kMaxDims; ++d)
    if (d != ring) sum += from[d] + to[d];
  return sum & 1u;
}

bool tie_goes_minus(TieRule rule, const Coord& from, const Coord& to, unsigned d, Random& random) {
  switch (rule) {
    case TieRule::parity:
      return (from[d] & 1u) != 0;
    case TieRule::split:
      return random.coin();
    case TieRule::plus:
      return false;
    case TieRule::minus:
      return true;
    case TieRule::balanced:
      return parity_off_ring(from, to, d) != 0;
  }
  return false;
}

/// Steps from a to b by + on a ring of k; on a mesh this is only meaningful for b >= a.
unsigned steps_plus(unsigned a, unsigned b, unsigned k) {
  return b >= a ? b - a : b + k - a;
}

}  // namespace

unsigned Route::total_hops() const {
  unsigned total = 0;
  for (const unsigned h : hops) total += h;
  return total;
}

DirectionSet minimal_directions(const Shape& shape, const Coord& from, const Coord& to,
                                TieRule rule, Random& random) {
  DirectionSet directions;
  for (unsigned d = 0; d < shape.dims(); ++d) {
    if (from[d] == to[d]) continue;
    const unsigned k = shape.extent(d);
    const unsigned plus = steps_plus(from[d], to[d], k);
    bool minus = !shape.wraps(d) ? to[d] < from[d] : 2 * plus > k;
    if (shape.wraps(d) && 2 * plus == k) minus = tie_goes_minus(rule, from, to, d, random);
    directions.add(minus ? Direction::minus(d) : Direction::plus(d));
  }
  return directions;
}

std::optional<Route> route_along(const Shape& shape, const Coord& from, const Coord& to,
                                 DirectionSet hints) {
  Route route;
  route.directions = hints;
  if ((hints.bits() >> shape.links()) != 0) return std::nullopt;
  for (unsigned d = 0; d < shape.dims(); ++d) {
    const bool plus = hints.has(Direction::plus(d));
    const bool minus = hints.has(Direction::minus(d));
    if ((plus && minus) || (plus || minus) != (from[d] != to[d])) return std::nullopt;
    if (!plus && !minus) continue;
    if (!shape.wraps(d) && minus != (to[d] < from[d])) return std::nullopt;
    const unsigned k = shape.extent(d);
    route.hops[d] = static_cast<std::uint8_t>(plus ? steps_plus(from[d], to[d], k)
                                                   : steps_plus(to[d], from[d], k));
  }
  return route;
}

unsigned minimal_hops(const Shape& shape, const Coord& from, const Coord& to) {
  unsigned hops = 0;
  for (unsigned d = 0; d < shape.dims(); ++d) {
    const unsigned plus = steps_plus(from[d], to[d], shape.extent(d));
    const unsigned apart = from[d] < to[d] ? to[d] - from[d] : from[d] - to[d];
    hops += shape.wraps(d) ? std::min(plus, shape.extent(d) - plus) : apart;
  }
  return hops;
}

}  // namespace toroid
