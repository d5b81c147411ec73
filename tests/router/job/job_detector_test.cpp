// The termination detector with scripted reports, which reach it by two paths: the shared memory of
// a process's threads, and the messages of a job's processes.
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "router/job/blob.hpp"
#include "router/job/clocks.hpp"
#include "router/job/failure_detector.hpp"
#include "router/job/wire.hpp"
#include "router/termination/detector.hpp"
#include "router/termination/run_control.hpp"
#include "tests/router/job/jobs.hpp"

namespace toroid::testing {
namespace {

using namespace std::chrono_literals;
using termination::MemberReport;
using termination::RunControl;
using termination::TerminationDetector;
using Time = job::Clock::time_point;

/// Workers write their reports into shared memory, where RunControl reads them.
class SharedMemory {
 public:
  explicit SharedMemory(std::size_t members) : control_(members, 10s) {}

  void set(std::size_t member, const MemberReport& report) {
    termination::WorkerReport& shared = control_.report(member);
    shared.injected = report.injected;
    shared.delivered = report.delivered;
    shared.moved = report.moved;
    shared.rounds = report.rounds;
    shared.passive = report.passive;
  }
  void deliver(TerminationDetector& detector) { control_.report_to(detector); }

 private:
  RunControl control_;
};

/// Processes send their reports over connections, from which process 0 reads them. Here they arrive
/// in reverse order of members, unlike those of SharedMemory.
class Messages {
 public:
  explicit Messages(std::size_t members) : reports_(members) {}

  void set(std::size_t member, const MemberReport& report) { reports_[member] = report; }
  void deliver(TerminationDetector& detector) {
    std::deque<Blob> messages;
    for (const MemberReport& report : reports_)
      messages.push_back(job::encode(job::NumberedReport{kWatch, detector.wanted_wave(), report}));
    for (std::size_t member = reports_.size(); member-- > 0; messages.pop_back()) {
      const job::NumberedReport received = job::decode(messages.back()).get<job::NumberedReport>();
      EXPECT_EQ(received.watch, kWatch);
      detector.report(member, received.report, received.wave);
    }
  }

 private:
  static constexpr std::uint32_t kWatch = 7;
  std::vector<MemberReport> reports_;
};

template <typename Way>
class TerminationDetectorBy : public ::testing::Test {
 protected:
  static constexpr std::size_t kMembers = 3;

  void all_rest(std::uint64_t injected, std::uint64_t delivered) {
    for (std::size_t member = 0; member < kMembers; ++member)
      way_.set(member, at_rest(injected, delivered));
  }
  /// Delivers one report of every member. Returns whether the run is then quiescent.
  bool quiescent_after_wave() {
    way_.deliver(detector_);
    return detector_.is_quiescent();
  }
  /// Once per second, calls change(second) and then delivers a report of every member. Returns
  /// whether a stall was found.
  bool stalls_within(int seconds, auto change) {
    bool stalled = false;
    for (int s = 1; s <= seconds; ++s) {
      change(s);
      way_.deliver(detector_);
      stalled |= detector_.is_stalled(Time() + s * 1s);
    }
    return stalled;
  }

