// An exception from JobOptions::poll ends a wait in the job.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "hal/check.hpp"
#include "router/job/bootstrap.hpp"
#include "router/job/job.hpp"
#include "router/job/listening_socket.hpp"
#include "router/termination/detector.hpp"
#include "tests/router/job/jobs.hpp"

namespace toroid::testing {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Options whose `poll` throws at its third call after `on` is set.
JobOptions interrupted_by(std::atomic<bool>& on) {
  JobOptions options = patient();
  options.poll = [&on, calls = 0]() mutable {
    if (on && ++calls == 3) throw RunFailed("interrupted");
  };
  return options;
}

/// If `body` is interrupted while it waits for other processes, these end as well and name the
/// interrupted process.
void expect_interrupted(const Body& body) {
  for (const unsigned victim : {0U, 1U}) {
    std::atomic<bool> on{false};
    auto members = bootstraps(3);
    JobThreads one({members[victim]}, interrupted_by(on), [&](Job& job) {
      job.all_gather({});
      on = true;
      body(job);
    });
    members.erase(members.begin() + victim);
    JobThreads others(members, patient(), [&](Job& job) {
      job.all_gather({});
      Busy monitor;
      job.watch(monitor, kLong);
      job.wait(kLong);
      job.end_watch();
      job.all_gather({});
    });
    EXPECT_THAT(one.outcomes(), ElementsAre("interrupted"));
    EXPECT_THAT(others.outcomes(), Each(AllOf(StartsWith(fmt::format("process {} (host ", victim)),
                                              HasSubstr("): interrupted"))));
  }
}

TEST(JobPoll, ExceptionEndsACollective) {
  expect_interrupted([](Job& job) { job.all_gather({}); });
}

TEST(JobPoll, ExceptionEndsTheWaitForAVerdict) {
  expect_interrupted([](Job& job) { job.wait(kLong); });
}

TEST(JobPoll, ExceptionEndsASeriesOfShortWaits) {
  expect_interrupted([](Job& job) {
    while (job.wait(milliseconds(5)) == termination::Verdict::none) continue;
  });
}

TEST(JobPoll, ExceptionEndsJoiningOfProcess0) {
  std::atomic<bool> on{true};
  auto members = bootstraps(3);
  JobThreads one({members[0]}, interrupted_by(on), [](Job&) {});
  JobOptions options = patient();
  options.patience = milliseconds(2000);
  JobThreads other({members[1]}, options, [](Job&) {});
  EXPECT_THAT(one.outcomes(), ElementsAre("interrupted"));
  EXPECT_THAT(other.outcomes(), Each(AnyOf(HasSubstr("): interrupted"), HasSubstr("cannot join"))));
}

TEST(JobPoll, ExceptionEndsJoiningOfAnotherProcess) {
  std::atomic<bool> on{true};
  auto members = bootstraps(3);
  members.pop_back();
  JobOptions options = patient();
  options.patience = milliseconds(5000);
  JobThreads hub({members[0]}, options, [](Job&) {});
  JobThreads leaf({members[1]}, interrupted_by(on), [](Job&) {});  // may not be admitted in time
  EXPECT_THAT(leaf.outcomes(), ElementsAre("interrupted"));
  EXPECT_THAT(hub.outcomes(), Each(AnyOf(HasSubstr("): interrupted"), HasSubstr("died"),
                                         HasSubstr("did not join"))));
}

TEST(JobPoll, ExceptionEndsDialling) {
  std::atomic<bool> on{true};
  const auto members = bootstraps(2);
  job::Socket listener(members[0].listener);
  for (const bool listens : {true, false}) {
    if (!listens) listener.close();
    JobThreads leaf({members[1]}, interrupted_by(on), [](Job&) {});
    EXPECT_THAT(leaf.outcomes(), ElementsAre("interrupted"));
  }
}

TEST(JobPoll, ExceptionEndsWaitInJobOfOneProcess) {
  std::atomic<bool> on{true};
  Job job(Bootstrap{}, interrupted_by(on));
  Busy monitor;
  job.watch(monitor, kLong);
  EXPECT_THROW(job.wait(kLong), RunFailed);
  EXPECT_THAT(job.failure(), HasSubstr("): interrupted"));
  job.end_watch();
}

}  // namespace
}  // namespace toroid::testing
