// Processes that die, hang, or never join.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "router/job/blob.hpp"
#include "router/job/bootstrap.hpp"
#include "router/job/job.hpp"
#include "router/job/launcher_events.hpp"
#include "router/job/listening_socket.hpp"
#include "router/termination/detector.hpp"
#include "tests/router/job/jobs.hpp"

namespace toroid::testing {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

void run_until_it_fails(Job& job) {
  job.all_gather({});
  Busy monitor;
  job.watch(monitor, kLong);
  EXPECT_EQ(job.wait(kLong), termination::Verdict::failed);
  job.end_watch();
  job.all_gather({});
}

/// The outcomes of the other processes if a signal hits process `victim` during the run.
std::vector<std::string> outcomes_when(unsigned victim, int signal, const JobOptions& options) {
  auto members = bootstraps(3);
  JobChild child(members[victim], options, run_until_it_fails);
  if (victim == 0) job::Socket(members[0].listener).close();
  members.erase(members.begin() + victim);
  std::atomic<int> begun{0};
  JobThreads others(members, options, [&](Job& job) {
    if (job.rank() == 1 || (victim == 1 && job.rank() == 0)) begun = 1;
    run_until_it_fails(job);
  });
  while (begun == 0) sleep_for(milliseconds(10));
  sleep_for(milliseconds(100));
  child.signal(signal);
  auto outcomes = others.outcomes();
  for (std::string& outcome : outcomes)
    EXPECT_THAT(outcome, HasSubstr(fmt::format("pid {})", child.pid())));
  return outcomes;
}

TEST(JobLoss, KilledProcessIsNamedOnAllOthers) {
  for (const unsigned victim : {0U, 1U, 2U})
    EXPECT_THAT(outcomes_when(victim, SIGKILL, patient()),
                Each(AllOf(HasSubstr(fmt::format("process {} (host ", victim)),
                           HasSubstr("died: connection closed"))));
}

TEST(JobLoss, StoppedProcessIsNamedOnAllOthers) {
  for (const unsigned victim : {0U, 2U})
    EXPECT_THAT(outcomes_when(victim, SIGSTOP, soon_worried()),
                Each(AllOf(HasSubstr(fmt::format("process {} (host ", victim)),
                           HasSubstr("has not answered for 1.0 s"))));
}

/// A launcher whose reports are controlled by the test.
class TellingLauncher final : public job::LauncherEvents {
 public:
  void listen(Died died) override {
    const std::lock_guard lock(mutex_);
    died_ = std::move(died);
  }
  void stop(bool) noexcept override {
    const std::lock_guard lock(mutex_);
    died_ = nullptr;
  }
  /// Reports a death. Returns false if nobody listens.
  bool tell(unsigned rank, const std::string& why) {
    const std::lock_guard lock(mutex_);
    if (died_) died_(rank, why);
    return static_cast<bool>(died_);
  }

 private:
  std::mutex mutex_;
  Died died_;
};

std::vector<std::shared_ptr<TellingLauncher>> let_tell(std::vector<Bootstrap>& members) {
  std::vector<std::shared_ptr<TellingLauncher>> launchers;
  for (Bootstrap& member : members) {
    launchers.push_back(std::make_shared<TellingLauncher>());
    member.events = launchers.back();
  }
  return launchers;
}

void tell_all(const std::vector<std::shared_ptr<TellingLauncher>>& launchers, unsigned rank) {
  for (const auto& launcher : launchers)
    while (!launcher->tell(rank, "its host is down")) sleep_for(milliseconds(1));
}

/// The stopped process keeps its connections open, and is not silent for long enough to count as
/// lost.
TEST(JobLoss, ProcessReportedByLauncherIsNamedOnAllOthers) {
  for (const unsigned victim : {0U, 2U}) {
    auto members = bootstraps(3);
    JobChild child(members[victim], patient(), run_until_it_fails);
    if (victim == 0) job::Socket(members[0].listener).close();
    members.erase(members.begin() + victim);
    const auto launchers = let_tell(members);
    std::atomic<int> begun{0};
    JobThreads others(members, patient(), [&](Job& job) {
      ++begun;
      run_until_it_fails(job);
    });
    while (begun < 2) sleep_for(milliseconds(10));
    child.signal(SIGSTOP);
    tell_all(launchers, victim);
    EXPECT_THAT(others.outcomes(),
                Each(AllOf(HasSubstr(fmt::format("process {} (host ", victim)),
                           HasSubstr(fmt::format("pid {}) died: its host is down", child.pid())))));
  }
}

TEST(JobLoss, ProcessReportedByLauncherBeforeJoiningIsNamed) {
  auto members = bootstraps(3);
  members.pop_back();
  const auto launchers = let_tell(members);
  JobThreads others(members, patient(), [](Job&) {});
  tell_all(launchers, 2);
  EXPECT_THAT(others.outcomes(), Each(HasSubstr("process 2 did not join: its host is down")));
}

/// A launcher may report the end of a process before its goodbye has been read.
TEST(JobLoss, LauncherReportAfterOrderlyLeaveIsIgnored) {
  auto members = bootstraps(3);
  const auto launchers = let_tell(members);
  const auto outcomes = JobThreads(members, patient(), [&](Job& job) {
                          job.all_gather({});
                          if (job.rank() == 2) return;
                          launchers[job.rank()]->tell(2, "exit code 1");
                          sleep_for(milliseconds(600));
                          EXPECT_EQ(job.failure(), "");
                        }).outcomes();
  EXPECT_THAT(outcomes, Each(""));
}

TEST(JobLoss, MissingProcessesAreNamed) {
  auto members = bootstraps(4);
  members.pop_back();
  members.erase(members.begin() + 1);
  JobOptions options = patient();
  options.patience = milliseconds(1500);
  const auto outcomes = JobThreads(members, options, [](Job&) {}).outcomes();
  EXPECT_THAT(outcomes, Each(HasSubstr("processes 1, 3 did not join within 1.5 s")));
}

TEST(JobLoss, MissingProcess0IsNamed) {
  auto members = bootstraps(2);
  job::Socket(members[0].listener).close();
  members.erase(members.begin());
  JobOptions options = patient();
  options.patience = milliseconds(300);
  const auto outcomes = JobThreads(members, options, [](Job&) {}).outcomes();
  EXPECT_THAT(outcomes, Each(HasSubstr("process 1 cannot join process 0 at 127.0.0.1 port")));
}

TEST(JobLoss, SilentProcess0IsNamed) {
  const auto members = bootstraps(2);
  const job::Socket listener(members[0].listener);
  JobOptions options = patient();
  options.patience = milliseconds(300);
  JobThreads leaf({members[1]}, options, [](Job&) {});
  EXPECT_THAT(
      leaf.outcomes(),
      Each(HasSubstr(fmt::format("process 0 at 127.0.0.1:{} does not answer", members[0].port))));
}

/// Reports a packet to process 2 as in flight until that process is lost.
class GoesOn final : public RunMonitor {
 public:
  termination::MemberReport report() override {
    termination::MemberReport report = at_rest(5, lost_ == 0 ? 4 : 5);
    report.rounds = ++rounds_;
    report.without = lost_;
    return report;
  }
  void lose(unsigned rank) override {
    EXPECT_EQ(rank, 2u);
    ++lost_;
  }

