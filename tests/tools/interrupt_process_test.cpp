// Interrupted runs leave nothing behind.
#include <fcntl.h>
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "tests/comes_true.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

/// The output of an interrupted run: a long run first prints how long it will take, and the
/// interruption adds one line.
constexpr const char* kOneLine = "(toroid: expects to take [^\n]*\n)?toroid: interrupted\n";

// Two runs that take many seconds and open their outputs within the first second.
const Arguments kSlowAllToAll = {"alltoall", "--torus", "16x16x16", "--bytes", "240000"};
const Arguments kSlowFft = {"fft", "--torus", "16x16x16", "--size", "128"};

/// A run of many seconds on worker threads.
const Arguments kShmFft = {"fft",     "--torus",  "2x2x2", "--size", "32",      "--repeat",
                           "1000000", "--fabric", "shm",   "--plan", "estimate"};

/// Whether the process has this many outputs open in the directory.
bool has_open(pid_t process, const fs::path& directory, unsigned outputs) {
  unsigned found = 0;
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator(fmt::format("/proc/{}/fd", process), gone))
    found += fs::read_symlink(entry, gone).native().starts_with(directory.native() + "/");
  return found == outputs;
}

/// Ends a run by a signal when it is well under way.
Ended interrupted(const Arguments& arguments, const TemporaryDirectory& directory, int signal,
                  unsigned outputs) {
  RunningCommand command(arguments, {.directory = directory.path()});
  comes_true([&] { return has_open(command.pid(), directory.path(), outputs); });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  command.signal(signal);
  return command.wait();
}

const Arguments kJson = {"--json", "r.json"};
const Arguments kBoth = {"--json", "r.json", "--out", "r.npy"};

TEST(Interrupt, EndsARunWithOneLineAndLeavesNothing) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const TemporaryDirectory directory;
    for (const auto& [run, outputs] :
         {std::pair{kSlowAllToAll + kJson, 1U}, std::pair{kSlowFft + kBoth, 2U}}) {
      const Ended ended = interrupted(run, directory, signal, outputs);
      EXPECT_EQ(ended.exit_code, 1);
      EXPECT_THAT(ended.err, MatchesRegex(kOneLine));
      EXPECT_EQ(ended.out, "");
      EXPECT_THAT(directory.entries(), IsEmpty());
    }
  }
}

/// At the end of a terminal the shell and the kernel each send a SIGHUP.
TEST(Interrupt, EndsARunInOrderAfterSeveralHangups) {
  const TemporaryDirectory directory;
  RunningCommand command(kSlowAllToAll + kJson, {.directory = directory.path()});
  comes_true([&] { return has_open(command.pid(), directory.path(), 1); });
  for (unsigned hangup = 0; hangup < 20; ++hangup) {
    command.signal(SIGHUP);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  const Ended ended = command.wait();
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.err, MatchesRegex(kOneLine));
}

TEST(Interrupt, EndsARunOnWorkerThreadsWithOneLineAndLeavesNothing) {
  const TemporaryDirectory directory;
  for (const int signal : {SIGINT, SIGTERM})
    for (const std::string route : {"torus", "direct"}) {
      const Arguments run = kShmFft + kBoth + Arguments{"--route", route, "--threads", "3"};
      const Ended ended = interrupted(run, directory, signal, 2);
      EXPECT_EQ(ended.exit_code, 1);
      EXPECT_THAT(ended.err, MatchesRegex(kOneLine));
      EXPECT_EQ(ended.out, "");
      EXPECT_THAT(directory.entries(), IsEmpty());
    }
}

