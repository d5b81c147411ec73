// alltoall --checkpoint on the command line: runs that are interrupted, killed and resumed. Builds
// with sanitizers omit these tests; in those builds traffic_command_test resumes a run.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/comes_true.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// A run of some seconds that saves a checkpoint about once a second or more often.
const Arguments kSaved = {
    "alltoall",           "--torus", "8x8x8",  "--bytes", "1200",         "--seed", "5",
    "--checkpoint-every", "0",       "--json", "r.json",  "--checkpoint", "c"};

nlohmann::json result_in(const TemporaryDirectory& directory) {
  auto json = nlohmann::json::parse(directory.content_of("r.json"));
  for (const char* clock : {"command", "date", "wall_s", "cpu_s", "packet_hops_per_cpu_s"})
    json.erase(clock);
  return json;
}

/// Ends the run by a signal as soon as it has written a checkpoint.
Ended interrupt_saved(const Arguments& arguments, const TemporaryDirectory& directory, int signal) {
  RunningCommand command(arguments, {.directory = directory.path()});
  EXPECT_TRUE(comes_true([&] { return fs::exists(directory / "c"); }));
  command.signal(signal);
  return command.wait();
}

/// The JSON of the run without a checkpoint.
nlohmann::json uninterrupted(const Arguments& threads) {
  const TemporaryDirectory directory;
  Arguments plain(kSaved.begin(), kSaved.begin() + 7);
  run_process(plain + threads + Arguments{"--json", "r.json", "--quiet"},
              {.directory = directory.path()});
  return result_in(directory);
}

TEST(CheckpointCommand, ResumesAfterAnInterruptionToTheSameResult) {
  for (const auto& [signal, threads] : {std::pair{SIGINT, "1"}, {SIGTERM, "3"}}) {
    const TemporaryDirectory directory;
    const Arguments run = kSaved + Arguments{"--threads", threads};
    const Ended first = interrupt_saved(run, directory, signal);
    EXPECT_EQ(first.exit_code, 128 + signal) << first.err;
    EXPECT_THAT(first.err, HasSubstr("toroid: interrupted at cycle "));
    EXPECT_THAT(first.err, HasSubstr("--checkpoint c"));
    EXPECT_THAT(directory.entries(), ElementsAre("c"));
    const Ended second = run_process(run, {.directory = directory.path()});
    EXPECT_EQ(second.exit_code, 0) << second.err;
    EXPECT_THAT(second.err, HasSubstr("toroid: resumed at cycle "));
    EXPECT_THAT(directory.entries(), ElementsAre("r.json"));
    EXPECT_EQ(result_in(directory), uninterrupted({"--threads", threads}));
  }
}

TEST(CheckpointCommand, ResumesAfterAKill) {
  const TemporaryDirectory directory;
  EXPECT_EQ(interrupt_saved(kSaved, directory, SIGKILL).signal, SIGKILL);
  EXPECT_THAT(directory.entries(), ElementsAre("c"));
  const Ended second = run_process(kSaved, {.directory = directory.path()});
  EXPECT_THAT(second.err, HasSubstr("toroid: resumed at cycle "));
  EXPECT_EQ(result_in(directory), uninterrupted({}));
}

/// This run computes its bounds for many seconds before the first cycle. Before that it prints its
/// estimate of the time, which tells this test that the run has begun.
TEST(CheckpointCommand, SavesNothingBeforeTheFirstCycle) {
  const Arguments slow = {"alltoall", "--torus", "32x32x32",     "--bytes", "240",
                          "--sample", "4000",    "--checkpoint", "c"};
  for (const int signal : {SIGINT, SIGTERM}) {
    const TemporaryDirectory directory;
    RunningCommand command(slow, {.directory = directory.path()});
    EXPECT_TRUE(comes_true([&] { return !command.said().empty(); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    const auto began = std::chrono::steady_clock::now();
    command.signal(signal);
    const Ended ended = command.wait();
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10));
    EXPECT_EQ(ended.exit_code, 128 + signal);
    EXPECT_THAT(ended.err, EndsWith("\ntoroid: interrupted; nothing to save yet\n"));
    EXPECT_THAT(directory.entries(), IsEmpty());
  }
}

TEST(CheckpointCommand, KeepsTheFileIfTheResultCannotBeWritten) {
  const TemporaryDirectory directory;
  const Arguments run = {"alltoall",           "--torus", "8x8x8",        "--bytes", "1200",
                         "--checkpoint-every", "0",       "--checkpoint", "c"};
  ASSERT_EQ(interrupt_saved(run, directory, SIGINT).exit_code, 128 + SIGINT);
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  const Ended second = run_process(run, {.directory = directory.path(), .out = full});
  ::close(full);
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.err,
              HasSubstr("cannot write to standard output; the checkpoint file is kept"));
  EXPECT_THAT(directory.entries(), ElementsAre("c"));
}

bool has_resumed(const RunningCommand& command) {
  return command.said().find("resumed") != std::string::npos;
}

TEST(CheckpointCommand, RemovesTheFileIfLinkErrorsFailTheRun) {
  const TemporaryDirectory directory;
  const Ended ended = run_process(
      {"alltoall", "--torus", "4x4", "--bytes", "8000", "--link-error", "1e-2", "--link-faults",
       "silent", "--checkpoint", "c", "--checkpoint-every", "0", "--quiet"},
      {.directory = directory.path()});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(directory.entries(), IsEmpty());
}

