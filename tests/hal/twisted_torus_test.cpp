// Twisted tori, checked independently of the table: by following links one by one, by a
// breadth-first search from every node, and by the definition as a lattice.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "hal/bounds.hpp"
#include "hal/check.hpp"
#include "hal/direction.hpp"
#include "hal/random.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "hal/twisted_torus_paths.hpp"
#include "tests/hal/shapes.hpp"

namespace toroid {
namespace {

const std::vector<std::string> kTwisted = {
    "8x4@YX4",       "4x8@XY4",       "5x3@XY2",   "2x2@XY1", "2x4x4@XY2@XZ2",
    "2x2x4@XZ2@YZ2", "4x4x8@XZ4@YZ4", "3x1x5@XZ1", "6x2@YX3", "3x4x2@ZX1@ZY3",
    "16x2@YX5",      "2x2x2x4@XU2",   "7x7@XY1"};

std::vector<Shape> twisted() {
  return testing::parsed(kTwisted);
}

Rank follow(const Shape& shape, Rank at, Direction direction, unsigned hops) {
  for (; hops > 0; --hops) at = shape.neighbour(at, direction).value();
  return at;
}

TEST(TwistedTorus, GoingRoundADimensionOnceEndsShiftedByTheTwist) {
  const Shape shape = Shape::parse("8x4@YX3");
  const Rank from = shape.rank({{6, 2}});
  EXPECT_EQ(shape.coord(follow(shape, from, Direction::plus(1), 4)), (Coord{{1, 2}}));
  EXPECT_EQ(shape.coord(follow(shape, from, Direction::minus(1), 4)), (Coord{{3, 2}}));
  EXPECT_EQ(follow(shape, from, Direction::plus(0), 8), from);
}

TEST(TwistedTorus, LinksLeadBackAndHopsCommute) {
  for (const Shape& shape : twisted())
    for (Rank at = 0; at < shape.size(); ++at)
      for (unsigned l = 0; l < shape.links(); ++l) {
        const auto next = shape.neighbour(at, testing::direction(l));
        if (!next) continue;
        ASSERT_EQ(shape.neighbour(*next, testing::direction(l).opposite()), at) << shape.text();
        for (unsigned m = 0; m < shape.links(); ++m)
          if (const auto other = shape.neighbour(at, testing::direction(m))) {
            ASSERT_EQ(shape.neighbour(*next, testing::direction(m)),
                      shape.neighbour(*other, testing::direction(l)))
                << shape.text();
          }
      }
}

TEST(TwistedTorus, TheLinksOfADirectionFormClosedRings) {
  for (const Shape& shape : twisted())
    for (unsigned l = 0; l < shape.links(); ++l) {
      std::set<Rank> ends;
      for (Rank at = 0; at < shape.size(); ++at)
        if (const auto next = shape.neighbour(at, testing::direction(l))) {
          ASSERT_TRUE(ends.insert(*next).second) << shape.text();
        }
    }
}

std::vector<unsigned> distances(const Shape& shape, Rank start) {
  std::vector<unsigned> distance(shape.size(), ~0u);
  std::vector<Rank> queue{start};
  distance[start] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (unsigned l = 0; l < shape.links(); ++l)
      if (const auto n = shape.neighbour(queue[i], testing::direction(l)))
        if (distance[*n] == ~0u) {
          distance[*n] = distance[queue[i]] + 1;
          queue.push_back(*n);
        }
  return distance;
}

/// The node at the end of a path that is walked with the last dimension first.
Rank walk_backwards(const Shape& shape, Rank at, const Route& way) {
  for (unsigned l = shape.links(); l-- > 0;)
    if (way.directions.has(testing::direction(l)))
      at = follow(shape, at, testing::direction(l), way.hops[l / 2]);
  return at;
}

TEST(TwistedTorus, EveryRuleGivesAShortestPathThatArrives) {
  Random random(1);
  for (const Shape& shape : twisted())
    for (Rank a = 0; a < shape.size(); ++a) {
      const auto distance = distances(shape, a);
      for (Rank b = 0; b < shape.size(); ++b) {
        const Coord from = shape.coord(a);
        const Coord to = shape.coord(b);
        ASSERT_EQ(minimal_hops(shape, from, to), distance[b]) << shape.text();
        for (unsigned rule = 0; rule < kTieRuleNames.size(); ++rule) {
          const auto hints =
              minimal_directions(shape, from, to, static_cast<TieRule>(rule), random);
          const auto route = route_along(shape, from, to, hints);
          ASSERT_TRUE(route) << shape.text();
          ASSERT_EQ(route->directions, hints);
          ASSERT_EQ(route->total_hops(), distance[b]);
          ASSERT_EQ(walk_backwards(shape, a, *route), b) << shape.text();
        }
      }
    }
}

/// The first hops of all shortest paths, from distances that a breadth-first search has found.
DirectionSet first_hops(const Shape& shape, Rank from, const std::vector<unsigned>& distance_to) {
  DirectionSet first;
  for (unsigned l = 0; l < shape.links(); ++l)
    if (const auto n = shape.neighbour(from, testing::direction(l)))
      if (distance_to[*n] + 1 == distance_to[from]) first.add(testing::direction(l));
  return first;
}

TEST(TwistedTorus, ShortestPathsBeginWithEveryDirectionThatLeadsNearer) {
  for (const Shape& shape : twisted()) {
    const auto distance = distances(shape, 0);  // links work in both directions
    for (Rank a = 0; a < shape.size(); ++a) {
      DirectionSet all;
      for (const Route& way : shape.ways().between(shape, shape.coord(a), Coord{}))
        all.add(way.directions);
      ASSERT_EQ(all, first_hops(shape, a, distance)) << shape.text() << ' ' << a;
    }
  }
}

TEST(TwistedTorus, DirectionsLeftLeadNearerUntilArrival) {
  Random random(1);
  for (const Shape& shape : twisted())
    for (Rank b = 0; b < shape.size(); b += 3) {
      const auto distance = distances(shape, b);
      const Coord to = shape.coord(b);
      for (Rank a = 0; a < shape.size(); ++a) {
        const auto hints = minimal_directions(shape, shape.coord(a), to, TieRule::split, random);
        std::set<Rank> reached{a};
        for (unsigned hop = 0; hop < distance[a]; ++hop) {
          std::set<Rank> next;
          for (const Rank at : reached) {
            const auto left = directions_left(shape, shape.coord(at), to, hints);
            ASSERT_FALSE(left.empty());
            ASSERT_EQ(left.bits() & ~hints.bits(), 0);
            for (unsigned l = 0; l < shape.links(); ++l)
              if (left.has(testing::direction(l)))
                next.insert(shape.neighbour(at, testing::direction(l)).value());
          }
          reached = next;
          for (const Rank at : reached) ASSERT_EQ(distance[at], distance[a] - hop - 1);
        }
        ASSERT_EQ(reached, std::set<Rank>{b});
      }
    }
}

TEST(TwistedTorus, RectangularTwistsHaveKnownDiametersAndAreSymmetric) {
  // k x 2k: the diameter of the plain torus is k/2 + k, of the twisted torus k (Camara et al.).
  EXPECT_EQ(diameter(Shape::parse("4x8")), 6u);
  EXPECT_EQ(diameter(Shape::parse("4x8@XY4")), 4u);
  EXPECT_EQ(diameter(Shape::parse("8x16@XY8")), 8u);
  // All dimensions are alike: none may carry more than another.
  for (const char* text : {"4x8@XY4", "4x4x8@XZ4@YZ4", "4x8x8@XY4@XZ4"}) {
    const Shape shape = Shape::parse(text);
    for (unsigned d = 1; d < shape.dims(); ++d)
      EXPECT_EQ(hottest_link_messages(shape, d).value(), hottest_link_messages(shape, 0).value())
          << text;
  }
}

TEST(TwistedTorus, TheBoundIsAtLeastTheMeanLoadAndBelowThatOfThePlainTorus) {
  for (const auto& [twisted, plain] : std::map<std::string, std::string>{
           {"4x8@XY4", "4x8"}, {"4x4x8@XZ4@YZ4", "4x4x8"}, {"4x8x8@XY4@XZ4", "4x8x8"}}) {
    const Shape shape = Shape::parse(twisted);
    std::uint64_t hops = 0;
    for (const unsigned distance : distances(shape, 0)) hops += distance;
    const double bound = hottest_link_messages(shape).value();
    EXPECT_GE(bound, static_cast<double>(hops) / shape.links());
    EXPECT_LT(bound, hottest_link_messages(Shape::parse(plain)).value());
  }
}

TEST(TwistedTorus, SurvivesPrintingAndParsing) {
  for (const Shape& shape : twisted()) {
    EXPECT_EQ(Shape::parse(shape.text()).text(), shape.text());
    EXPECT_EQ(Shape::parse(shape.text()), shape);
    EXPECT_NE(Shape::parse(shape.text().substr(0, shape.text().find('@'))), shape);
    EXPECT_EQ(shape.slice(0, shape.dims()), shape);
    EXPECT_FALSE(shape.slice(1, shape.dims()).is_twisted());
  }
}

TEST(TwistedTorus, RefusesInvalidTwists) {
  const auto refused = [](const char* text, const char* why, bool mesh = false) {
    try {
      Shape::parse(text, mesh);
      ADD_FAILURE() << text << " is accepted";
    } catch (const BadInput& refusal) {
      EXPECT_NE(std::string(refusal.what()).find(why), std::string::npos) << refusal.what();
    }
  };
  refused("8x4@", "name two of the dimensions");
  refused("8x4@X", "name two of the dimensions");
  refused("8x4@XX1", "name two of the dimensions");
  refused("8x4@XZ1", "name two of the dimensions XY");
  refused("8x4@xy1", "name two of the dimensions");
  refused("8x4@XY", "shift by 1 to 3");
  refused("8x4@XY0", "shift by 1 to 3");
  refused("8x4@XY4", "shift by 1 to 3");
  refused("8x4@XY-1", "shift by 1 to 3");
  refused("8x4@XY1@", "name two of the dimensions");
  refused("8x4@XY1@XY1", "repeats an earlier one");
  refused("8x4@XY1@YX1", "is twisted, so no twist can shift along it");
  refused("8x4x2@XY1@YZ1", "is twisted, so no twist can shift along it");
  refused("8x4m@XY1", "a twisted torus cannot have mesh dimensions");
  refused("8x4@XY1", "a twisted torus cannot have mesh dimensions", true);
  refused("1x4@XY1", "X has extent 1 and cannot be twisted");
}

}  // namespace
}  // namespace toroid
