// The index of the queues' heads, compared with a scan of every queue.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "hal/direction.hpp"
#include "hal/flowchart_profile.hpp"
#include "hal/packet.hpp"
#include "hal/queue_head_lookup.hpp"
#include "hal/random.hpp"

namespace toroid {
namespace {

TEST(NumberSet, FindsTheNextMemberNearAndFar) {
  NumberSet numbers(20000);
  EXPECT_EQ(numbers.at_or_after(0), std::nullopt);
  for (const unsigned i : {0u, 63u, 64u, 4095u, 4096u, 19999u}) numbers.insert(i);
  EXPECT_EQ(numbers.size(), 6u);
  std::vector<unsigned> found;
  for (auto at = numbers.at_or_after(0); at; at = numbers.at_or_after(*at + 1))
    found.push_back(*at);
  EXPECT_EQ(found, (std::vector{0u, 63u, 64u, 4095u, 4096u, 19999u}));
  numbers.erase(4096);
  EXPECT_EQ(numbers.at_or_after(4096), 19999u);
  EXPECT_EQ(numbers.at_or_after(20000), std::nullopt);
}

TEST(NumberSet, MatchesAStandardSet) {
  for (const unsigned limit : {1u, 64u, 65u, 4096u, 9000u}) {
    Random random(limit);
    NumberSet numbers(limit);
    std::set<unsigned> reference;
    for (unsigned step = 0; step < 4000; ++step) {
      const unsigned i = random.below(limit);
      if (reference.insert(i).second) {
        numbers.insert(i);
      } else {
        numbers.erase(i);
        reference.erase(i);
      }
      const unsigned from = random.below(limit);
      const auto next = reference.lower_bound(from);
      const auto expected = next == reference.end() ? std::nullopt : std::optional(*next);
      ASSERT_EQ(numbers.at_or_after(from), expected);
      ASSERT_EQ(numbers.size(), reference.size());
    }
  }
}

Head random_head(Random& random) {
  return {DirectionSet(static_cast<std::uint16_t>(random.below(64))), 1 + random.below(kMaxChunks)};
}

QueueHeadLookup::OpenDirections random_open(Random& random) {
  QueueHeadLookup::OpenDirections open;
  for (DirectionSet& set : open) set = DirectionSet(static_cast<std::uint16_t>(random.below(8)));
  return open;
}

std::optional<unsigned> first_open(const std::vector<Head>& heads, unsigned from,
                                   const QueueHeadLookup::OpenDirections& open) {
  for (unsigned i = 0; i < heads.size(); ++i) {
    const unsigned queue = (from + i) % static_cast<unsigned>(heads.size());
    if (open[heads[queue].chunks - 1].meets(heads[queue].hints)) return queue;
  }
  return std::nullopt;
}

TEST(QueueHeadLookup, MatchesAScanOfAllQueues) {
  for (const unsigned queues : {1u, 70u, 300u}) {
    Random random(queues);
    QueueHeadLookup index(queues);
    std::vector<Head> heads(queues, Head{{}, 1});
    for (unsigned step = 0; step < 2000; ++step) {
      const unsigned queue = random.below(queues);
      const Head after = random_head(random);
      index.replace(queue, heads[queue], after);
      heads[queue] = after;
      const unsigned from = random.below(queues);
      const auto open = random_open(random);
      ASSERT_EQ(index.first_open(from, open), first_open(heads, from, open));
    }
    DirectionCounts expected{};
    for (const Head& head : heads)
      for (std::uint8_t d = 0; d < kMaxLinks; ++d) expected[d] += head.hints.has({d}) ? 1 : 0;
    DirectionCounts counts{};
    index.add_to(counts);
    EXPECT_EQ(counts, expected);
  }
}

}  // namespace
}  // namespace toroid
