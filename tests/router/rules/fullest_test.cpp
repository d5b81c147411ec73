// The search for the fullest input, which looks at eight inputs at a time, gives the same result
// as a loop over all inputs.
#include "router/rules/fullest.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "hal/direction.hpp"
#include "hal/machine.hpp"
#include "hal/random.hpp"
#include "hal/tick.hpp"
#include "router/rules/arbitration.hpp"

namespace toroid {
namespace {

/// Compares the candidates one after the other: the fuller one wins, then the one of higher rank.
unsigned first_by_loop(std::uint32_t candidates, bool levels_count, const DrawnRanks& ranks,
                       const FillLevels& levels) {
  const auto key = [&](unsigned source) {
    return std::pair(levels_count ? levels[source] : 0, ranks[source]);
  };
  unsigned best = static_cast<unsigned>(std::countr_zero(candidates));
  for (unsigned source = best; source < levels.size(); ++source)
    if ((candidates >> source & 1u) != 0 && key(source) > key(best)) best = source;
  return best;
}

FillLevels random_levels(Random& random, std::uint32_t distinct) {
  FillLevels levels;
  for (auto& level : levels)
    level = static_cast<std::uint8_t>(255 - random.below(distinct) * (255 / distinct));
  return levels;
}

DrawnRanks drawn(Random& random) {
  return {random.below(DrawnRanks::kPermutations), random.below(DrawnRanks::kInputs)};
}

std::uint32_t random_set(Random& random) {
  return random.below(1u << 16) << 16 | random.below(1u << 16);
}

TEST(Fullest, MatchesALoopOnRandomLevels) {
  Random random(1);
  for (const std::uint32_t distinct : {1u, 2u, 3u, 17u, 255u})
    for (unsigned round = 0; round < 2000; ++round) {
      const FillLevels levels = random_levels(random, distinct);
      std::uint32_t candidates = random_set(random);
      if (round % 2 == 0) candidates &= candidates >> 7 & candidates << 9;
      if (candidates == 0) continue;
      for (const bool levels_count : {true, false}) {
        const DrawnRanks ranks = drawn(random);
        ASSERT_EQ(first_of(candidates, levels_count, ranks, levels),
                  first_by_loop(candidates, levels_count, ranks, levels))
            << candidates;
      }
    }
}

TEST(Fullest, OfOneCandidateIsThatOneWhateverItsLevel) {
  for (unsigned source = 0; source < 32; ++source) {
    FillLevels levels;
    levels.fill(255);
    for (const unsigned level : {0u, 1u, 127u, 128u, 255u}) {
      levels[source] = static_cast<std::uint8_t>(level);
      EXPECT_EQ(first_of(1u << source, true, DrawnRanks(level % 64, level % 32), levels), source);
    }
  }
}

TEST(Fullest, RanksOfEveryDrawAreAPermutation) {
  Random random(3);
  for (unsigned round = 0; round < 2000; ++round) {
    const DrawnRanks ranks = drawn(random);
    for (unsigned input = 0; input < DrawnRanks::kInputs; ++input) {
      ASSERT_LT(ranks[input], DrawnRanks::kInputs);
      ASSERT_EQ(ranks.input_of(ranks[input]), input);
    }
  }
}

TEST(Fullest, EachOfThreeEqualsGoesFirstInAThirdOfTheDraws) {
  Random random(4);
  const FillLevels levels{};
  constexpr unsigned kDraws = 6000;
  for (unsigned round = 0; round < 60; ++round) {
    const std::array<unsigned, 3> three = {random.below(10), 10 + random.below(11),
                                           21 + random.below(11)};
    std::array<unsigned, 32> first{};
    for (unsigned i = 0; i < kDraws; ++i)
      ++first[first_of(1u << three[0] | 1u << three[1] | 1u << three[2], true, drawn(random),
                       levels)];
    // 5 % of the draws are over two standard deviations of a choice among 64 permutations.
    for (const unsigned input : three) EXPECT_NEAR(first[input], kDraws / 3, kDraws / 20);
  }
}

TEST(Fullest, PickFromAnArrayMatchesTheChoiceByACallback) {
  Random random(2);
  const SenderArbitration arbitration{Machine()};
  for (Tick now = 0; now < 5000; ++now) {
    const FillLevels levels = random_levels(random, 4);
    const std::uint32_t candidates = random_set(random) | 1u << random.below(32);
    const SenderArbitration::Cycle cycle = arbitration.begin(now);
    const std::uint64_t link = random.below(1000);
    EXPECT_EQ(SenderArbitration::pick(cycle, candidates, link, levels),
              arbitration.choose(cycle, candidates, link, Direction{0},
                                 [&](unsigned s) { return unsigned{levels[s]}; }));
  }
}

}  // namespace
}  // namespace toroid
