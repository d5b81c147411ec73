// Watching a run: process 0 finds out that the run is over and tells all processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <mutex>

#include "router/job/bootstrap.hpp"
#include "router/job/job.hpp"
#include "router/termination/detector.hpp"
#include "tests/router/job/jobs.hpp"

namespace toroid::testing {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Each;
using ::testing::HasSubstr;

/// Reports what the test sets. The reported number of rounds grows until hold() is called.
class Monitor final : public RunMonitor {
 public:
  termination::MemberReport report() override {
    const std::lock_guard lock(mutex_);
    if (goes_round_) ++report_.rounds;
    return report_;
  }
  void set(const termination::MemberReport& report) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t rounds = report_.rounds;
    report_ = report;
    report_.rounds = rounds;
  }
  void hold() {
    const std::lock_guard lock(mutex_);
    goes_round_ = false;
  }

 private:
  std::mutex mutex_;
  termination::MemberReport report_;
  bool goes_round_ = true;
};

TEST(JobWatch, EndsWhenAllArePassiveAndNothingIsInFlight) {
  const auto outcomes = run_job(4, [](Job& job) {
    for (unsigned run = 0; run < 3; ++run) {
      Monitor monitor;
      job.watch(monitor, kLong);
      monitor.set(at_rest(10, job.rank() == 0 ? 9 : 10));
      if (job.rank() == 0) {
        EXPECT_EQ(job.wait(milliseconds(100)), termination::Verdict::none);
        monitor.set(at_rest(10, 10));
      }
      EXPECT_EQ(job.wait(kLong), termination::Verdict::quiescent);
      EXPECT_EQ(job.wait(kLong), termination::Verdict::quiescent);
      job.end_watch();
    }
  });
  EXPECT_THAT(outcomes, Each(""));
}

TEST(JobWatch, WaitsForActiveProcess) {
  const auto outcomes = run_job(3, [](Job& job) {
    Monitor monitor;
    termination::MemberReport report = at_rest(5, 5);
    report.passive = job.rank() != 1;
    monitor.set(report);
    job.watch(monitor, kLong);
    if (job.rank() == 1) {
      sleep_for(milliseconds(100));
      EXPECT_EQ(job.wait(milliseconds(0)), termination::Verdict::none);
      monitor.set(at_rest(5, 5));
    }
    EXPECT_EQ(job.wait(kLong), termination::Verdict::quiescent);
    job.end_watch();
  });
  EXPECT_THAT(outcomes, Each(""));
}

TEST(JobWatch, FindsStall) {
  const auto outcomes = run_job(3, [](Job& job) {
    Monitor monitor;
    monitor.set(at_rest(job.rank() + 2, 1));
    job.watch(monitor, milliseconds(200));
    EXPECT_EQ(job.wait(kLong), termination::Verdict::stalled);
    job.end_watch();
  });
  EXPECT_THAT(outcomes, Each(""));
}

TEST(JobWatch, LongComputationIsNotAStall) {
  const auto outcomes = run_job(3, [](Job& job) {
    Monitor monitor;
    if (job.rank() == 2) monitor.hold();
    job.watch(monitor, milliseconds(50));
    EXPECT_EQ(job.wait(milliseconds(500)), termination::Verdict::none);
    job.end_watch();
    job.all_gather({});
  });
  EXPECT_THAT(outcomes, Each(""));
}

TEST(JobWatch, EndsOnAllProcessesWhenOneFails) {
  const auto outcomes = run_job(3, [](Job& job) {
    Monitor monitor;
    job.watch(monitor, kLong);
    if (job.rank() == 2) job.fail("out of luck");
    EXPECT_EQ(job.wait(kLong), termination::Verdict::failed);
    job.end_watch();
    EXPECT_THAT(job.failure(), AllOf(HasSubstr("process 2 (host "), HasSubstr("): out of luck")));
    job.all_gather({});
  });
  EXPECT_THAT(outcomes, Each(HasSubstr("out of luck")));
}

TEST(JobWatch, KeepsFirstFailure) {
  const auto outcomes = run_job(3, [](Job& job) {
    Monitor monitor;
    job.watch(monitor, kLong);
    if (job.rank() == 0) job.fail("first");
    EXPECT_EQ(job.wait(kLong), termination::Verdict::failed);
    job.fail("second");
    job.end_watch();
    EXPECT_THAT(job.failure(), HasSubstr("): first"));
  });
  // A failure may reach a process before it has noticed that all have joined.
  EXPECT_THAT(outcomes, Each(AnyOf("", HasSubstr("): first"))));
}

TEST(JobWatch, NamesTheSuspectAndTheProcessThatGetsNoAnswer) {
  const auto outcomes = run_job(4, [](Job& job) {
    Monitor monitor;
    termination::MemberReport report = at_rest(2, 1);
    if (job.rank() == 3) report.suspect = 1;
    monitor.set(report);
    job.watch(monitor, kLong);
    EXPECT_EQ(job.wait(kLong), termination::Verdict::failed);
    job.end_watch();
    EXPECT_THAT(job.failure(), AllOf(::testing::StartsWith("process 3 (host "),
                                     HasSubstr(") gets no answer from process 1 (host ")));
  });
  EXPECT_THAT(outcomes, Each(""));
}

TEST(JobWatch, ReportsProcessThatEndsDuringWatch) {
  const auto outcomes = run_job(3, [](Job& job) {
    if (job.rank() == 1) return;
    Monitor monitor;
    job.watch(monitor, kLong);
    EXPECT_EQ(job.wait(kLong), termination::Verdict::failed);
    job.end_watch();
    EXPECT_THAT(job.failure(), HasSubstr("has ended before the others"));
  });
  EXPECT_THAT(outcomes, Each(AnyOf("", HasSubstr("has ended before the others"))));
}

TEST(JobWatch, WorksWithOneProcess) {
  Job job{Bootstrap{}};
  for (int run = 0; run < 2; ++run) {
    Monitor monitor;
    job.watch(monitor, kLong);
    EXPECT_EQ(job.wait(milliseconds(30)), termination::Verdict::none);
    monitor.set(at_rest(3, 3));
    EXPECT_EQ(job.wait(kLong), termination::Verdict::quiescent);
    job.end_watch();
  }
  Monitor monitor;
  monitor.set(at_rest(3, 2));
  job.watch(monitor, milliseconds(100));
  EXPECT_EQ(job.wait(kLong), termination::Verdict::stalled);
  job.end_watch();
  job.fail("enough");
  EXPECT_THAT(job.failure(), HasSubstr("): enough"));
}

}  // namespace
}  // namespace toroid::testing
