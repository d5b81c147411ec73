// Fill against FIG. 9 written down as three plain loops.
#include "hal/fill.hpp"

#include <gtest/gtest.h>

#include "tests/hal/descriptors.hpp"

namespace toroid {
namespace {

using testing::cookies;

constexpr std::uint64_t cookie(Rank peer, std::uint32_t packet) {
  return std::uint64_t{peer} << 32 | packet;
}

std::optional<SendDescriptor> make(Rank peer, std::uint32_t packet) {
  return testing::descriptor(DirectionSet(1), cookie(peer, packet));
}

using Queues = std::vector<std::vector<std::uint64_t>>;

/// FIG. 9, steps 906 to 914, with a short last round.
Queues reference(const SendOrder& order, Batching batching, unsigned queue_count) {
  Queues queues(queue_count);
  for (std::uint32_t sent = 0; sent < batching.packets; sent += batching.per_visit) {
    unsigned queue = 0;
    for (Rank i = 0; i < order.size(); ++i) {
      for (std::uint32_t b = 0; b < batching.per_visit && sent + b < batching.packets; ++b)
        queues[queue].push_back(cookie(order[i], sent + b));
      queue = (queue + 1) % queue_count;
    }
  }
  return queues;
}

Queues taken(OutputQueues& queues) {
  Queues all(queues.count());
  for (unsigned i = 0; i < queues.count(); ++i) all[i] = cookies(queues[i]);
  return all;
}

class FillSizes : public ::testing::TestWithParam<std::tuple<Rank, unsigned, unsigned, unsigned>> {
 protected:
  SendOrder order() const { return {OrderRule::random, 0, std::get<0>(GetParam()), 11}; }
  Batching batching() const { return {std::get<1>(GetParam()), std::get<2>(GetParam())}; }
  unsigned queues() const { return std::get<3>(GetParam()); }
};

TEST_P(FillSizes, EqualsThreeNestedLoops) {
  OutputQueues filled(queues(), 1000);
  Fill fill(order(), batching());
  fill.run(filled, make);
  EXPECT_TRUE(fill.done());
  EXPECT_EQ(taken(filled), reference(order(), batching(), queues()));
}

TEST_P(FillSizes, StopsAtFullQueuesAndResumesInTheSameOrder) {
  const Queues expected = reference(order(), batching(), queues());
  OutputQueues filled(queues(), 2);
  Fill fill(order(), batching());
  Queues all(queues());
  unsigned runs = 0;
  while (!fill.done()) {
    fill.run(filled, make);
    ASSERT_LT(++runs, 10000u) << "no progress";
    for (unsigned i = 0; i < queues(); ++i) {
      ASSERT_LE(filled[i].size(), 2u);
      if (filled[i].empty()) continue;  // one descriptor leaves each queue
      all[i].push_back(filled[i].front().cookie);
      filled[i].pop();
    }
  }
  for (unsigned i = 0; i < queues(); ++i)
    for (const auto left : cookies(filled[i])) all[i].push_back(left);
  EXPECT_EQ(all, expected);
  const std::size_t total = std::size_t{order().size()} * batching().packets;
  if (total > 2u * queues()) {
    EXPECT_GT(runs, 1u);
  }
}

INSTANTIATE_TEST_SUITE_P(All, FillSizes,
                         ::testing::Combine(::testing::Values(2u, 3u, 9u, 20u),
                                            ::testing::Values(1u, 2u, 5u, 6u),
                                            ::testing::Values(1u, 2u, 3u, 7u),
                                            ::testing::Values(1u, 2u, 4u, 6u)));

TEST(Fill, RestartsTheQueueCounterInEachRound) {
  OutputQueues queues(3, 100);  // four peers: a counter that ran on would begin round 2 at queue 1
  Fill fill(SendOrder(0, {1, 2, 3, 4}), {.packets = 2, .per_visit = 1});
  fill.run(queues, make);
  EXPECT_EQ(cookies(queues[0]),
            (std::vector{cookie(1, 0), cookie(4, 0), cookie(1, 1), cookie(4, 1)}));
  EXPECT_EQ(cookies(queues[1]), (std::vector{cookie(2, 0), cookie(2, 1)}));
  EXPECT_EQ(cookies(queues[2]), (std::vector{cookie(3, 0), cookie(3, 1)}));
}

TEST(Fill, MakesTheLastRoundShort) {
  OutputQueues queues(1, 100);
  Fill fill(SendOrder(0, {2, 1}), {.packets = 3, .per_visit = 2});
  fill.run(queues, make);
  EXPECT_EQ(cookies(queues[0]), (std::vector{cookie(2, 0), cookie(2, 1), cookie(1, 0), cookie(1, 1),
                                             cookie(2, 2), cookie(1, 2)}));
}

TEST(Fill, LeavesOutThePacketsOfShorterMessages) {
  OutputQueues queues(1, 100);
  Fill fill(SendOrder(0, {2, 1, 3}), {.packets = 3, .per_visit = 1});
  fill.run(queues, [](Rank peer, std::uint32_t packet) -> std::optional<SendDescriptor> {
    if (packet >= peer - 1) return std::nullopt;  // peer 1 gets none, 2 one, 3 two
    return make(peer, packet);
  });
  EXPECT_TRUE(fill.done());
  EXPECT_EQ(cookies(queues[0]), (std::vector{cookie(2, 0), cookie(3, 0), cookie(3, 1)}));
}

TEST(Fill, IsDoneAtOnceWithoutPeersOrPackets) {
  EXPECT_TRUE(Fill(SendOrder(OrderRule::random, 0, 1, 1), {.packets = 4}).done());
  EXPECT_TRUE(Fill(SendOrder(OrderRule::random, 0, 5, 1), {.packets = 0}).done());
  EXPECT_FALSE(Fill(SendOrder(OrderRule::random, 0, 5, 1), {.packets = 1}).done());
}

}  // namespace
}  // namespace toroid