  Way way_{kMembers};
  TerminationDetector detector_{kMembers, 10s, Time()};
};

using Ways = ::testing::Types<SharedMemory, Messages>;
TYPED_TEST_SUITE(TerminationDetectorBy, Ways);

TYPED_TEST(TerminationDetectorBy, NeedsTwoWavesToBelieveNothingIsInFlight) {
  this->all_rest(3, 3);
  EXPECT_FALSE(this->quiescent_after_wave());
  EXPECT_NE(this->detector_.wanted_wave(), 0u);
  EXPECT_TRUE(this->quiescent_after_wave());
}

TYPED_TEST(TerminationDetectorBy, StartsNoWaveWhilePacketIsInFlight) {
  this->all_rest(3, 3);
  this->way_.set(1, at_rest(4, 3));
  for (int wave = 0; wave < 5; ++wave) EXPECT_FALSE(this->quiescent_after_wave());
  EXPECT_EQ(this->detector_.wanted_wave(), 0u);
  this->way_.set(2, at_rest(3, 4));
  EXPECT_FALSE(this->quiescent_after_wave());
  EXPECT_TRUE(this->quiescent_after_wave());
}

TYPED_TEST(TerminationDetectorBy, StartsNoWaveWhileMemberIsActive) {
  this->all_rest(3, 3);
  this->way_.set(1, {.passive = false, .injected = 3, .delivered = 3});
  for (int wave = 0; wave < 5; ++wave) EXPECT_FALSE(this->quiescent_after_wave());
  EXPECT_EQ(this->detector_.wanted_wave(), 0u);
}

TYPED_TEST(TerminationDetectorBy, IsNotMisledByAccidentallyEqualCounts) {
  this->all_rest(1, 1);
  EXPECT_FALSE(this->quiescent_after_wave());
  this->way_.set(0, at_rest(2, 1));  // member 0 has sent a packet after its first report
  this->way_.set(1, at_rest(1, 2));
  EXPECT_FALSE(this->quiescent_after_wave());
  EXPECT_EQ(this->detector_.wanted_wave(), 0u);
  EXPECT_FALSE(this->quiescent_after_wave());
  EXPECT_TRUE(this->quiescent_after_wave());
}

TYPED_TEST(TerminationDetectorBy, RestartsWhenMemberWakesBetweenWaves) {
  this->all_rest(5, 5);
  EXPECT_FALSE(this->quiescent_after_wave());
  this->way_.set(2, {.passive = false, .injected = 5, .delivered = 5});
  EXPECT_FALSE(this->quiescent_after_wave());
  this->all_rest(6, 6);
  EXPECT_FALSE(this->quiescent_after_wave());
  EXPECT_TRUE(this->quiescent_after_wave());
}

TYPED_TEST(TerminationDetectorBy, FindsAStall) {
  const auto still = [this](int s) {
    for (std::size_t member = 0; member < this->kMembers; ++member)
      this->way_.set(member, {.moved = 5, .rounds = std::uint64_t(s)});
  };
  EXPECT_FALSE(this->stalls_within(9, still));
  EXPECT_TRUE(this->stalls_within(12, [&](int s) { still(9 + s); }));
}

TYPED_TEST(TerminationDetectorBy, DoesNotReportStallWhileSomethingMoves) {
  EXPECT_FALSE(this->stalls_within(100, [this](int s) {
    for (std::size_t member = 0; member < this->kMembers; ++member)
      this->way_.set(member, {.rounds = std::uint64_t(s)});
    this->way_.set(1, {.moved = std::uint64_t(s / 5), .rounds = std::uint64_t(s)});
  }));
}

TYPED_TEST(TerminationDetectorBy, DoesNotReportStallDuringLongComputation) {
  EXPECT_FALSE(this->stalls_within(100, [this](int s) {
    for (std::size_t member = 0; member < this->kMembers; ++member)
      this->way_.set(member, {.rounds = std::uint64_t(s)});
    this->way_.set(2, {.rounds = std::uint64_t(s / 5)});
  }));
}

TEST(TerminationDetector, WaitsForAllAnswers) {
  TerminationDetector detector(2, 60s, Time());
  detector.report(0, at_rest(3, 1));
  EXPECT_FALSE(detector.is_quiescent());
  EXPECT_EQ(detector.wanted_wave(), 0u);
  detector.report(1, at_rest(0, 2));
  EXPECT_FALSE(detector.is_quiescent());
  const std::uint32_t wave = detector.wanted_wave();
  ASSERT_NE(wave, 0u);
  detector.report(0, at_rest(3, 1), wave);
  EXPECT_FALSE(detector.is_quiescent());
  detector.report(1, at_rest(0, 2), wave);
  EXPECT_TRUE(detector.is_quiescent());
}

TEST(TerminationDetector, DoesNotCountOldReportAsAnswer) {
  TerminationDetector detector(1, 60s, Time());
  detector.report(0, at_rest(1, 1));
  EXPECT_FALSE(detector.is_quiescent());
  detector.report(0, at_rest(1, 1), detector.wanted_wave() + 1);
  EXPECT_FALSE(detector.is_quiescent());
  detector.report(0, at_rest(1, 1));
  EXPECT_FALSE(detector.is_quiescent());
}

TEST(FailureDetector, ConfirmsSuspicionOfAProcessThatRunsButDoesNotAnswer) {
  job::FailureDetector suspicions(2, 1s);
  const auto report = [&](unsigned rank, std::uint64_t rounds, int suspect, auto at) {
    suspicions.report(rank, {.rounds = rounds, .suspect = suspect}, Time() + at);
  };
  report(1, 10, -1, 0ms);
  report(0, 1, 1, 0ms);
  report(0, 2, 1, 1500ms);
  EXPECT_FALSE(suspicions.confirmed());
  report(1, 13, -1, 1600ms);
  EXPECT_FALSE(suspicions.confirmed());
  report(1, 14, -1, 1650ms);
  report(0, 3, 1, 2400ms);
  EXPECT_FALSE(suspicions.confirmed());  // the suspect runs again, and gets a second to answer
  report(0, 4, 1, 2600ms);
  ASSERT_TRUE(suspicions.confirmed());
  EXPECT_EQ(suspicions.confirmed()->by, 0u);
  EXPECT_EQ(suspicions.confirmed()->of, 1u);
  report(0, 3, -1, 1700ms);
  EXPECT_FALSE(suspicions.confirmed());
}

TEST(FailureDetector, IgnoresInvalidSuspects) {
  job::FailureDetector suspicions(2, 1s);
  for (const int suspect : {0, 2, 1000, -7})
    for (const auto at : {0s, 5s}) {
      suspicions.report(0, {.rounds = 100, .suspect = suspect}, Time() + at);
      EXPECT_FALSE(suspicions.confirmed());
    }
}

TEST(AwakeClock, AdvancesByNoMoreThanItsLimitPerStep) {
  job::AwakeClock clock(100ms);
  const Time begin = job::Clock::now();
  clock.step(begin);
  const Time before = clock.now();
  clock.step(begin + 50ms);
  clock.step(begin + 20s);
  EXPECT_EQ(clock.now() - before, 150ms);
}

MemberReport without(std::uint32_t losses, std::uint64_t injected, std::uint64_t delivered) {
  MemberReport report = at_rest(injected, delivered);
  report.without = losses;
  return report;
}

/// Whether reports of members 0 and 1 end the run, at once or as answers to the following wave.
bool two_waves_end(TerminationDetector& detector, const MemberReport& first,
                   const MemberReport& second) {
  for (int wave = 0; wave < 2; ++wave) {
    const std::uint32_t wanted = detector.wanted_wave();
    detector.report(0, first, wanted);
    detector.report(1, second, wanted);
    if (detector.is_quiescent()) return true;
  }
  return false;
}

TEST(TerminationDetector, AfterLossNeedsReportsThatLeaveOutTheLostMember) {
  TerminationDetector detector(3, 10s, Time());
  EXPECT_FALSE(two_waves_end(detector, at_rest(5, 5), at_rest(3, 3)));
  detector.lose(2);
  EXPECT_EQ(detector.wanted_wave(), 0u);
  EXPECT_FALSE(two_waves_end(detector, without(1, 5, 5), at_rest(3, 3)));
  EXPECT_FALSE(two_waves_end(detector, without(1, 5, 4), without(1, 3, 3)));
  EXPECT_TRUE(two_waves_end(detector, without(1, 5, 4), without(1, 3, 4)));
}

TEST(TerminationDetector, IgnoresWaveStartedBeforeLoss) {
  TerminationDetector detector(3, 10s, Time());
  for (std::size_t member = 0; member < 3; ++member) detector.report(member, at_rest(3, 3));
  EXPECT_FALSE(detector.is_quiescent());
  const std::uint32_t wave = detector.wanted_wave();
  EXPECT_NE(wave, 0u);
  detector.lose(1);
  detector.report(0, without(1, 3, 3), wave);
  detector.report(2, without(1, 3, 3), wave);
  EXPECT_FALSE(detector.is_quiescent());
  EXPECT_GT(detector.wanted_wave(), wave);
}

TEST(TerminationDetector, FindsStallAfterLoss) {
  TerminationDetector detector(2, 10s, Time());
  detector.lose(1);
  bool stalled = false;
  for (int s = 1; s <= 15; ++s) {
    detector.report(0, {.rounds = static_cast<std::uint64_t>(s), .without = 1});
    stalled |= detector.is_stalled(Time() + s * 1s);
  }
  EXPECT_TRUE(stalled);
}

}  // namespace
}  // namespace toroid::testing
