// A doorbell, by which one thread ends the sleep of another, loses no wake-up.
#include "router/threads/doorbell.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>

namespace toroid {
namespace {

/// Two threads count in turns; each sleeps until it is its turn.
TEST(Doorbell, LosesNoWakeUp) {
  constexpr unsigned kTurns = 20'000;
  std::atomic<unsigned> turn{0};
  std::array<Doorbell, 2> bells;
  const auto play = [&](unsigned me) {
    for (unsigned mine = me; mine < kTurns; mine += 2) {
      while (turn.load() != mine) {
        bells[me].prepare();
        turn.load() == mine ? bells[me].stay_awake() : bells[me].sleep();
      }
      turn.store(mine + 1);
      bells[1 - me].ring();
    }
  };
  std::jthread other(play, 1);
  play(0);
  other.join();
  EXPECT_EQ(turn.load(), kTurns);
}

TEST(Doorbell, DoesNotSleepIfRungAfterPrepare) {
  Doorbell bell;
  bell.ring();  // nobody hears it
  bell.prepare();
  bell.ring();
  bell.sleep();
}

}  // namespace
}  // namespace toroid
