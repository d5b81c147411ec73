// What is made of reports, without clocks or connections.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>

#include "router/job/awake_clock.hpp"
#include "router/job/job.hpp"
#include "router/termination/detector.hpp"
#include "tests/router/job/jobs.hpp"

namespace toroid::testing {
namespace {

using namespace std::chrono_literals;
using job::Judge;
using Time = job::Clock::time_point;

TEST(Judge, AsksAllAgainBeforeItBelievesThatNothingIsUnderWay) {
  Judge judge(2, 60s, Time());
  judge.take(0, 0, at_rest(3, 1), Time());
  EXPECT_EQ(judge.look(Time()), Verdict::none);
  judge.take(1, 0, at_rest(0, 2), Time());
  EXPECT_EQ(judge.look(Time()), Verdict::none);
  const std::uint32_t wave = judge.wave();
  ASSERT_NE(wave, 0u);
  judge.take(0, wave, at_rest(3, 1), Time());
  EXPECT_EQ(judge.look(Time()), Verdict::none);
  judge.take(1, wave, at_rest(0, 2), Time());
  EXPECT_EQ(judge.look(Time()), Verdict::quiescent);
}

TEST(Judge, IsNotMisledByCountsThatAgreeByAccident) {
  Judge judge(2, 60s, Time());
  judge.take(0, 0, at_rest(1, 0), Time());
  judge.take(1, 0, at_rest(0, 1), Time());  // of a packet sent after the other's report
  EXPECT_EQ(judge.look(Time()), Verdict::none);
  const std::uint32_t wave = judge.wave();
  judge.take(0, wave, at_rest(2, 0), Time());
  judge.take(1, wave, at_rest(0, 2), Time());
  EXPECT_EQ(judge.look(Time()), Verdict::none);
  EXPECT_EQ(judge.wave(), 0u);
}

TEST(Judge, TakesNoOldAnswerForANewOne) {
  Judge judge(1, 60s, Time());
  judge.take(0, 0, at_rest(1, 1), Time());
  judge.look(Time());
  judge.take(0, judge.wave() + 1, at_rest(1, 1), Time());
  EXPECT_EQ(judge.look(Time()), Verdict::none);
  judge.take(0, 0, at_rest(1, 1), Time());
  EXPECT_EQ(judge.look(Time()), Verdict::none);
}

/// Looks once a second, with limit 10 s, until the verdict or the end.
Verdict verdict_within(int seconds, const std::function<RunReport(int)>& report) {
  Judge judge(1, 10s, Time());
  for (int s = 1; s <= seconds; ++s) {
    judge.take(0, 0, report(s), Time() + s * 1s);
    if (const Verdict verdict = judge.look(Time() + s * 1s); verdict != Verdict::none)
      return verdict;
  }
  return Verdict::none;
}

TEST(Judge, FindsAStandstill) {
  const auto still = [](int s) { return RunReport{.moved = 5, .laps = std::uint64_t(s)}; };
  EXPECT_EQ(verdict_within(9, still), Verdict::none);
  EXPECT_EQ(verdict_within(12, still), Verdict::stalled);
}

TEST(Judge, TakesNeitherMotionNorWorkForAStandstill) {
  const auto moving = [](int s) {
    return RunReport{.moved = std::uint64_t(s / 5), .laps = std::uint64_t(s)};
  };
  const auto working = [](int s) { return RunReport{.laps = std::uint64_t(s / 5)}; };
  EXPECT_EQ(verdict_within(100, moving), Verdict::none);
  EXPECT_EQ(verdict_within(100, working), Verdict::none);
}

TEST(Judge, BelievesASuspicionThatPersistsThoughTheSuspectGoesRound) {
  Judge judge(2, 60s, Time());
  const auto report = [&](unsigned rank, std::uint64_t laps, int suspect, auto at) {
    judge.take(rank, 0, {.laps = laps, .suspect = suspect}, Time() + at);
  };
  report(1, 10, -1, 0ms);
  report(0, 1, 1, 0ms);
  report(0, 2, 1, 1500ms);
  EXPECT_FALSE(judge.suspicion());
  report(1, 13, -1, 1600ms);
  EXPECT_FALSE(judge.suspicion());
  report(1, 14, -1, 1650ms);
  report(0, 3, 1, 2400ms);
  EXPECT_FALSE(judge.suspicion());  // it is back, and gets a second to answer
  report(0, 4, 1, 2600ms);
  ASSERT_TRUE(judge.suspicion());
  EXPECT_EQ(judge.suspicion()->by, 0u);
  EXPECT_EQ(judge.suspicion()->of, 1u);
  report(0, 3, -1, 1700ms);
  EXPECT_FALSE(judge.suspicion());
}

TEST(Judge, IgnoresSuspicionsOfNobody) {
  Judge judge(2, 60s, Time());
  for (const int suspect : {0, 2, 1000, -7})
    for (const auto at : {0s, 5s}) {
      judge.take(0, 0, {.laps = 100, .suspect = suspect}, Time() + at);
      EXPECT_FALSE(judge.suspicion());
    }
}

TEST(AwakeClock, DoesNotCountWhatWasSlept) {
  job::AwakeClock clock(100ms);
  const Time begin = job::Clock::now();
  clock.step(begin);
  const Time before = clock.now();
  clock.step(begin + 50ms);
  clock.step(begin + 20s);
  EXPECT_EQ(clock.now() - before, 150ms);
}

}  // namespace
}  // namespace toroid::testing
