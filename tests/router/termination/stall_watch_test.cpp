// Tests the stall watch with made-up reports and times.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>

#include "router/termination/detector.hpp"

namespace toroid::termination {
namespace {

using std::chrono::milliseconds;

class StallWatchTest : public ::testing::Test {
 protected:
  /// Repeats `times` times: calls `happens`, lets `between` pass, and lets all members report.
  /// Returns whether the watch has found a stall.
  bool stalls(int times, milliseconds between, auto happens) {
    bool stalled = false;
    for (int i = 0; i < times; ++i) {
      happens();
      now_ += between;
      for (std::size_t m = 0; m < kMembers; ++m) watch_.report(m, reports_[m]);
      stalled |= watch_.holds(now_);
    }
    return stalled;
  }
  void go_round(std::size_t member) { ++reports_[member].rounds; }
  void all_go_round() {
    for (MemberReport& report : reports_) ++report.rounds;
  }

  static constexpr std::size_t kMembers = 3;
  static constexpr milliseconds kLimit{1000};
  std::array<MemberReport, kMembers> reports_{};
  Clock::time_point now_{std::chrono::hours(1)};
  StallWatch watch_{kMembers, kLimit, now_};
};

TEST_F(StallWatchTest, FindsAStallIfNothingMovesForTheLimit) {
  EXPECT_FALSE(stalls(10, milliseconds(100), [&] { all_go_round(); }));
  EXPECT_TRUE(stalls(2, milliseconds(100), [&] { all_go_round(); }));
}

TEST_F(StallWatchTest, FindsNoStallBeforeTheLimitHoweverOftenItLooks) {
  EXPECT_FALSE(stalls(999, milliseconds(1), [&] { all_go_round(); }));
}

TEST_F(StallWatchTest, FindsNoStallWhileSomethingMovesNowAndThen) {
  int time = 0;
  EXPECT_FALSE(stalls(1000, milliseconds(100), [&] {
    all_go_round();
    if (++time % 9 == 0) ++reports_[1].moved;
  }));
}

TEST_F(StallWatchTest, FindsNoStallWhileAMemberComputes) {
  EXPECT_FALSE(stalls(1000, milliseconds(100), [&] {
    go_round(0);
    go_round(2);
  }));
}

TEST_F(StallWatchTest, FindsNoStallWhileAMemberSeldomCompletesRounds) {
  int time = 0;
  EXPECT_FALSE(stalls(1000, milliseconds(100), [&] {
    go_round(0);
    go_round(2);
    if (++time % 2 == 0) go_round(1);
  }));
}

TEST_F(StallWatchTest, RestartsAfterMotion) {
  EXPECT_FALSE(stalls(9, milliseconds(100), [&] { all_go_round(); }));
  ++reports_[0].moved;
  EXPECT_FALSE(stalls(9, milliseconds(100), [&] { all_go_round(); }));
  EXPECT_TRUE(stalls(3, milliseconds(100), [&] { all_go_round(); }));
}

TEST_F(StallWatchTest, NeedsTenSamplesHoweverFarApart) {
  EXPECT_FALSE(stalls(6, std::chrono::hours(1), [&] { all_go_round(); }));
}

TEST_F(StallWatchTest, WaitsForTheReportOfEveryMember) {
  EXPECT_FALSE(stalls(10, milliseconds(100), [&] { all_go_round(); }));
  for (int i = 0; i < 100; ++i) {
    all_go_round();
    now_ += milliseconds(100);
    watch_.report(0, reports_[0]);
    watch_.report(2, reports_[2]);
    EXPECT_FALSE(watch_.holds(now_));
  }
  watch_.report(1, reports_[1]);
  EXPECT_TRUE(watch_.holds(now_));
}

}  // namespace
}  // namespace toroid::termination
