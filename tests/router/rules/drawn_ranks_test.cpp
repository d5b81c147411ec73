// The ranks of equal inputs, over all draws: exactly fair to pairs, nearly so to more.
#include "router/rules/drawn_ranks.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>
#include <vector>

#include "hal/random.hpp"

namespace toroid {
namespace {

constexpr unsigned kDraws = DrawnRanks::kMaps * DrawnRanks::kInputs;

/// Every draw once.
std::vector<DrawnRanks> all_draws() {
  std::vector<DrawnRanks> draws;
  for (std::uint64_t map = 0; map < DrawnRanks::kMaps; ++map)
    for (std::uint64_t b = 0; b < DrawnRanks::kInputs; ++b)
      draws.emplace_back(((map << 32) / DrawnRanks::kMaps + 1) << 32 | b);
  return draws;
}

TEST(DrawnRanks, AreAPermutationOfTheInputs) {
  for (const DrawnRanks& ranks : all_draws())
    for (unsigned input = 0; input < DrawnRanks::kInputs; ++input) {
      ASSERT_LT(ranks[input], DrawnRanks::kInputs);
      ASSERT_EQ(ranks.input_of(ranks[input]), input);
      ASSERT_EQ(ranks.eight(input / 8)[input % 8], static_cast<int>(ranks[input]));
    }
}

TEST(DrawnRanks, EitherOfTwoInputsIsHigherInHalfOfTheDraws) {
  const std::vector<DrawnRanks> draws = all_draws();
  for (unsigned a = 0; a < DrawnRanks::kInputs; ++a)
    for (unsigned b = 0; b < a; ++b) {
      unsigned higher = 0;
      for (const DrawnRanks& ranks : draws) higher += ranks[a] > ranks[b] ? 1 : 0;
      ASSERT_EQ(higher, kDraws / 2) << a << ' ' << b;
    }
}

TEST(DrawnRanks, ThreeInputsHaveEachSetOfThreeRanksOnce) {
  const std::vector<DrawnRanks> draws = all_draws();
  Random random(1);
  for (unsigned round = 0; round < 40; ++round) {
    const unsigned a = random.below(10), b = 10 + random.below(11), c = 21 + random.below(11);
    std::set<std::uint32_t> sets;
    for (const DrawnRanks& ranks : draws)
      sets.insert(1u << ranks[a] | 1u << ranks[b] | 1u << ranks[c]);
    ASSERT_EQ(sets.size(), kDraws);
  }
}

TEST(DrawnRanks, OneOfThreeOrFourInputsIsHighestInItsShareOfTheDraws) {
  const std::vector<DrawnRanks> draws = all_draws();
  Random random(2);
  for (unsigned round = 0; round < 200; ++round) {
    const std::array<unsigned, 4> inputs = {random.below(8), 8 + random.below(8),
                                            16 + random.below(8), 24 + random.below(8)};
    for (const unsigned count : {3u, 4u}) {
      std::array<unsigned, 4> highest{};
      for (const DrawnRanks& ranks : draws) {
        unsigned best = 0;
        for (unsigned i = 1; i < count; ++i)
          best = ranks[inputs[i]] > ranks[inputs[best]] ? i : best;
        ++highest[best];
      }
      for (unsigned i = 0; i < count; ++i)
        ASSERT_NEAR(highest[i], double{kDraws} / count, 0.07 * kDraws / count);
    }
  }
}

}  // namespace
}  // namespace toroid