TEST(CheckpointCommand, LeavesAFileThatAnotherProgramReplaced) {
  const TemporaryDirectory directory;
  ASSERT_EQ(interrupt_saved(kSaved, directory, SIGINT).exit_code, 128 + SIGINT);
  Arguments seldom = kSaved;
  std::ranges::replace(seldom, "0", "600");
  RunningCommand command(seldom, {.directory = directory.path()});
  EXPECT_TRUE(comes_true([&] { return has_resumed(command); }));
  std::ofstream(directory / "c") << "somebody else's";
  const Ended ended = command.wait();
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("warning: c was not removed: "));
  EXPECT_EQ(directory.content_of("c"), "somebody else's");
}

/// Runs the command, expects exit code 2 and one line, and returns that line.
std::string refusal_in(const TemporaryDirectory& directory, const Arguments& arguments) {
  const Ended ended = run_process(arguments, {.directory = directory.path()});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.err_lines(), 1) << ended.err;
  return ended.err;
}

TEST(CheckpointCommand, RefusesTheCheckpointOfAnotherRun) {
  const TemporaryDirectory directory;
  const Arguments run = {"alltoall", "--quiet", "--checkpoint-every", "0", "--checkpoint", "c"};
  const Arguments torus = {"--torus", "8x8x8", "--bytes", "1200", "--threads", "1"};
  ASSERT_EQ(interrupt_saved(run + torus, directory, SIGINT).exit_code, 128 + SIGINT);
  const std::string whole = directory.content_of("c");
  const auto refused = [&](const Arguments& other) { return refusal_in(directory, run + other); };
  EXPECT_THAT(refused(torus + Arguments{"--seed", "2"}),
              HasSubstr("checkpoint c is from a run with another seed: seed 1, not 2"));
  EXPECT_THAT(refused(torus + Arguments{"--machine", "bgl-fitted"}),
              HasSubstr("is from a run with another machine: machine bgl ("));
  EXPECT_THAT(refused({"--torus", "8x8x4", "--bytes", "1200", "--threads", "1"}),
              HasSubstr("is from a run with another machine: torus 8x8x8, not 8x8x4"));
  EXPECT_THAT(refused({"--torus", "8x8x8", "--bytes", "480", "--threads", "1"}),
              HasSubstr("is from a run with another command: bytes 1200, not 480"));
  EXPECT_THAT(refused(torus + Arguments{"--sample", "5"}),
              HasSubstr("is from a run with another command: traffic all-to-all, not sample:5"));
  EXPECT_THAT(refused(torus + Arguments{"--peers", "5"}),
              HasSubstr("is from a run with another command: peers 0, not 5"));
  EXPECT_THAT(refused(torus + Arguments{"--tie", "split"}),
              HasSubstr("is from a run with another command: tie \"alternate\", not \"split\""));
  EXPECT_THAT(refused({"--torus", "8x8x8", "--bytes", "1200", "--threads", "2"}),
              HasSubstr("is from a run with another number of threads: threads 1, not 2"));
  directory.save("c", whole.substr(0, whole.size() / 2));
  EXPECT_THAT(refused(torus), HasSubstr("checkpoint c is truncated"));
  EXPECT_EQ(directory.content_of("c"), whole.substr(0, whole.size() / 2));
  std::string old = whole;
  old[8] = 0;
  directory.save("c", old);
  EXPECT_THAT(refused(torus), HasSubstr("has format version 0; expected 1"));
}

TEST(CheckpointCommand, RefusesRunsThatItCannotSave) {
  const TemporaryDirectory directory;
  const Arguments run = {"alltoall", "--torus", "2x2x2", "--checkpoint", "c"};
  for (const auto& [more, why] :
       {std::pair{Arguments{"--policy", "bruck"}, "policy bruck:2 combines messages"},
        {Arguments{"--fabric", "shm"}, "--checkpoint has no effect on alltoall with --fabric shm"},
        {Arguments{"--record", "r"}, "(it works without --record)"},
        {Arguments{"--export", "m.goal"}, "(it works without --export)"},
        {Arguments{"--json", "c"}, "are the same file"}})
    EXPECT_THAT(refusal_in(directory, run + more), HasSubstr(why));
  for (const Arguments& program :
       {Arguments{"fft", "--torus", "2x2", "--size", "8"}, Arguments{"hello", "--torus", "2x2"}})
    EXPECT_THAT(refusal_in(directory, program + Arguments{"--checkpoint", "c"}),
                HasSubstr("'--checkpoint' is an option of alltoall"));
  EXPECT_THAT(refusal_in(directory, {"alltoall", "--torus", "2", "--checkpoint", "no/c"}),
              HasSubstr("cannot write no/c"));
  EXPECT_THAT(directory.entries(), IsEmpty());
}

TEST(CheckpointCommand, WarnsAndContinuesOnAFullDisk) {
  const TemporaryDirectory directory;
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit full{30000, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &full);
  const Ended ended = run_process(
      {"alltoall", "--torus", "4x4x4", "--checkpoint", "c", "--checkpoint-every", "0", "--quiet"},
      {.directory = directory.path()});
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("the run continues, there is no checkpoint yet"));
  EXPECT_THAT(directory.entries(), IsEmpty());
}

}  // namespace
}  // namespace toroid::testing
