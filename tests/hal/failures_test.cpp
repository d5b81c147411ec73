// Failed links and nodes, compared with a search that follows every order of the hops.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hal/bounds.hpp"
#include "hal/check.hpp"
#include "hal/direction.hpp"
#include "hal/failures.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "tests/hal/shapes.hpp"

namespace toroid {
namespace {

using ::testing::HasSubstr;

Shape failed(const char* shape, FailureList list) {
  return Shape::parse(shape).with_failures(list);
}

bool searched_way(const Shape& shape, Rank at, Rank to, DirectionSet hints) {
  if (!shape.is_alive(at) || !shape.is_alive(to)) return false;
  if (at == to) return true;
  const DirectionSet left = directions_left(shape, shape.coord(at), shape.coord(to), hints);
  for (unsigned l = 0; l < shape.links(); ++l) {
    if (!left.has(testing::direction(l))) continue;
    const auto next = shape.neighbour(at, testing::direction(l));
    if (next && searched_way(shape, *next, to, hints)) return true;
  }
  return false;
}

/// All hints that lead from one node to another, including the long ways round. With failures a
/// packet never has both hints of a dimension.
std::vector<DirectionSet> all_hints(const Shape& shape, Rank from, Rank to) {
  std::vector<DirectionSet> all;
  for (unsigned bits = 0; bits < 1u << shape.links(); ++bits) {
    const DirectionSet hints(static_cast<std::uint16_t>(bits));
    if (!both_hints(hints) && route_along(shape, shape.coord(from), shape.coord(to), hints))
      all.push_back(hints);
  }
  return all;
}

void expect_as_searched(const Shape& shape) {
  const Failures& failures = *shape.failures();
  for (Rank from = 0; from < shape.size(); ++from)
    for (Rank to = 0; to < shape.size(); ++to)
      for (const DirectionSet hints : all_hints(shape, from, to)) {
        const bool way = searched_way(shape, from, to, hints);
        ASSERT_EQ(failures.leaves_way(from, to, hints, true), way) << from << " to " << to;
        DirectionSet open;
        for (unsigned l = 0; l < shape.links(); ++l) {
          const auto next = shape.neighbour(from, testing::direction(l));
          if (hints.has(testing::direction(l)) && next && searched_way(shape, *next, to, hints))
            open.add(testing::direction(l));
        }
        if (way) {
          ASSERT_EQ(failures.passable(from, to, hints), open) << from << " to " << to;
          const Route left = *route_along(shape, shape.coord(from), shape.coord(to), hints);
          ASSERT_EQ(failures.passable(from, to, left), open) << from << " to " << to;
        }
      }
}

TEST(Failures, LeaveThePathsThatASearchFindsForAnyFailedLink) {
  for (const char* text : {"5", "4m", "4x3", "4x3m", "2x2x2", "3x3x2"}) {
    const Shape shape = Shape::parse(text);
    for (Rank node = 0; node < shape.size(); ++node)
      for (unsigned l = 0; l < shape.links(); l += 2) {
        if (!shape.neighbour(node, testing::direction(l))) continue;
        const std::string link = shape.coord_text(node) + testing::direction(l).name();
        expect_as_searched(shape.with_failures({{link}, {}, true}));
        if (HasFatalFailure()) FAIL() << text << ' ' << link;
      }
  }
}

TEST(Failures, LeaveThePathsThatASearchFindsForSeveralFailures) {
  expect_as_searched(failed("4x4", {{"(0,0)X+", "(1,1)Y-", "(2,3)X-"}, {"(3,0)"}, true}));
  expect_as_searched(failed("3x3x3", {{"(0,0,0)X+", "(1,1,1)Z+"}, {"(2,2,2)", "(0,1,2)"}, true}));
  expect_as_searched(failed("2x3mx2", {{"(0,1,0)Y+", "(0,1,1)Y+"}, {}, true}));
}

TEST(Failures, CutALinkInBothDirections) {
  const Shape shape = failed("4x4", {{"(0,0)X-"}, {}, false});
  EXPECT_FALSE(shape.neighbour(shape.rank({{0, 0}}), Direction::minus(0)));
  EXPECT_FALSE(shape.neighbour(shape.rank({{3, 0}}), Direction::plus(0)));
  EXPECT_TRUE(shape.neighbour(shape.rank({{0, 0}}), Direction::plus(0)));
}

void check_all_pairs(const Shape& shape, bool dynamic) {
  std::vector<Rank> all(shape.size());
  std::iota(all.begin(), all.end(), Rank{0});
  shape.failures()->check_pairs(dynamic, [&](Rank) { return all; });
}

TEST(Failures, OfOneParallelLinkLeaveTheOther) {
  const Shape shape = failed("2x3", {{"(0,0)X+"}, {}, false});
  EXPECT_FALSE(shape.neighbour(0, Direction::plus(0)));
  EXPECT_EQ(shape.neighbour(0, Direction::minus(0)), 3u);
  check_all_pairs(shape, true);
}

TEST(Failures, OfANodeCutAllItsLinks) {
  const Shape shape = failed("3x3", {{}, {"(1,1)"}, false});
  EXPECT_FALSE(shape.is_alive(4));
  EXPECT_EQ(shape.failures()->living(), 8u);
  for (unsigned l = 0; l < 4; ++l) EXPECT_FALSE(shape.neighbour(4, testing::direction(l)));
  EXPECT_FALSE(shape.neighbour(1, Direction::plus(0)));
}

TEST(Failures, DetourByEquallyShortPathsThenByLongerOnes) {
  const Shape ring = failed("4", {{"(0)X+"}, {}, true});
  const DirectionSet plus(1);
  const DirectionSet minus(2);
  EXPECT_EQ(ring.failures()->detour(0, 2, plus, true), minus);  // two hops in either direction
  EXPECT_EQ(ring.failures()->detour(0, 1, plus, true), minus);  // three hops instead of one
  EXPECT_EQ(ring.failures()->detour(1, 2, plus, true), plus);
  const Shape minimal = failed("4", {{"(0)X+"}, {}, false});
  EXPECT_EQ(minimal.failures()->detour(0, 2, plus, true), minus);
  EXPECT_EQ(minimal.failures()->detour(0, 1, plus, true), std::nullopt);
}

TEST(Failures, CutTheOnlyPathOfDeterministicPackets) {
  const Shape shape = failed("5x5", {{"(0,0)X+"}, {}, false});
  const DirectionSet both(1 | 4);
  const Rank to = shape.rank({{1, 1}});
  EXPECT_TRUE(shape.failures()->leaves_way(0, to, both, true));  // they can go along Y first
  EXPECT_FALSE(shape.failures()->leaves_way(0, to, both, false));
  EXPECT_EQ(shape.failures()->detour(0, to, both, false), std::nullopt);
}

std::string refusal_of_pairs(const Shape& shape, bool dynamic) {
  try {
    check_all_pairs(shape, dynamic);
  } catch (const BadInput& refusal) {
    return refusal.what();
  }
  return "all have a path";
}

TEST(Failures, RefusalNamesAPairWithoutAPath) {
  const std::vector<std::string> link{"(0,0)X+"};
  // A pair is cut off if it lies in the link's row of 5 nodes and its shortest path crosses the
  // link: 3 pairs each way.
  EXPECT_THAT(
      refusal_of_pairs(failed("5x5", {link, {}, false}), true),
      HasSubstr(
          "no minimal path from (0,0) to (1,0), the first of 6 pairs that failed links cut off"));
  EXPECT_EQ(refusal_of_pairs(failed("5x5", {link, {}, true}), true), "all have a path");
  EXPECT_EQ(refusal_of_pairs(failed("5x5", {link, {}, true}), false), "all have a path");
  EXPECT_THAT(refusal_of_pairs(failed("5x5", {link, {}, false}), false),
              HasSubstr("no dimension-ordered path from (0,0) to (1,0)"));
  EXPECT_THAT(refusal_of_pairs(failed("4m", {{"(1)X+"}, {}, true}), true),
              HasSubstr("from (0) to (2)"));
  EXPECT_EQ(refusal_of_pairs(failed("3", {{}, {"(1)"}, true}), true), "all have a path");
}

TEST(Failures, CutOffOnlyPairsThatAreUsed) {
  const Shape shape = failed("5x5", {{"(0,0)X+"}, {}, false});
  const auto check = [&](const std::vector<std::vector<Rank>>& peers) {
    shape.failures()->check_pairs(
        true, [&](Rank from) { return from < peers.size() ? peers[from] : std::vector<Rank>{}; });
  };
  check({{1, 6, 20, 1}, {0, 2}});  // ranks 5 and 10 follow rank 0 along X
  EXPECT_THAT(
      [&] {
        check({{1, 10, 5, 10}, {}});
      },
      ::testing::ThrowsMessage<BadInput>(
          HasSubstr("no minimal path from (0,0) to (1,0), the first of 2 pairs that failed")));
}

TEST(Failures, InCycle1AreFromTheStart) {
  const Shape at_start = failed("4x4", {{"(0,0)X+"}, {"(2,2)"}, true});
  const Shape in_cycle_1 = failed("4x4", {{"(0,0)X+@1"}, {"(2,2)@01"}, true});
  EXPECT_FALSE(in_cycle_1.failures()->may_change());
  EXPECT_EQ(in_cycle_1.failures()->list().links, at_start.failures()->list().links);
  EXPECT_EQ(in_cycle_1.failures()->list().nodes, at_start.failures()->list().nodes);
  EXPECT_FALSE(in_cycle_1.neighbour(0, Direction::plus(0)));
  EXPECT_EQ(in_cycle_1.failures()->living(), 15u);
  const Shape in_cycle_2 = failed("4x4", {{"(0,0)X+@2"}, {}, true});
  EXPECT_TRUE(in_cycle_2.failures()->may_change());
  EXPECT_EQ(in_cycle_2.failures()->list().links, std::vector<std::string>{"(0,0)X+@2"});
}

TEST(Failures, RefuseUnknownLinksAndNodes) {
  const auto refused = [](const char* shape, FailureList list, const char* why) {
    try {
      failed(shape, std::move(list));
      ADD_FAILURE() << "accepted";
    } catch (const BadInput& refusal) {
      EXPECT_THAT(refusal.what(), HasSubstr(why));
    }
  };
  for (const char* link :
       {"", "X+", "(0,0)", "(0,0)x+", "(0,0)Z+", "(0,0)X", "(4,0)X+", "(0)X+", "(0,0,0)X+",
        "(0,0X+", "0,0)X+", "(,0)X+", "(0,0,)X+", "(-1,0)X+", "(0,0)X+ "})
    refused("4x4", {{link}, {}, false}, "is not a link of torus 4x4");
  refused("4x4", {{}, {"(0,4)"}, false}, "'(0,4)' is not a node of torus 4x4");
  refused("4x4m", {{"(0,3)Y+"}, {}, false}, "is not a link");
  refused("4x1", {{"(0,0)Y+"}, {}, false}, "is not a link");
  refused("4x8@XY4", {{"(0,0)X+"}, {}, false}, "not modelled on twisted tori");
}

TEST(Failures, RefuseCutOffPacketsAtInjection) {
  const Shape shape = failed("5x5", {{"(0,0)X+"}, {"(3,3)"}, false});
  const auto error = [&](Rank to, unsigned hints, bool dynamic) {
    Route route;
    return validate(PacketHeader(HeaderFields{
                        .destination = to,
                        .hints = DirectionSet(static_cast<std::uint16_t>(hints)),
                        .dynamic = dynamic,
                        .channel = dynamic ? VirtualChannel::dynamic0 : VirtualChannel::bubble}),
                    shape, Coord{}, route);
  };
  EXPECT_EQ(error(5, 1, true), HeaderError::no_way_left);
  EXPECT_EQ(error(6, 1 | 4, true), HeaderError::none);
  EXPECT_EQ(error(6, 1 | 4, false), HeaderError::no_way_left);
  EXPECT_EQ(error(shape.rank({{3, 3}}), 2 | 8, true), HeaderError::no_way_left);
}

TEST(Failures, LowerTheBoundOnlyIfNodesAreDead) {
  const double whole = hottest_link_messages(Shape::parse("4x4")).value();
  EXPECT_EQ(whole, 8);
  const double one = hottest_link_messages(failed("4x4", {{"(0,0)X+"}, {}, true})).value();
  EXPECT_DOUBLE_EQ(one, 8.0 * 32 / 30);
  EXPECT_LT(hottest_link_messages(failed("4x4m", {{}, {"(0,0)"}, true})).value(),
            hottest_link_messages(Shape::parse("4x4m")).value() * 15 / 14);
  const Machine bgl;
  EXPECT_EQ(all_to_all_bounds(bgl, failed("2", {{}, {"(1)"}, false}), message_cost(bgl, 240)).max(),
            0u);
}

}  // namespace
}  // namespace toroid
