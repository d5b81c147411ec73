// Which packet goes first: the head of the fullest FIFO or of a random one; ties follow the
// machine's rule.
#include "router/rules/arbitration.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "hal/direction.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/tick.hpp"
#include "router/rules/link_order.hpp"
#include "router/rules/routing.hpp"

namespace toroid {
namespace {

constexpr unsigned kLinks = 6;
constexpr Direction kOut{4};  // Z+

SenderArbitration arbitration_by(FairnessRule rule, std::uint64_t seed = 1) {
  Machine machine;
  machine.arbitration_choice = static_cast<unsigned>(rule);
  return SenderArbitration(machine, seed);
}

constexpr Input kStraight = Input::channel(kOut, VirtualChannel::dynamic0);
constexpr Input kFromX = Input::channel({0}, VirtualChannel::dynamic0);
constexpr Input kFromY = Input::channel({2}, VirtualChannel::dynamic1);
constexpr Input kInjected = Input::fifo(kLinks, 3);
constexpr std::uint64_t kAll = kStraight.bit() | kFromX.bit() | kFromY.bit() | kInjected.bit();

using Wins = std::array<unsigned, 64>;  ///< [input]

/// Counts how often each input wins in `cycles` cycles of one kind (fullest first, or random),
/// while all inputs are equally full.
Wins wins(FairnessRule rule, bool fullest_first, unsigned cycles) {
  const SenderArbitration arbitration = arbitration_by(rule);
  Wins wins{};
  for (Tick now = 0; cycles > 0; ++now) {
    const SenderArbitration::Cycle cycle = arbitration.begin(now);
    if (cycle.fullest_first != fullest_first) continue;
    --cycles;
    ++wins[arbitration.choose(cycle, kAll, 17, kOut, [](unsigned) { return 32u; })];
  }
  return wins;
}

TEST(SenderArbitration, UniformRuleGivesEqualCandidatesTheSameChance) {
  for (const bool fullest_first : {true, false}) {
    const Wins count = wins(FairnessRule::uniform, fullest_first, 8000);
    for (const Input input : {kStraight, kFromX, kFromY, kInjected})
      EXPECT_NEAR(count[input.index()], 2000, 200) << input.index();
  }
}

TEST(SenderArbitration, LowestFirstFavoursTheLowest) {
  for (const bool fullest_first : {true, false}) {
    const Wins count = wins(FairnessRule::lowest_first, fullest_first, 8000);
    EXPECT_GT(count[kFromX.index()], 4000u);
  }
}

TEST(SenderArbitration, PrefersStraightOrTurningPacketsByRule) {
  EXPECT_EQ(wins(FairnessRule::straight_first, true, 1000)[kStraight.index()], 1000u);
  const Wins turning = wins(FairnessRule::turning_first, true, 9000);
  EXPECT_EQ(turning[kStraight.index()], 0u);
  for (const Input input : {kFromX, kFromY, kInjected})
    EXPECT_NEAR(turning[input.index()], 3000, 300) << input.index();
}

TEST(SenderArbitration, RandomChoicesIgnoreStraightAndTurningRules) {
  for (const FairnessRule rule : {FairnessRule::straight_first, FairnessRule::turning_first})
    EXPECT_EQ(wins(rule, false, 1000), wins(FairnessRule::uniform, false, 1000));
}

TEST(SenderArbitration, LetsTheFullestGoFirstUnderEveryRule) {
  const auto used = [](unsigned source) { return source == kFromY.index() ? 32u : 24u; };
  for (const FairnessRule rule : {FairnessRule::lowest_first, FairnessRule::uniform,
                                  FairnessRule::straight_first, FairnessRule::turning_first}) {
    const SenderArbitration arbitration = arbitration_by(rule);
    EXPECT_EQ(arbitration.choose(arbitration.begin(0), kAll, 17, kOut, used), kFromY.index());
  }
}

TEST(SenderArbitration, AnotherSeedDrawsOtherLots) {
  const SenderArbitration one = arbitration_by(FairnessRule::uniform, 1);
  const SenderArbitration other = arbitration_by(FairnessRule::uniform, 2);
  const auto full = [](unsigned) { return 32u; };
  unsigned equal = 0;
  for (Tick now = 0; now < 4000; ++now)
    equal += one.choose(one.begin(now), kAll, 17, kOut, full) ==
                     other.choose(other.begin(now), kAll, 17, kOut, full)
                 ? 1
                 : 0;
  EXPECT_NEAR(equal, 1000, 150);  // one in four candidates
}

TEST(SenderArbitration, LowestFirstLetsLinksChooseByIndex) {
  const SenderArbitration arbitration = arbitration_by(FairnessRule::lowest_first);
  for (Tick now = 0; now < 100; ++now)
    EXPECT_EQ(arbitration.begin(now).link_order.links(), LinkOrder::by_index().links());
}

TEST(SenderArbitration, EachLinkOfSixChoosesFirstEquallyOften) {
  const SenderArbitration arbitration = arbitration_by(FairnessRule::uniform);
  std::array<unsigned, kLinks> first{};
  for (Tick now = 0; now < 6000; ++now)
    for (const unsigned link : arbitration.begin(now).link_order.links())
      if (link < kLinks) {
        ++first[link];
        break;
      }
  for (const unsigned count : first) EXPECT_NEAR(count, 1000, 150);
}

}  // namespace
}  // namespace toroid
