// Minimal routes for every pair of nodes of every torus and mesh up to 5x5x5, and of some others,
// compared with a breadth-first search. Only the thorough set tests all of the larger shapes; other
// runs test an eighth of them.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "hal/direction.hpp"
#include "hal/random.hpp"
#include "hal/route.hpp"
#include "hal/route_table.hpp"
#include "hal/shape.hpp"
#include "tests/hal/shapes.hpp"

namespace toroid {
namespace {

std::vector<Shape> routed_shapes() {
  auto shapes = testing::some_of(testing::all_shapes(3, 5), 27);
  for (const auto& shape : testing::all_shapes(2, 6)) shapes.push_back(shape);
  for (const auto& shape : testing::all_shapes(1, 9)) shapes.push_back(shape);
  for (const auto& shape :
       testing::parsed({"6x4", "2x2x2x2", "2x2mx2x2m", "3x2x2x2x2x2", "3mx2x2mx2x2x2m", "100"}))
    shapes.push_back(shape);
  return shapes;
}

std::vector<unsigned> distances_from(const Shape& shape, Rank start) {
  constexpr unsigned kFar = ~0u;
  std::vector<unsigned> distance(shape.size(), kFar);
  std::vector<Rank> queue{start};
  distance[start] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (unsigned l = 0; l < shape.links(); ++l)
      if (const auto n = shape.neighbour(queue[i], testing::direction(l)))
        if (distance[*n] == kFar) {
          distance[*n] = distance[queue[i]] + 1;
          queue.push_back(*n);
        }
  return distance;
}

/// The node at the end of a route that is walked dimension by dimension; none if a link is missing.
std::optional<Rank> walk(const Shape& shape, Rank from, const Route& route) {
  Rank at = from;
  for (unsigned l = 0; l < shape.links(); ++l) {
    const Direction direction = testing::direction(l);
    if (!route.directions.has(direction)) continue;
    if (direction.is_minus() && route.directions.has(Direction::plus(direction.dim()))) continue;
    for (unsigned h = 0; h < route.hops[direction.dim()]; ++h) {
      const auto next = shape.neighbour(at, direction);
      if (!next) return std::nullopt;
      at = *next;
    }
  }
  return at;
}

void check_pair(const Shape& shape, Rank a, Rank b, unsigned distance, Random& random) {
  const Coord from = shape.coord(a);
  const Coord to = shape.coord(b);
  ASSERT_EQ(minimal_hops(shape, from, to), distance);
  for (const auto rule : {TieRule::parity, TieRule::split, TieRule::plus, TieRule::minus,
                          TieRule::balanced, TieRule::both, TieRule::alternate}) {
    const DirectionSet hints = minimal_directions(shape, from, to, rule, random);
    const auto route = route_along(shape, from, to, hints);
    ASSERT_TRUE(route);
    ASSERT_EQ(route->directions, hints);
    ASSERT_EQ(route->total_hops(), distance);
    ASSERT_EQ(walk(shape, a, *route), b);
    if (const RoutesFrom routes(shape, from, rule); !routes.empty()) {
      ASSERT_EQ(routes.to(b).directions, hints);
      ASSERT_EQ(routes.to(b).hops, route->hops);
    }
  }
}

TEST(RoutesFrom, AreEmptyForTwistedToriAndForTheTieRulesSplitAndBalanced) {
  const auto empty = [](const char* shape, TieRule rule) {
    return RoutesFrom(Shape::parse(shape), {}, rule).empty();
  };
  for (const TieRule rule :
       {TieRule::parity, TieRule::plus, TieRule::minus, TieRule::both, TieRule::alternate})
    EXPECT_FALSE(empty("4x3x5m", rule));
  EXPECT_TRUE(empty("4x4", TieRule::split));
  EXPECT_TRUE(empty("4x4", TieRule::balanced));
  EXPECT_TRUE(empty("8x4@YX4", TieRule::parity));
}

TEST(MinimalRoute, HasTheLengthOfABreadthFirstSearchAndArrives) {
  Random random(1);
  for (const Shape& shape : routed_shapes())
    for (Rank a = 0; a < shape.size(); ++a) {
      const auto distance = distances_from(shape, a);
      for (Rank b = 0; b < shape.size(); ++b) {
        check_pair(shape, a, b, distance[b], random);
        if (::testing::Test::HasFatalFailure())
          FAIL() << shape.text() << ' ' << shape.coord_text(a) << " to " << shape.coord_text(b);
      }
    }
}

TEST(MinimalRoute, EachDirectionLeadsOneHopNearer) {
  Random random(1);
  for (const Shape& shape : routed_shapes()) {
    if (shape.size() > 64) continue;
    for (Rank b = 0; b < shape.size(); ++b) {
      const auto distance = distances_from(shape, b);  // links work in both directions
      for (Rank a = 0; a < shape.size(); ++a) {
        const auto hints =
            minimal_directions(shape, shape.coord(a), shape.coord(b), TieRule::balanced, random);
        for (unsigned l = 0; l < shape.links(); ++l) {
          if (!hints.has(testing::direction(l))) continue;
          const auto next = shape.neighbour(a, testing::direction(l));
          ASSERT_TRUE(next) << shape.text();
          ASSERT_EQ(distance[*next] + 1, distance[a]) << shape.text();
        }
      }
    }
  }
}

/// The number of hops in a direction from one coordinate of its dimension to another; none if the
/// path ends before.
std::optional<unsigned> hops_along(const Shape& shape, const Coord& from, const Coord& to,
                                   Direction direction) {
  const unsigned d = direction.dim();
  Rank at = shape.rank(from);
  unsigned hops = 0;
  for (; shape.coord(at)[d] != to[d]; ++hops) {
    const auto next = shape.neighbour(at, direction);
    if (!next || hops > kMaxExtent) return std::nullopt;
    at = *next;
  }
  return hops;
}

/// Whether hints are usable, found by walking: each hint must lead to the destination's coordinate
/// in its dimension. If both directions of a dimension are hinted, they must take equally many
/// hops.
bool leads_there(const Shape& shape, const Coord& from, const Coord& to, DirectionSet hints) {
  for (unsigned d = 0; d < kMaxDims; ++d) {
    const bool plus = hints.has(Direction::plus(d));
    const bool minus = hints.has(Direction::minus(d));
    if ((plus || minus) != (d < shape.dims() && from[d] != to[d])) return false;
    const auto up = plus ? hops_along(shape, from, to, Direction::plus(d)) : std::nullopt;
    const auto down = minus ? hops_along(shape, from, to, Direction::minus(d)) : std::nullopt;
    if ((plus && !up) || (minus && !down)) return false;
    if (plus && minus && up != down) return false;
  }
  return true;
}

TEST(RouteAlong, AcceptsExactlyTheHintsThatLeadThere) {
  std::size_t accepted = 0;
  for (const char* text : {"5", "5m", "2x3", "4x3m", "2mx2x3", "1x4", "3x1x2m"}) {
    const Shape shape = Shape::parse(text);
    for (Rank a = 0; a < shape.size(); ++a)
      for (Rank b = 0; b < shape.size(); ++b)
        for (unsigned bits = 0; bits < 1u << kMaxLinks; ++bits) {
          const DirectionSet hints(static_cast<std::uint16_t>(bits));
          const Coord from = shape.coord(a);
          const Coord to = shape.coord(b);
          const auto route = route_along(shape, from, to, hints);
          ASSERT_EQ(route.has_value(), leads_there(shape, from, to, hints))
              << text << ' ' << a << " to " << b << " hints " << bits;
          if (!route) continue;
          ++accepted;
          ASSERT_EQ(walk(shape, a, *route), b);
        }
  }
  EXPECT_GT(accepted, 500u);
}

}  // namespace
}  // namespace toroid
