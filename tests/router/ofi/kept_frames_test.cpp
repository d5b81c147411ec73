#include "router/ofi/kept_frames.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "router/ofi/frame.hpp"
#include "router/ofi/transport.hpp"

namespace toroid::ofi {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

TEST(RoundTrip, TimesOutAfterMeanPlusFourDeviationsButNotBeforeFiveMilliseconds) {
  RoundTrip trip;
  EXPECT_EQ(trip.timeout(), milliseconds(5));
  trip.add(milliseconds(8));
  EXPECT_EQ(trip.smoothed(), milliseconds(8));
  EXPECT_EQ(trip.timeout(), milliseconds(8 + 4 * 4));
  RoundTrip far;
  far.add(milliseconds(100));
  far.back_off();
  EXPECT_EQ(far.timeout(), milliseconds(100 + 4 * 50));
  for (int i = 0; i < 100; ++i) trip.add(microseconds(100));
  EXPECT_EQ(trip.timeout(), milliseconds(5));
}

TEST(RoundTrip, DoublesItsTimeoutUpToEightyMillisecondsUntilTheNextSample) {
  RoundTrip trip;
  for (const int expected : {10, 20, 40, 80, 80, 80}) {
    trip.back_off();
    EXPECT_EQ(trip.timeout(), milliseconds(expected));
  }
  trip.add(microseconds(100));
  EXPECT_EQ(trip.timeout(), milliseconds(5));
}

/// Four frames that have been sent and completed, one per millisecond.
class FourFrames : public ::testing::Test {
 protected:
  FourFrames() {
    for (std::size_t i = 0; i < 4; ++i) {
      operations[i].buffer = buffers[i];
      kept.add(i + 1, operations[i]);
      send(i);
      now += milliseconds(1);
    }
  }
  void send(std::size_t i) {
    kept.sent(operations[i], now);
    EXPECT_FALSE(kept.completed(operations[i]));
  }
  /// The other end reports that it has received the frames up to `received` and, after a gap, those
  /// in the mask `held`.
  void hear(std::uint64_t received, std::uint32_t held, std::uint32_t flags = 0) {
    FrameHeader header{};
    header.received = received;
    header.held = held;
    header.flags = flags;
    if (received > 0) kept.acknowledged(received, now, free);
    kept.told(header, now);
  }

  alignas(64) std::array<std::array<std::byte, 64>, 4> buffers{};
  std::array<Operation, 4> operations{};
  KeptFrames kept{4};
  Clock::time_point now{std::chrono::hours(1)};
  std::vector<Operation*> free;
};

TEST_F(FourFrames, AreFreeWhenTheyAreAcknowledged) {
  hear(3, 0);
  EXPECT_EQ(free, (std::vector{&operations[0], &operations[1], &operations[2]}));
}

TEST_F(FourFrames, AreNotFreeWhileTheTransportHasThem) {
  kept.sent(operations[0], now);
  hear(1, 0);
  EXPECT_TRUE(free.empty());
  EXPECT_TRUE(kept.completed(operations[0]));
}

TEST_F(FourFrames, AreResentAfterARoundTripIfALaterOneHasArrived) {
  hear(0, 0b010);  // the third
  EXPECT_EQ(kept.due(now), &operations[0]);
  send(0);
  EXPECT_EQ(kept.due(now), &operations[1]);
  send(1);
  EXPECT_EQ(kept.due(now), nullptr) << "the third is held, nothing after the fourth has arrived";
  EXPECT_EQ(kept.repeats(), 2u);
}

TEST_F(FourFrames, AreResentWhenADamagedOneWasRefused) {
  EXPECT_EQ(kept.due(now), nullptr);
  hear(0, 0, kRefusedDamage);
  EXPECT_EQ(kept.due(now), &operations[0]);
}

TEST_F(FourFrames, AreUnansweredWhenTheOldestHasBeenSentSixteenTimes) {
  for (int times = 2; times <= 16; ++times) {
    EXPECT_FALSE(kept.is_unanswered(now + std::chrono::hours(1), milliseconds(100))) << times;
    send(0);
  }
  EXPECT_TRUE(kept.is_unanswered(now, milliseconds(100)));
  hear(1, 0);
  EXPECT_FALSE(kept.is_unanswered(now, milliseconds(100)));
}

TEST_F(FourFrames, AreUnansweredIfTheTransportKeepsTheOldestTooLong) {
  kept.sent(operations[0], now);
  EXPECT_FALSE(kept.is_unanswered(now + milliseconds(100), milliseconds(100)));
  EXPECT_TRUE(kept.is_unanswered(now + milliseconds(101), milliseconds(100)));
}

TEST_F(FourFrames, TimeOutOneAtATime) {
  now += milliseconds(10);
  EXPECT_EQ(kept.due(now), &operations[0]);
  send(0);
  EXPECT_EQ(kept.due(now + milliseconds(9)), nullptr);
  EXPECT_EQ(kept.due(now + milliseconds(10)), &operations[0]);
}

}  // namespace
}  // namespace toroid::ofi