 private:
  std::uint64_t rounds_ = 0;
  std::uint32_t lost_ = 0;
};

/// The remaining processes reach a verdict, know of the loss and gather without the lost process.
void run_without_process_2(Job& job) {
  job.all_gather({});
  GoesOn monitor;
  job.watch(monitor, kLong, OnLoss::go_on);
  EXPECT_EQ(job.wait(kLong), termination::Verdict::quiescent);
  job.end_watch();
  const std::vector<Loss> losses = job.losses();
  ASSERT_EQ(losses.size(), 1u);
  EXPECT_EQ(losses[0].rank, 2u);
  EXPECT_THAT(losses[0].why, HasSubstr("process 2 (host "));
  const std::vector<Blob> all = job.all_gather(blob_of(3, 0));
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].size(), 3u);
  EXPECT_EQ(all[1].size(), 3u);
  EXPECT_TRUE(all[2].empty());
}

/// The outcomes if a signal hits process 2 during a run that goes on without lost processes.
std::vector<std::string> outcomes_without(int signal, const JobOptions& options) {
  auto members = bootstraps(3);
  JobChild child(members[2], options, [](Job& job) {
    job.all_gather({});
    Busy monitor;
    job.watch(monitor, kLong, OnLoss::go_on);
    const termination::Verdict verdict = job.wait(kLong);
    job.end_watch();
    if (verdict == termination::Verdict::failed) throw std::runtime_error(job.failure());
  });
  members.pop_back();
  std::atomic<int> begun{0};
  JobThreads others(members, options, [&](Job& job) {
    ++begun;
    run_without_process_2(job);
  });
  while (begun < 2) sleep_for(milliseconds(10));
  sleep_for(milliseconds(300));
  child.signal(signal);
  auto outcomes = others.outcomes();
  child.signal(SIGCONT);  // now it learns that the others have given it up
  EXPECT_EQ(child.wait(), signal == SIGKILL ? -1 : 1);
  return outcomes;
}

TEST(JobLoss, RunGoesOnWithoutKilledProcess) {
  EXPECT_THAT(outcomes_without(SIGKILL, patient()), Each(""));
}

TEST(JobLoss, RunGoesOnWithoutStoppedProcess) {
  EXPECT_THAT(outcomes_without(SIGSTOP, soon_worried()), Each(""));
}

TEST(JobLoss, LossOfProcess0EndsRunThatGoesOnWithoutOthers) {
  auto members = bootstraps(2);
  JobChild child(members[0], patient(), [](Job& job) {
    Busy monitor;
    job.watch(monitor, kLong, OnLoss::go_on);
    job.wait(kLong);
    job.end_watch();
  });
  job::Socket(members[0].listener).close();
  std::atomic<bool> begun{false};
  JobThreads other({members[1]}, patient(), [&](Job& job) {
    Busy monitor;
    job.watch(monitor, kLong, OnLoss::go_on);
    begun = true;
    EXPECT_EQ(job.wait(kLong), termination::Verdict::failed);
    job.end_watch();
    job.all_gather({});
  });
  while (!begun) sleep_for(milliseconds(10));
  child.signal(SIGKILL);
  EXPECT_THAT(other.outcomes(), Each(HasSubstr("process 0 (host ")));
}

}  // namespace
}  // namespace toroid::testing
