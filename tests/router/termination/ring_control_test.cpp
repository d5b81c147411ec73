// How workers agree that nothing is left to do, and how a run ends.
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "router/termination/control.hpp"

namespace toroid::ring {
namespace {

void rest(RunControl& control, std::size_t worker, std::uint64_t injected,
          std::uint64_t delivered) {
  control.status(worker).injected = injected;
  control.status(worker).delivered = delivered;
  control.status(worker).passive = true;
}

TEST(RingControl, IsQuiescentWhenAllArePassiveAndNothingIsUnderWay) {
  RunControl control(3);
  rest(control, 0, 5, 0);
  rest(control, 1, 0, 2);
  rest(control, 2, 0, 3);
  EXPECT_TRUE(control.is_quiescent());
}

TEST(RingControl, IsNotQuiescentWhileAPacketIsUnderWay) {
  RunControl control(2);
  rest(control, 0, 5, 0);
  rest(control, 1, 0, 4);
  EXPECT_FALSE(control.is_quiescent());
}

TEST(RingControl, IsNotQuiescentWhileAWorkerIsActive) {
  RunControl control(3);
  EXPECT_FALSE(control.is_quiescent());
  rest(control, 0, 0, 0);
  rest(control, 2, 0, 0);
  EXPECT_FALSE(control.is_quiescent());
  rest(control, 1, 0, 0);
  EXPECT_TRUE(control.is_quiescent());
  control.status(0).passive = false;
  EXPECT_FALSE(control.is_quiescent());
}

TEST(RingControl, TheFirstEndingCounts) {
  RunControl control(1);
  EXPECT_FALSE(control.ended());
  EXPECT_EQ(control.ending(), Ending::none);
  control.end(Ending::failed, "the first");
  control.end(Ending::given_up, "the second");
  EXPECT_TRUE(control.ended());
  EXPECT_EQ(control.ending(), Ending::failed);
  EXPECT_EQ(control.why(), "the first");
}

TEST(RingControl, WhoWaitsForTheEndIsWoken) {
  RunControl control(1);
  control.wait_for(std::chrono::milliseconds(1));
  EXPECT_FALSE(control.ended());
  std::jthread other([&] { control.end(Ending::quiescent); });
  while (!control.ended()) control.wait_for(std::chrono::hours(1));
  control.wait_for(std::chrono::hours(1));
  EXPECT_EQ(control.ending(), Ending::quiescent);
}

TEST(RingControl, AHeartbeatShowsEveryWorkersRoundsAndWhatHasMoved) {
  RunControl control(3);
  for (std::size_t w = 0; w < 3; ++w) {
    control.status(w).rounds = 10 + w;
    control.status(w).moved = w;
  }
  const RunControl::Heartbeat beat = control.heartbeat();
  EXPECT_EQ(beat.rounds, (std::vector<std::uint64_t>{10, 11, 12}));
  EXPECT_EQ(beat.moved, 3u);
}

}  // namespace
}  // namespace toroid::ring