TEST(Interrupt, EndsThePlaneSearchAndTheResultCheck) {
  const Arguments search = {"fft",    "--method", "slab",     "--torus", "4x4",
                            "--size", "256",      "--planes", "-1"};
  const Arguments check = {"fft", "--method",    "orbital", "--torus", "1x1x1", "--size",
                           "192", "--transform", "dct",     "--check", "--real"};
  for (const Arguments& run : {search, check}) {
    const TemporaryDirectory directory;
    const Ended ended = interrupted(run + kBoth, directory, SIGINT, 2);
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_THAT(ended.err, MatchesRegex(kOneLine));
    EXPECT_THAT(directory.entries(), IsEmpty());
  }
}

TEST(Interrupt, KillLeavesNothing) {
  const TemporaryDirectory directory;
  if (const int file = ::open(directory.path().c_str(), O_TMPFILE | O_WRONLY, 0600); file < 0)
    GTEST_SKIP() << "O_TMPFILE is not supported in " << directory.path();
  else
    ::close(file);
  for (const auto& [run, outputs] :
       {std::pair{kSlowAllToAll + kJson, 1U}, std::pair{kSlowFft + kBoth, 2U}}) {
    EXPECT_EQ(interrupted(run, directory, SIGKILL, outputs).signal, SIGKILL);
    EXPECT_THAT(directory.entries(), IsEmpty());
  }
}

TEST(Interrupt, KeepsTheResultsOfAnEarlierRun) {
  const TemporaryDirectory directory;
  directory.save("r.json", "old json");
  directory.save("r.npy", "old array");
  for (const int signal : {SIGINT, SIGKILL}) {
    interrupted(kSlowFft + kBoth, directory, signal, 2);
    EXPECT_EQ(directory.content_of("r.json"), "old json");
    EXPECT_EQ(directory.content_of("r.npy"), "old array");
    EXPECT_THAT(directory.entries(), ElementsAre("r.json", "r.npy"));
  }
}

/// Ends a run by a signal while it is blocked and does not check for signals: it opens a FIFO that
/// has no reader.
Ended interrupted_while_opening(const TemporaryDirectory& directory, int signal) {
  RunningCommand command({"hello", "--torus", "2x2", "--quiet", "--json", "fifo"},
                         {.directory = directory.path()});
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  command.signal(signal);
  return command.wait();
}

TEST(Interrupt, EndsARunThatDoesNotCheckForSignals) {
  const TemporaryDirectory directory;
  ASSERT_EQ(::mkfifo((directory / "fifo").c_str(), 0600), 0);
  for (const int signal : {SIGINT, SIGTERM}) {
    const Ended ended = interrupted_while_opening(directory, signal);
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_EQ(ended.err, "toroid: interrupted\n");
    EXPECT_THAT(directory.entries(), ElementsAre("fifo"));
  }
}

/// The first signal suffices, although nothing comes through the pipe.
TEST(Interrupt, EndsARunThatWaitsForStandardInput) {
  const TemporaryDirectory directory;
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  RunningCommand command({"fft", "--torus", "2", "--in", "-", "--json", "r.json"},
                         {.directory = directory.path(), .in = ends[0]});
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  command.signal(SIGINT);
  const Ended ended = command.wait();
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(ended.err, "toroid: interrupted\n");
  EXPECT_THAT(directory.entries(), IsEmpty());
  for (const int end : ends) ::close(end);
}

/// Building the machine takes some seconds and a few gigabytes. The signal comes before most of the
/// memory is taken.
TEST(Interrupt, EndsARunWhoseMachineIsBeingBuilt) {
  const TemporaryDirectory directory;
  for (const std::string verb : {"hello", "alltoall"}) {
    RunningCommand command({verb, "--torus", "128x64x32", "--json", "r.json"},
                           {.directory = directory.path()});
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    const auto asked = std::chrono::steady_clock::now();
    command.signal(SIGTERM);
    const Ended ended = command.wait();
    EXPECT_LT(std::chrono::steady_clock::now() - asked, std::chrono::seconds(30));
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_THAT(ended.err, MatchesRegex(kOneLine));
    EXPECT_THAT(directory.entries(), IsEmpty());
  }
}

}  // namespace
}  // namespace toroid::testing
