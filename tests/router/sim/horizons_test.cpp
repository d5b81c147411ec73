// Tests how far each block may run. Most tests take the steps of all blocks on one thread.
#include "router/sim/horizons.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <thread>
#include <vector>

#include "router/sim/event.hpp"

namespace toroid::sim {
namespace {

using Neighbours = std::vector<std::vector<std::size_t>>;

/// Four blocks in a line: 0 - 1 - 2 - 3.
const Neighbours kLine = {{1}, {0, 2}, {1, 3}, {2}};

TEST(Horizons, BoundABlockByItsNeighboursOnly) {
  Horizons horizons(kLine, 10);
  for (std::size_t b = 0; b < 4; ++b) EXPECT_EQ(horizons.bound(b), 10u);
  horizons.announce(1, 7);
  EXPECT_EQ(horizons.bound(0), 17u);
  EXPECT_EQ(horizons.bound(2), 10u);
  horizons.announce(3, 5);
  EXPECT_EQ(horizons.bound(2), 15u);
  EXPECT_EQ(horizons.bound(3), 10u);
}

TEST(Horizons, JumpToTheNextEventWhenAllBlocksRest) {
  Horizons horizons(kLine, 10);
  const std::vector<Horizons::Rest> rests = {{500, 3, 0}, {900, 1, 2}, {kNever, 0, 1}, {700, 0, 1}};
  for (std::size_t b = 0; b < rests.size(); ++b) {
    EXPECT_EQ(horizons.bound(1), 10u);
    horizons.rest(b, rests[b]);
    horizons.try_jump();
  }
  EXPECT_EQ(horizons.bound(1), 510u);
  horizons.announce(0, 100);  // the bound must not decrease
  EXPECT_EQ(horizons.bound(1), 510u);
}

TEST(Horizons, DoNotJumpOverAnUnreceivedMessage) {
  Horizons horizons({{1}, {0}}, 10);
  horizons.rest(0, {500, 1, 0});
  horizons.rest(1, {kNever, 0, 0});
  horizons.try_jump();
  EXPECT_EQ(horizons.bound(1), 10u);
  horizons.wake(1);
  horizons.try_jump();
  EXPECT_EQ(horizons.bound(1), 10u);
  horizons.rest(1, {79, 0, 1});
  horizons.try_jump();
  EXPECT_EQ(horizons.bound(0), 89u);
}

TEST(Horizons, EndWhenNoBlockHasAnEvent) {
  Horizons horizons({{1}, {0}}, 10);
  horizons.rest(0, {kNever, 1, 1});
  horizons.rest(1, {kNever, 1, 1});
  horizons.try_jump();
  EXPECT_EQ(horizons.bound(0), kNever);
  EXPECT_EQ(horizons.end(), kNever);
}

TEST(Horizons, EndAtTheEarliestOfSeveralEnds) {
  Horizons horizons({{1}, {0}}, 10);
  horizons.end_at(8);
  horizons.end_at(9);
  EXPECT_EQ(horizons.end(), 8u);
  EXPECT_EQ(horizons.bound(0), 8u);
}

/// Expects that `reason` wakes a sleeping block.
void expect_woken(auto reason) {
  Horizons horizons({{1}, {0}}, 10);
  std::jthread other([&] { reason(horizons); });
  while (horizons.bound(0) == 10) horizons.sleep(0, [&] { return horizons.bound(0) != 10; });
}

TEST(Horizons, WakeSleepingBlocksByAnnouncementsEndsAndJumps) {
  for (int i = 0; i < 200; ++i) {
    expect_woken([](Horizons& h) { h.announce(1, 1); });
    expect_woken([](Horizons& h) { h.end_at(3); });
    expect_woken([](Horizons& h) {
      h.rest(0, {kNever, 0, 0});
      h.rest(1, {30, 0, 0});
      h.try_jump();
    });
  }
}

}  // namespace
}  // namespace toroid::sim
