// Fill compared with a plain version of FIG. 9 as three nested loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hal/direction.hpp"
#include "hal/fill.hpp"
#include "hal/output_queues.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "tests/hal/descriptors.hpp"

namespace toroid {
namespace {

using testing::cookies;

constexpr std::uint64_t cookie(Rank peer, std::uint32_t packet) {
  return std::uint64_t{peer} << 32 | packet;
}

SendDescriptor make(Rank peer, std::uint32_t packet, std::uint32_t /*limit*/) {
  return testing::descriptor(DirectionSet(1), cookie(peer, packet));
}

using CookieLists = std::vector<std::vector<std::uint64_t>>;

/// FIG. 9, steps 906 to 914, except that the last round may be short.
CookieLists reference_fill(const SendOrder& order, Batching batching, unsigned queue_count) {
  CookieLists queues(queue_count);
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

CookieLists taken(OutputQueues& queues) {
  CookieLists all(queues.count());
  for (unsigned i = 0; i < queues.count(); ++i) all[i] = cookies(queues[i]);
  return all;
}

struct World {
  SendOrder order;
  Batching batching;
  unsigned queues;
};

std::vector<World> worlds() {
  std::vector<World> all;
  for (const Rank members : {2u, 3u, 9u, 20u})
    for (const std::uint32_t packets : {1u, 2u, 5u, 6u})
      for (const std::uint32_t per_visit : {1u, 2u, 3u, 7u})
        for (const unsigned queues : {1u, 2u, 4u, 6u})
          all.push_back(
              {SendOrder(OrderRule::random, 0, members, 11), {packets, per_visit}, queues});
  return all;
}

TEST(Fill, MatchesThreeNestedLoops) {
  for (const World& world : worlds()) {
    OutputQueues filled(world.queues, 1000);
    Fill fill(world.order, world.batching);
    fill.run(filled, make);
    EXPECT_TRUE(fill.done());
    EXPECT_EQ(taken(filled), reference_fill(world.order, world.batching, world.queues));
  }
}

/// Calls run() repeatedly, with room for two descriptors per queue. Between two calls, one
/// descriptor leaves each queue.
CookieLists fill_in_pieces(const World& world, unsigned& runs) {
  OutputQueues filled(world.queues, 2);
  Fill fill(world.order, world.batching);
  CookieLists all(world.queues);
  for (runs = 0; !fill.done() && runs < 10000; ++runs) {
    fill.run(filled, make);
    for (unsigned i = 0; i < world.queues; ++i) {
      EXPECT_LE(filled[i].size(), 2u);
      if (filled[i].empty()) continue;
      all[i].push_back(filled[i].front().cookie);
      filled[i].pop();
    }
  }
  for (unsigned i = 0; i < world.queues; ++i)
    for (const auto left : cookies(filled[i])) all[i].push_back(left);
  return all;
}

/// A descriptor of as many packets as the visit allows, but at most up to the next multiple of 3.
SendDescriptor make_run(Rank peer, std::uint32_t first, std::uint32_t limit) {
  SendDescriptor run = make(peer, first, limit);
  run.packets = std::min(limit, 3 - first % 3);
  return run;
}

TEST(Fill, TakesSeveralPacketsOfAVisitInOneDescriptor) {
  for (const World& world : worlds()) {
    OutputQueues filled(world.queues, 1000);
    Fill fill(world.order, world.batching);
    fill.run(filled, make_run);
    EXPECT_TRUE(fill.done());
    CookieLists packets(world.queues);
    for (unsigned i = 0; i < world.queues; ++i)
      for (; !filled[i].empty(); filled[i].pop())
        for (std::uint32_t p = 0; p < filled[i].front().packets; ++p)
          packets[i].push_back(filled[i].front().cookie + p);
    EXPECT_EQ(packets, reference_fill(world.order, world.batching, world.queues));
  }
}

TEST(Fill, StopsAtFullQueuesAndResumesInTheSameOrder) {
  for (const World& world : worlds()) {
    unsigned runs = 0;
    EXPECT_EQ(fill_in_pieces(world, runs),
              reference_fill(world.order, world.batching, world.queues));
    const std::size_t total = std::size_t{world.order.size()} * world.batching.packets;
    if (total > 2u * world.queues) {
      EXPECT_GT(runs, 1u);
    }
  }
}

TEST(Fill, RestartsTheQueueCounterInEachRound) {
  OutputQueues queues(3, 100);  // four peers: without a restart, round 2 would begin at queue 1
  Fill fill(SendOrder({1, 2, 3, 4}), {.packets = 2, .per_visit = 1});
  fill.run(queues, make);
  EXPECT_EQ(cookies(queues[0]),
            (std::vector{cookie(1, 0), cookie(4, 0), cookie(1, 1), cookie(4, 1)}));
  EXPECT_EQ(cookies(queues[1]), (std::vector{cookie(2, 0), cookie(2, 1)}));
  EXPECT_EQ(cookies(queues[2]), (std::vector{cookie(3, 0), cookie(3, 1)}));
}

TEST(Fill, AsksForTheOrderOfEveryRoundButTheFirst) {
  OutputQueues queues(1, 100);
  const auto turned = [](std::uint32_t round) {
    return round == 1 ? SendOrder({2, 1}) : SendOrder({1, 2});
  };
  Fill fill(SendOrder({1, 2}), {.packets = 5, .per_visit = 2}, turned);
  fill.run(queues, make);
  EXPECT_TRUE(fill.done());
  EXPECT_EQ(cookies(queues[0]),
            (std::vector{cookie(1, 0), cookie(1, 1), cookie(2, 0), cookie(2, 1), cookie(2, 2),
                         cookie(2, 3), cookie(1, 2), cookie(1, 3), cookie(1, 4), cookie(2, 4)}));
}

TEST(Fill, MakesTheLastRoundShort) {
  OutputQueues queues(1, 100);
  Fill fill(SendOrder({2, 1}), {.packets = 3, .per_visit = 2});
  fill.run(queues, make);
  EXPECT_EQ(cookies(queues[0]), (std::vector{cookie(2, 0), cookie(2, 1), cookie(1, 0), cookie(1, 1),
                                             cookie(2, 2), cookie(1, 2)}));
}

TEST(Fill, SkipsMissingPacketsOfShorterMessages) {
  OutputQueues queues(1, 100);
  Fill fill(SendOrder({2, 1, 3}), {.packets = 3, .per_visit = 1});
  fill.run(queues, [](Rank peer, std::uint32_t packet, std::uint32_t limit) -> SendDescriptor {
    if (packet >= peer - 1) return SendDescriptor::none();  // peer 1 gets none, 2 one, 3 two
    return make(peer, packet, limit);
  });
  EXPECT_TRUE(fill.done());
  EXPECT_EQ(cookies(queues[0]), (std::vector{cookie(2, 0), cookie(3, 0), cookie(3, 1)}));
}

TEST(Fill, SkipsRoundsWithoutVisits) {
  const std::vector<std::vector<Rank>> visited = {{}, {3}, {}, {}, {3, 1}, {}};
  Fill fill(SendOrder(visited[0]), {6, 1},
            [&](std::uint32_t round) { return SendOrder(visited[round]); });
  for (int run = 0; run < 2; ++run) {
    OutputQueues queues(1, 100);
    fill.run(queues, make);
    EXPECT_TRUE(fill.done());
    EXPECT_EQ(taken(queues)[0],
              (std::vector<std::uint64_t>{cookie(3, 1), cookie(3, 4), cookie(1, 4)}));
    fill.restart();
  }
}

TEST(Fill, IsDoneAtOnceWithoutPeersOrPackets) {
  EXPECT_TRUE(Fill(SendOrder(OrderRule::random, 0, 1, 1), {.packets = 4}).done());
  EXPECT_TRUE(Fill(SendOrder(OrderRule::random, 0, 5, 1), {.packets = 0}).done());
  EXPECT_FALSE(Fill(SendOrder(OrderRule::random, 0, 5, 1), {.packets = 1}).done());
}

}  // namespace
}  // namespace toroid
