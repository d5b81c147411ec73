// The search for the fullest input, which looks at eight inputs at a time, gives the same result as
// a loop over all inputs.
#include "router/rules/fullest.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "hal/machine.hpp"
#include "hal/random.hpp"
#include "hal/tick.hpp"
#include "router/rules/arbitration.hpp"

namespace toroid {
namespace {

/// Compares the candidates one after the other: a fuller candidate wins; ties go to `start`, then
/// to the lowest index.
unsigned fullest_by_loop(std::uint32_t candidates, unsigned start, const FillLevels& levels) {
  unsigned best = start;
  for (unsigned source = 0; source < levels.size(); ++source)
    if ((candidates >> source & 1u) != 0 &&
        (levels[source] > levels[best] ||
         (levels[source] == levels[best] && best != start && source < best)))
      best = source;
  return best;
}

FillLevels random_levels(Random& random, std::uint32_t distinct) {
  FillLevels levels;
  for (auto& level : levels)
    level = static_cast<std::uint8_t>(255 - random.below(distinct) * (255 / distinct));
  return levels;
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
      for (unsigned start = 0; start < levels.size(); ++start) {
        if ((candidates >> start & 1u) == 0) continue;
        ASSERT_EQ(fullest_of(candidates, start, levels), fullest_by_loop(candidates, start, levels))
            << candidates << " from " << start;
      }
    }
}

TEST(Fullest, OfOneCandidateIsThatOneWhateverItsLevel) {
  for (unsigned source = 0; source < 32; ++source) {
    FillLevels levels;
    levels.fill(255);
    for (const unsigned level : {0u, 1u, 127u, 128u, 255u}) {
      levels[source] = static_cast<std::uint8_t>(level);
      EXPECT_EQ(fullest_of(1u << source, source, levels), source);
    }
  }
}

TEST(Fullest, PickFromAnArrayMatchesPickByACallback) {
  Random random(2);
  const SenderArbitration arbitration{Machine()};
  for (Tick now = 0; now < 5000; ++now) {
    const FillLevels levels = random_levels(random, 4);
    const std::uint32_t candidates = random_set(random) | 1u << random.below(32);
    const SenderArbitration::Cycle cycle = arbitration.begin(now);
    const std::uint64_t link = random.below(1000);
    EXPECT_EQ(SenderArbitration::pick(cycle, candidates, link, levels),
              SenderArbitration::pick(cycle, std::uint64_t{candidates}, link,
                                      [&](unsigned s) { return unsigned{levels[s]}; }));
  }
}

}  // namespace
}  // namespace toroid
