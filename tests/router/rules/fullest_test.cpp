// The search for the fullest input, which looks at eight inputs at a time, gives the same result
// as a loop over all inputs.
#include "router/rules/fullest.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <utility>

#include "hal/direction.hpp"
#include "hal/machine.hpp"
#include "hal/random.hpp"
#include "hal/tick.hpp"
#include "router/rules/arbitration.hpp"
#include "router/rules/drawn_ranks.hpp"

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
  return DrawnRanks(std::uint64_t{random.below(~0u)} << 32 | random.below(DrawnRanks::kInputs));
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
      EXPECT_EQ(
          first_of(1u << source, true, DrawnRanks(std::uint64_t{level} << 56 | level), levels),
          source);
    }
  }
}

TEST(Fullest, PickFromAnArrayMatchesTheChoiceByACallback) {
  Random random(2);
  for (const unsigned rule : {0u, 1u})
    for (Tick now = 0; now < 5000; ++now) {
      Machine machine;
      machine.arbitration_choice = rule;
      const SenderArbitration arbitration(machine, 1);
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
