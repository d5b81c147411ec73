// The stall watch with made-up heartbeats and times.
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>

#include "router/termination/control.hpp"
#include "router/termination/stall_watch.hpp"

namespace toroid::ring {
namespace {

using std::chrono::milliseconds;

class RingStallWatch : public ::testing::Test {
 protected:
  /// So many looks, each after `between`, with what happens between them; true: one saw a
  /// standstill.
  bool sees(int looks, milliseconds between, auto happens) {
    bool standstill = false;
    for (int i = 0; i < looks; ++i) {
      happens();
      now_ += between;
      standstill |= watch_.sees_standstill(control_, now_);
    }
    return standstill;
  }
  void go_round(std::size_t worker) { ++control_.status(worker).rounds; }
  void move(std::size_t worker) { ++control_.status(worker).moved; }
  void all_go_round() {
    for (std::size_t w = 0; w < kCount; ++w) go_round(w);
  }

  static constexpr std::size_t kCount = 3;
  static constexpr milliseconds kLimit{1000};
  RunControl control_{kCount};
  StallWatch watch_{kLimit};
  StallWatch::Clock::time_point now_{std::chrono::hours(1)};
};

TEST_F(RingStallWatch, SeesAStandstillWhenAllGoRoundAndNothingMovesForTheLimit) {
  EXPECT_FALSE(sees(9, milliseconds(100), [&] { all_go_round(); }));
  EXPECT_TRUE(sees(3, milliseconds(100), [&] { all_go_round(); }));
}

TEST_F(RingStallWatch, SeesNoneBeforeTheLimitHoweverOftenItLooks) {
  EXPECT_FALSE(sees(999, milliseconds(1), [&] { all_go_round(); }));
}

TEST_F(RingStallWatch, SeesNoneWhileSomethingMovesNowAndThen) {
  int look = 0;
  EXPECT_FALSE(sees(1000, milliseconds(100), [&] {
    all_go_round();
    if (++look % 9 == 0) move(1);
  }));
}

TEST_F(RingStallWatch, SeesNoneWhileAWorkerComputes) {
  EXPECT_FALSE(sees(1000, milliseconds(100), [&] {
    go_round(0);
    go_round(2);
  }));
}

TEST_F(RingStallWatch, SeesNoneWhileAWorkerGoesRoundNowAndThenOnly) {
  int look = 0;
  EXPECT_FALSE(sees(1000, milliseconds(100), [&] {
    go_round(0);
    go_round(2);
    if (++look % 2 == 0) go_round(1);
  }));
}

TEST_F(RingStallWatch, BeginsAnewAfterSomethingHasMoved) {
  EXPECT_FALSE(sees(9, milliseconds(100), [&] { all_go_round(); }));
  move(0);
  EXPECT_FALSE(sees(9, milliseconds(100), [&] { all_go_round(); }));
  EXPECT_TRUE(sees(3, milliseconds(100), [&] { all_go_round(); }));
}

TEST_F(RingStallWatch, SeesNoneInOneLookHoweverLate) {
  all_go_round();
  EXPECT_FALSE(sees(5, std::chrono::hours(1), [&] { all_go_round(); }));
}

}  // namespace
}  // namespace toroid::ring
