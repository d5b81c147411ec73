// Which direction each tie rule takes if a destination is exactly k/2 away on a ring of even extent
// k.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "hal/direction.hpp"
#include "hal/random.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"

namespace toroid {
namespace {

/// Whether a packet from coordinate a to a + k/2 on a ring of k nodes goes in the minus direction.
bool goes_minus(TieRule rule, unsigned k, unsigned a, Random& random) {
  const Shape ring = Shape::parse(std::to_string(k));
  const auto hints =
      minimal_directions(ring, ring.coord(a), ring.coord((a + k / 2) % k), rule, random);
  EXPECT_EQ(hints.size(), 1u);
  return hints.has(Direction::minus(0));
}

TEST(TieRule, ParityGoesPlusFromEvenAndMinusFromOddCoordinates) {
  Random random(1);
  for (unsigned k = 2; k <= 256; k += 2)
    for (unsigned a = 0; a < k; ++a)
      EXPECT_EQ(goes_minus(TieRule::parity, k, a, random), a % 2 == 1) << k << ' ' << a;
}

TEST(TieRule, PlusAlwaysGoesPlusAndMinusAlwaysMinus) {
  Random random(1);
  for (unsigned k = 2; k <= 16; k += 2)
    for (unsigned a = 0; a < k; ++a) {
      EXPECT_FALSE(goes_minus(TieRule::plus, k, a, random));
      EXPECT_TRUE(goes_minus(TieRule::minus, k, a, random));
    }
}

TEST(TieRule, SplitIsTheRandomGeneratorsCoin) {
  Random random(5);
  Random coins(5);
  unsigned minus = 0;
  for (unsigned i = 0; i < 10000; ++i) {
    const bool went_minus = goes_minus(TieRule::split, 8, i % 8, random);
    ASSERT_EQ(went_minus, coins.coin());
    minus += went_minus ? 1 : 0;
  }
  EXPECT_NEAR(minus, 5000, 250);  // five standard deviations
}

TEST(TieRule, OnlySplitDrawsRandomNumbersAndOnlyForTies) {
  const Shape shape = Shape::parse("4x6x5");
  for (const auto rule : {TieRule::parity, TieRule::split, TieRule::plus, TieRule::minus,
                          TieRule::balanced, TieRule::both, TieRule::alternate}) {
    Random random(9);
    Random untouched(9);
    for (Rank b = 0; b < shape.size(); ++b) {
      const Coord to = shape.coord(b);
      minimal_directions(shape, shape.coord(0), to, rule, random);
      const int ties = (to[0] == 2 ? 1 : 0) + (to[1] == 3 ? 1 : 0);
      for (int i = 0; rule == TieRule::split && i < ties; ++i) untouched.coin();
    }
    EXPECT_EQ(random.next(), untouched.next()) << kTieRuleNames[static_cast<unsigned>(rule)];
  }
}

TEST(TieRule, BalancedIsTheParityOfTheSourceAndOfAllCoordinatesOffTheRing) {
  Random random(1);
  for (const char* text : {"4", "2x2", "4x3", "3x4", "2x3x4", "4x4x2"}) {
    const Shape shape = Shape::parse(text);
    for (Rank a = 0; a < shape.size(); ++a)
      for (Rank b = 0; b < shape.size(); ++b) {
        const Coord from = shape.coord(a);
        const Coord to = shape.coord(b);
        const auto hints = minimal_directions(shape, from, to, TieRule::balanced, random);
        for (unsigned d = 0; d < shape.dims(); ++d) {
          if ((from[d] + shape.extent(d) / 2) % shape.extent(d) != to[d]) continue;
          if (shape.extent(d) % 2 != 0) continue;
          unsigned sum = from[d];
          for (unsigned e = 0; e < shape.dims(); ++e) sum += e == d ? 0u : from[e] + to[e];
          EXPECT_EQ(hints.has(Direction::minus(d)), sum % 2 == 1) << text << ' ' << a << ' ' << b;
          EXPECT_EQ(hints.has(Direction::plus(d)), sum % 2 == 0) << text << ' ' << a << ' ' << b;
        }
      }
  }
}

/// Checks that, whichever hint a packet follows, the next node is nearer and no hint there leads
/// back.
void expect_nearer_by_every_hint(const Shape& shape, Rank a, Rank b, DirectionSet hints) {
  const Coord from = shape.coord(a);
  const Coord to = shape.coord(b);
  const unsigned distance = minimal_hops(shape, from, to);
  for (unsigned link = 0; link < shape.links(); ++link) {
    const Direction direction{static_cast<std::uint8_t>(link)};
    if (!hints.has(direction)) continue;
    const Rank next = shape.neighbour(a, direction).value();
    const Coord there = shape.coord(next);
    ASSERT_EQ(minimal_hops(shape, there, to) + 1, distance);
    const DirectionSet left = directions_left(shape, there, to, hints);
    ASSERT_FALSE(left.has(direction.opposite()));
    ASSERT_EQ(left.empty(), next == b);
    expect_nearer_by_every_hint(shape, next, b, left);
  }
}

TEST(TieRule, BothAndAlternateKeepBothDirectionsOfATie) {
  Random random(1);
  for (const char* text : {"2", "4", "5", "2x2", "4x3", "6x4m", "4x4x2", "2x3x4"}) {
    const Shape shape = Shape::parse(text);
    for (Rank a = 0; a < shape.size(); ++a)
      for (Rank b = 0; b < shape.size(); ++b) {
        const Coord from = shape.coord(a);
        const Coord to = shape.coord(b);
        const auto by = [&](TieRule rule) {
          return minimal_directions(shape, from, to, rule, random);
        };
        DirectionSet either = by(TieRule::plus);
        either.add(by(TieRule::minus));
        const DirectionSet hints = by(TieRule::both);
        ASSERT_EQ(hints, either);
        ASSERT_EQ(by(TieRule::alternate), either);
        const auto route = route_along(shape, from, to, hints);
        ASSERT_TRUE(route);
        ASSERT_EQ(route->total_hops(), minimal_hops(shape, from, to));
        expect_nearer_by_every_hint(shape, a, b, hints);
      }
  }
}

TEST(TieRule, BothAndAlternateAreDrawnLikeSplitOnATwistedTorus) {
  const Shape shape = Shape::parse("8x4@YX4");
  for (const TieRule rule : {TieRule::both, TieRule::alternate}) {
    Random random(1);
    Random same(1);
    for (Rank b = 0; b < shape.size(); ++b)
      EXPECT_EQ(minimal_directions(shape, Coord{}, shape.coord(b), rule, random),
                minimal_directions(shape, Coord{}, shape.coord(b), TieRule::split, same));
  }
}

TEST(RouteAlong, AcceptsBothHintsOnlyForATie) {
  const Shape ring = Shape::parse("6");
  DirectionSet both;
  both.add(Direction::plus(0));
  both.add(Direction::minus(0));
  for (Rank to = 0; to < 6; ++to)
    EXPECT_EQ(route_along(ring, ring.coord(0), ring.coord(to), both).has_value(), to == 3) << to;
  const Shape mesh = Shape::parse("6m");
  for (Rank to = 0; to < 6; ++to)
    EXPECT_FALSE(route_along(mesh, mesh.coord(0), mesh.coord(to), both)) << to;
}

TEST(TieRule, AMeshHasNoTies) {
  const Shape mesh = Shape::parse("4m");
  Random random(3);
  for (const auto rule : {TieRule::parity, TieRule::split, TieRule::plus, TieRule::minus,
                          TieRule::balanced, TieRule::both, TieRule::alternate})
    for (Rank a = 0; a < 4; ++a)
      for (Rank b = 0; b < 4; ++b) {
        const auto hints = minimal_directions(mesh, mesh.coord(a), mesh.coord(b), rule, random);
        EXPECT_EQ(hints.has(Direction::plus(0)), b > a);
        EXPECT_EQ(hints.has(Direction::minus(0)), b < a);
      }
}

}  // namespace
}  // namespace toroid
