#include "hal/route.hpp"

#include <algorithm>
#include <cstddef>

#include "hal/branchless.hpp"
#include "hal/twisted_torus_paths.hpp"

namespace toroid {
namespace {

unsigned parity_off_ring(const Coord& from, const Coord& to, unsigned ring) {
  unsigned sum = from[ring];
  for (unsigned d = 0; d < kMaxDims; ++d)
    if (d != ring) sum += from[d] + to[d];
  return sum & 1u;
}

/// Steps from a to b by + on a ring of k nodes; on a mesh this is only meaningful for b >= a.
unsigned steps_plus(unsigned a, unsigned b, unsigned k) {
  return b - a + (k & all_if(b < a));
}

/// The index of the path to take among `ways` equally short paths over a twisted torus. Hints stand
/// for one path there, so TieRule::both and alternate work like split.
std::size_t tied_way(TieRule rule, const Coord& from, const Coord& to, std::size_t ways,
                     Random& random) {
  if (ways == 1 || rule == TieRule::plus) return 0;
  if (rule == TieRule::minus) return ways - 1;
  if (rule != TieRule::parity && rule != TieRule::balanced)
    return random.below(static_cast<std::uint32_t>(ways));
  unsigned sum = 0;
  for (unsigned d = 0; d < kMaxDims; ++d) sum += from[d] + (rule == TieRule::balanced ? to[d] : 0u);
  return sum % ways;
}

DirectionSet twisted_directions(const Shape& shape, const Coord& from, const Coord& to,
                                TieRule rule, Random& random) {
  const auto ways = shape.ways().between(shape, from, to);
  return ways[tied_way(rule, from, to, ways.size(), random)].directions;
}

std::optional<Route> twisted_route(const Shape& shape, const Coord& from, const Coord& to,
                                   DirectionSet hints) {
  for (const Route& way : shape.ways().between(shape, from, to))
    if (way.directions == hints) return way;
  return std::nullopt;
}

DirectionSet twisted_directions_left(const Shape& shape, const Coord& here, const Coord& to,
                                     DirectionSet hints) {
  DirectionSet left;
  for (const Route& way : shape.ways().between(shape, here, to))
    if ((way.directions.bits() & ~hints.bits()) == 0) left.add(way.directions);
  return left;
}

/// The route through a node's memory, if `hints` describe that.
std::optional<Route> route_within_node(const Shape& shape, const Coord& from, const Coord& to,
                                       DirectionSet hints) {
  if (hints != shape.within_node() || from == to || minimal_hops(shape, from, to) > 0)
    return std::nullopt;
  return Route{.hops = {}, .directions = hints};
}

}  // namespace

unsigned Route::total_hops() const {
  unsigned total = 0;
  for (const unsigned h : hops) total += h;
  return total;
}

// The next three functions run for every packet, and destinations come in random order, so they
// avoid data-dependent branches.

/// votes(d, tied) returns 1 if a tie in dimension d is to be broken by minus, otherwise 0. `tied`
/// says whether there is a tie.
template <typename Votes>
DirectionSet minimal_by(const Shape& shape, const Coord& from, const Coord& to, Votes&& votes) {
  unsigned bits = 0;
  for (unsigned d = 0; d < shape.torus_dims(); ++d) {
    const unsigned k = shape.extent(d);
    const unsigned twice = 2 * steps_plus(from[d], to[d], k);
    auto minus = static_cast<unsigned>(to[d] < from[d]);
    // The vote matters only if twice == k.
    if (shape.wraps(d)) minus = static_cast<unsigned>(twice + votes(d, twice == k) > k);
    const auto apart = static_cast<unsigned>(from[d] != to[d]);
    bits |= apart << (2 * d + minus);
  }
  return DirectionSet(static_cast<std::uint16_t>(bits));
}

DirectionSet minimal_directions(const Shape& shape, const Coord& from, const Coord& to,
                                TieRule rule, Random& random) {
  if (shape.is_twisted()) return twisted_directions(shape, from, to, rule, random);
  const auto minimal = [&](auto&& votes) { return minimal_by(shape, from, to, votes); };
  switch (rule) {
    case TieRule::parity:
      return minimal([&](unsigned d, bool) { return from[d] & 1u; });
    case TieRule::split:  // draws only for ties
      return minimal([&](unsigned, bool tied) { return tied && random.coin() ? 1u : 0u; });
    case TieRule::plus:
      return minimal([](unsigned, bool) { return 0u; });
    case TieRule::minus:
      return minimal([](unsigned, bool) { return 1u; });
    case TieRule::balanced:
      return minimal([&](unsigned d, bool) { return parity_off_ring(from, to, d); });
    case TieRule::both:
    case TieRule::alternate: {
      DirectionSet set = minimal([](unsigned, bool) { return 0u; });
      set.add(minimal([](unsigned, bool) { return 1u; }));
      return set;
    }
  }
  return {};
}

std::optional<Route> route_along(const Shape& shape, const Coord& from, const Coord& to,
                                 DirectionSet hints) {
  if (shape.is_twisted()) return twisted_route(shape, from, to, hints);
  std::uint64_t hops = 0;
  unsigned wrong = hints.bits() >> shape.links();
  for (unsigned d = 0; d < shape.torus_dims(); ++d) {
    const unsigned plus = hints.bits() >> 2 * d & 1u;
    const unsigned minus = hints.bits() >> 2 * d >> 1 & 1u;
    const unsigned both = plus & minus;  // allowed only half way round a ring
    wrong |= (plus | minus) ^ static_cast<unsigned>(from[d] != to[d]);
    wrong |= both & static_cast<unsigned>(2 * steps_plus(from[d], to[d], shape.extent(d)) !=
                                          shape.extent(d));
    if (!shape.wraps(d)) wrong |= both | (minus ^ static_cast<unsigned>(to[d] < from[d]));
    const unsigned back = all_if(minus > plus);
    const auto forth = static_cast<unsigned>(to[d] - from[d]);
    const unsigned steps = (forth ^ back) - back;  // forth, or -forth if `back` is set
    const unsigned round = shape.extent(d) & all_if(static_cast<int>(steps) < 0);
    hops |= std::uint64_t{steps + round} << 8 * d;
  }
  if (wrong != 0) return route_within_node(shape, from, to, hints);
  Route route;
  for (unsigned d = 0; d < kMaxDims; ++d) route.hops[d] = static_cast<std::uint8_t>(hops >> 8 * d);
  route.directions = hints;
  return route;
}

DirectionSet directions_left(const Shape& shape, const Coord& here, const Coord& to,
                             DirectionSet hints) {
  if (shape.is_twisted()) return twisted_directions_left(shape, here, to, hints);
  unsigned left = 0;
  for (unsigned d = 0; d < shape.torus_dims(); ++d) left |= (to[d] != here[d] ? 3u : 0u) << 2 * d;
  if (both_hints(hints)) [[unlikely]] {  // the first hop decides which of the two stays
    Random unused(0);
    left &= minimal_directions(shape, here, to, TieRule::both, unused).bits();
  }
  return DirectionSet(static_cast<std::uint16_t>(left & hints.bits()));
}

unsigned minimal_hops(const Shape& shape, const Coord& from, const Coord& to) {
  if (shape.is_twisted()) return shape.ways().hops(shape.offset(from, to));
  unsigned hops = 0;
  for (unsigned d = 0; d < shape.torus_dims(); ++d) {
    const unsigned plus = steps_plus(from[d], to[d], shape.extent(d));
    const unsigned apart = from[d] < to[d] ? to[d] - from[d] : from[d] - to[d];
    hops += shape.wraps(d) ? std::min(plus, shape.extent(d) - plus) : apart;
  }
  return hops;
}

}  // namespace toroid
