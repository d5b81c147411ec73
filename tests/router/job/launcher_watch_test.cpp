// A process notices that its launcher has gone, and then its job fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <string>
#include <utility>

#include "router/job/bootstrap.hpp"
#include "router/job/job.hpp"
#include "router/job/launcher_pipe.hpp"
#include "router/job/launcher_watch.hpp"
#include "router/job/listening_socket.hpp"
#include "router/termination/detector.hpp"
#include "tests/comes_true.hpp"
#include "tests/router/job/jobs.hpp"

namespace toroid::testing {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

TEST(LauncherWatch, GoneLauncherOfOneProcessFailsTheJobOnAll) {
  for (const unsigned abandoned : {0U, 2U}) {
    auto members = bootstraps(3);
    std::atomic<bool> gone{false};
    members[abandoned].launcher_has_gone = [&gone] { return gone.load(); };
    JobThreads job(members, patient(), [&](Job& one) {
      one.all_gather({});
      Busy monitor;
      one.watch(monitor, kLong);
      gone = true;
      EXPECT_EQ(one.wait(kLong), termination::Verdict::failed);
      one.end_watch();
      one.all_gather({});
    });
    EXPECT_THAT(job.outcomes(), Each(HasSubstr("the launcher of process " +
                                               std::to_string(abandoned) + " (host ")));
  }
}

TEST(LauncherWatch, ProcessDoesNotWaitForOthersWithoutItsLauncher) {
  for (const unsigned waiting : {0U, 1U}) {
    auto members = bootstraps(2);
    const job::Socket listener(waiting == 1 ? members[0].listener : -1);
    Bootstrap member = members[waiting];
    member.launcher_has_gone = [] { return true; };
    EXPECT_THAT(outcome_of(member, patient(), [](Job&) {}), HasSubstr("has gone"));
  }
}

/// A pipe of `toroid launch`, of which this process has both ends.
class PipeToLauncher {
 public:
  PipeToLauncher() {
    EXPECT_EQ(::pipe(ends_.data()), 0);
    ::setenv(job::kLauncherPipe, job::pipe_text(ends_[1]).c_str(), 1);
  }
  ~PipeToLauncher() {
    ::unsetenv(job::kLauncherPipe);
    for (const unsigned end : {0U, 1U}) close(end);
  }
  PipeToLauncher(const PipeToLauncher&) = delete;
  PipeToLauncher& operator=(const PipeToLauncher&) = delete;

  /// Closes the launcher's end (0) or the process's end (1).
  void close(unsigned end) { job::Socket(std::exchange(ends_.at(end), -1)).close(); }

 private:
  std::array<int, 2> ends_{};
};

TEST(LauncherWatch, SeesThatTheLauncherHasClosedItsPipe) {
  PipeToLauncher pipe;
  const auto has_gone = job::watch_launcher();
  job::tell_launcher(0);
  EXPECT_FALSE(has_gone());
  pipe.close(0);
  EXPECT_TRUE(has_gone());
  job::tell_launcher(0);  // not ended by SIGPIPE
}

TEST(LauncherWatch, OutlastsAProgramThatClosesThePipe) {
  PipeToLauncher pipe;
  const auto has_gone = job::watch_launcher();
  pipe.close(1);
  EXPECT_FALSE(has_gone());
  pipe.close(0);
  EXPECT_TRUE(has_gone());
}

int signal_of_parents_death() {
  int signal = -1;
  ::prctl(PR_GET_PDEATHSIG, &signal);
  return signal;
}

TEST(LauncherWatch, ChildOfTheLauncherIsNotKilledWithItWhileItWatches) {
  const PipeToLauncher pipe;
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    auto has_gone = job::watch_launcher();
    const bool undone = signal_of_parents_death() == 0;
    has_gone = nullptr;
    ::_exit(undone && signal_of_parents_death() == SIGKILL ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

/// The child plays mpirun, the grandchild a process that mpirun has started.
TEST(LauncherWatch, SeesThatTheAncestorThatSetTheVariableHasEnded) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const job::Socket from(ends[0]);
  const job::Socket to(ends[1]);
  const auto tell = [&](char word) { return ::write(to.fd(), &word, 1) == 1; };
  const auto hear = [&] {
    char word = 0;
    return ::read(from.fd(), &word, 1) == 1 ? word : '\0';
  };
  const pid_t launcher = ::fork();
  if (launcher == 0 && ::fork() == 0) {
    ::setenv("PMI_RANK", "1", 1);
    const auto has_gone = job::watch_launcher();
    tell(has_gone && !has_gone() ? 'w' : 'f');
    tell(comes_true(has_gone) ? 'g' : 'f');
    ::_exit(0);
  }
  if (launcher == 0) ::pause();
  EXPECT_EQ(hear(), 'w');
  ::kill(launcher, SIGKILL);
  EXPECT_EQ(hear(), 'g');
  ::waitpid(launcher, nullptr, 0);
}

TEST(LauncherWatch, ShellOfAUserIsNoLauncher) {
  for (const char* name :
       {"PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "TORCHELASTIC_RUN_ID", "SLURM_PROCID"})
    ::unsetenv(name);
  EXPECT_FALSE(job::watch_launcher());
}

}  // namespace
}  // namespace toroid::testing
