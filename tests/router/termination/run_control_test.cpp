// How the workers of a process end a run together.
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>

#include "router/termination/detector.hpp"
#include "router/termination/run_control.hpp"

namespace toroid::termination {
namespace {

void rest(RunControl& control, std::size_t worker, std::uint64_t injected,
          std::uint64_t delivered) {
  control.report(worker).injected = injected;
  control.report(worker).delivered = delivered;
  control.report(worker).passive = true;
}

std::string what(const std::exception_ptr& failure) {
  try {
    if (failure) std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

class RunControlTest : public ::testing::Test {
 protected:
  RunControl control_{3, std::chrono::hours(1)};
  TerminationDetector detector_ = control_.detector();
};

TEST_F(RunControlTest, IsQuiescentWhenAllArePassiveAndNothingIsInFlight) {
  rest(control_, 0, 5, 0);
  rest(control_, 1, 0, 2);
  rest(control_, 2, 0, 3);
  EXPECT_TRUE(control_.is_quiescent(detector_));
}

TEST_F(RunControlTest, IsNotQuiescentWhileAPacketIsInFlight) {
  rest(control_, 0, 5, 0);
  rest(control_, 1, 0, 2);
  rest(control_, 2, 0, 2);
  EXPECT_FALSE(control_.is_quiescent(detector_));
}

TEST_F(RunControlTest, IsNotQuiescentWhileAWorkerIsActive) {
  EXPECT_FALSE(control_.is_quiescent(detector_));
  rest(control_, 0, 0, 0);
  rest(control_, 2, 0, 0);
  EXPECT_FALSE(control_.is_quiescent(detector_));
  rest(control_, 1, 0, 0);
  EXPECT_TRUE(control_.is_quiescent(detector_));
  control_.report(0).passive = false;
  EXPECT_FALSE(control_.is_quiescent(detector_));
}

TEST_F(RunControlTest, LetsSeveralDetectorsFindQuiescence) {
  TerminationDetector other = control_.detector();
  for (std::size_t worker = 0; worker < 3; ++worker) rest(control_, worker, 7, 7);
  EXPECT_TRUE(control_.is_quiescent(detector_));
  EXPECT_TRUE(control_.is_quiescent(other));
}

TEST(RunControl, DoesNotDecideIfTheRunHasMembersInOtherProcesses) {
  RunControl control(1, std::chrono::hours(1), false);
  rest(control, 0, 3, 3);
  TerminationDetector detector = control.detector();
  EXPECT_FALSE(control.is_quiescent(detector));
}

TEST_F(RunControlTest, KeepsTheFirstVerdict) {
  EXPECT_FALSE(control_.ended());
  EXPECT_EQ(control_.verdict(), Verdict::none);
  EXPECT_EQ(control_.failure(), nullptr);
  control_.fail(std::make_exception_ptr(std::runtime_error("the first")));
  control_.end(Verdict::quiescent);
  control_.fail(std::make_exception_ptr(std::runtime_error("the second")));
  EXPECT_TRUE(control_.ended());
  EXPECT_EQ(control_.verdict(), Verdict::failed);
  EXPECT_EQ(what(control_.failure()), "the first");
}

TEST_F(RunControlTest, IgnoresAFailureAfterAnotherVerdict) {
  control_.end(Verdict::stalled);
  control_.fail(std::make_exception_ptr(std::runtime_error("late")));
  EXPECT_EQ(control_.verdict(), Verdict::stalled);
  EXPECT_EQ(control_.failure(), nullptr);
}

TEST_F(RunControlTest, WakesThreadsThatWaitForTheEnd) {
  control_.wait_for(std::chrono::milliseconds(1));
  EXPECT_FALSE(control_.ended());
  std::jthread other([&] { control_.end(Verdict::quiescent); });
  while (!control_.ended()) control_.wait_for(std::chrono::hours(1));
  control_.wait_for(std::chrono::hours(1));
  EXPECT_EQ(control_.verdict(), Verdict::quiescent);
}

TEST_F(RunControlTest, SumsThePacketsThatWorkersReceived) {
  for (std::size_t worker = 0; worker < 3; ++worker) control_.report(worker).received = worker + 1;
  EXPECT_EQ(control_.received(), 6u);
}

TEST_F(RunControlTest, CombinesAllWorkersIntoOneMember) {
  ProcessMember process(control_);
  for (std::size_t worker = 0; worker < 3; ++worker) {
    rest(control_, worker, 10 + worker, worker);
    control_.report(worker).moved = worker;
  }
  const MemberReport report = process.report();
  EXPECT_TRUE(report.passive);
  EXPECT_EQ(report.injected, 33u);
  EXPECT_EQ(report.delivered, 3u);
  EXPECT_EQ(report.moved, 3u);
  control_.report(1).passive = false;
  EXPECT_FALSE(process.report().passive);
}

TEST_F(RunControlTest, CountsAProcessRoundWhenAllWorkersCompletedOne) {
  ProcessMember process(control_);
  for (std::size_t worker : {0u, 1u, 1u}) ++control_.report(worker).rounds;
  EXPECT_EQ(process.report().rounds, 0u);
  ++control_.report(2).rounds;
  EXPECT_EQ(process.report().rounds, 1u);
  EXPECT_EQ(process.report().rounds, 1u);
  for (std::size_t worker = 0; worker < 3; ++worker) control_.report(worker).rounds += 5;
  EXPECT_EQ(process.report().rounds, 2u);
}

}  // namespace
}  // namespace toroid::termination
