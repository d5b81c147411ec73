#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>

#include "hal/random.hpp"

namespace toroid {
namespace {

// The published SplitMix64 gives these values for the state 1234567.
TEST(Random, MixesLikeSplitMix64) {
  constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15ull;
  EXPECT_EQ(mix64(1234567 + kStep), 6457827717110365317ull);
  EXPECT_EQ(mix64(1234567 + 2 * kStep), 3203168211198807973ull);
  EXPECT_EQ(mix64(1234567 + 3 * kStep), 9817491932198370423ull);
}

TEST(Random, GivesTheSameSequenceOnEveryCompiler) {
  Random random(42);
  const std::array<std::uint64_t, 4> pinned = {0x57e1faba65107204ull, 0xf4abd143feb24055ull,
                                               0x7c816738c12903b2ull, 0x113e5dec6f8fd8a8ull};
  for (const auto value : pinned) EXPECT_EQ(random.next(), value);
}

TEST(Random, IsTheSameAtCompileTime) {
  constexpr std::uint64_t first = Random(42).next();
  Random random(42);
  EXPECT_EQ(random.next(), first);
}

TEST(Random, StreamsOfOneSeedDiffer) {
  std::set<std::uint64_t> firsts;
  for (std::uint64_t stream = 0; stream < 10000; ++stream) firsts.insert(Random(7, stream).next());
  EXPECT_EQ(firsts.size(), 10000u);
}

TEST(Random, BelowStaysBelowAndReachesEveryValue) {
  Random random(1);
  for (const std::uint32_t bound : {1u, 2u, 3u, 10u, 100u}) {
    std::set<std::uint32_t> seen;
    for (unsigned i = 0; i < 100 * bound; ++i) seen.insert(random.below(bound));
    EXPECT_EQ(seen.size(), bound);
    EXPECT_EQ(*seen.rbegin(), bound - 1);
  }
  for (int i = 0; i < 1000; ++i) EXPECT_LT(random.below(0xffffffffu), 0xffffffffu);
}

TEST(Random, CoinsAndDiceAreFair) {
  Random random(3);
  std::array<int, 6> dice{};
  int heads = 0;
  for (int i = 0; i < 60000; ++i) {
    ++dice[random.below(6)];
    heads += random.coin() ? 1 : 0;
  }
  for (const int count : dice) EXPECT_NEAR(count, 10000, 460);  // five standard deviations
  EXPECT_NEAR(heads, 30000, 620);
}

}  // namespace
}  // namespace toroid
