// On a host that lacks memory, descriptors, threads, disk space, a writable home or shared memory,
// a run either succeeds or ends with the right exit code and one line that says why.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "tests/tools/run_process.hpp"

namespace toroid::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Seconds after which a run counts as hanging.
constexpr const char* kPatience = "60";

/// Short runs of each kind of verb, fabric and method.
const std::vector<Arguments> kRuns = {
    {"info", "--torus", "4x4"},
    {"hello", "--torus", "2x2x2", "--threads", "3"},
    {"hello", "--torus", "2x2", "--fabric", "shm", "--threads", "3"},
    {"hello", "--torus", "2x2", "--fabric", "shm", "--route", "torus", "--threads", "2"},
    {"hello", "--torus", "2x2", "--fabric", "ofi"},
    {"alltoall", "--torus", "2x2x2", "--bytes", "240"},
    {"fft", "--torus", "2x2", "--size", "8", "--check"},
    {"fft", "--torus", "2x2", "--size", "8", "--method", "slab", "--check"},
    {"fft", "--torus", "2x2", "--size", "8", "--method", "rows", "--fabric", "shm"},
    {"fft", "--torus", "2x2x2", "--size", "8", "--method", "orbital", "--check"},
    {"fft", "--torus", "2x2x2", "--size", "8", "--method", "orbital", "--fabric", "shm"},
    {"compare", "--torus", "3x3", "--policies", "random,rank", "--threads", "2"},
    {"poisson", "--torus", "2x2", "--size", "8"},
};

/// A run of two processes. The launcher prints lines of its own, in addition to those of the
/// processes.
const Arguments kLaunch = {"launch", "-n", "2", "hello", "--torus", "2x2", "--fabric", "ofi"};

/// Runs a shell script, which gets the command and its arguments as "$@".
Ended run_in_shell(const std::string& script, const Arguments& arguments,
                   const Surroundings& at = {}) {
  Surroundings there = at;
  there.program = "/usr/bin/timeout";
  return run_process(
      Arguments{"-s", "KILL", kPatience, "/bin/bash", "-c", script, "bash", TOROID_COMMAND} +
          arguments,
      there);
}

void expect_clear_end(const Ended& ended, const std::string& where, const Arguments& run) {
  std::string typed = where;
  for (const std::string& word : run) typed += " " + word;
  SCOPED_TRACE(typed + "\n" + ended.err);
  EXPECT_THAT(ended.exit_code, AnyOf(0, 1, 2, 127));  // 127: from the dynamic linker
  if (ended.exit_code == 0) return;
  const unsigned notices = ended.err.starts_with("toroid: expects to take ") +
                           (ended.err.find("; the run uses ") != std::string::npos);
  EXPECT_EQ(ended.err_lines(), 1 + notices);
}

void expect_clear_ends(const std::string& script) {
  for (const Arguments& run : kRuns) expect_clear_end(run_in_shell(script, run), script, run);
}

void expect_no_process_dies(const std::string& script) {
  const Ended ended = run_in_shell(script, kLaunch);
  EXPECT_THAT(ended.exit_code, AnyOf(0, 1, 2, 127)) << script << "\n" << ended.err;
  EXPECT_THAT(ended.err, Not(HasSubstr("signal"))) << script;
}

std::string limited(const std::string& kind, unsigned limit) {
  return "ulimit " + kind + " " + std::to_string(limit) + " && exec \"$@\"";
}

TEST(ScarceHost, RunsEndClearlyWithLittleMemory) {
  for (const unsigned kib : {30'000u, 60'000u, 80'000u, 120'000u, 200'000u})
    expect_clear_ends(limited("-v", kib));
}

TEST(ScarceHost, NoProcessCrashesWithLittleMemory) {
  for (unsigned kib = 56'000; kib <= 120'000; kib += 8'000)
    expect_no_process_dies(limited("-v", kib));
}

TEST(ScarceHost, RunsEndClearlyWithFewDescriptors) {
  for (const unsigned most : {4u, 6u, 8u, 16u}) expect_clear_ends(limited("-n", most));
}

TEST(ScarceHost, RunsEndClearlyWithoutLockedMemory) {
  for (const unsigned kib : {0u, 64u}) expect_clear_ends(limited("-l", kib));
}

TEST(ScarceHost, RunsEndClearlyWithoutThreads) {
  const std::string as_nobody =
      ::geteuid() == 0 ? "exec setpriv --reuid=65534 --regid=65534 --clear-groups " : "exec ";
  if (run_in_shell(as_nobody + "\"$@\"", {"--version"}).exit_code != 0)
    GTEST_SKIP() << "the command cannot be run as another user, so threads cannot be limited";
  for (const unsigned most : {1u, 5u})
    expect_clear_ends("ulimit -u " + std::to_string(most) + " && " + as_nobody + "\"$@\"");
  const Arguments shm = {"hello", "--torus", "2", "--fabric", "shm", "--threads", "2"};
  const Arguments sim = {"hello", "--torus", "2", "--threads", "2"};
  const Arguments campaign = {"compare",     "--torus", "2",         "--policies",
                              "random,rank", "--quiet", "--threads", "2"};
  for (const Arguments& run : {shm, sim, campaign}) {
    const Ended ended = run_in_shell("ulimit -u 1 && " + as_nobody + "\"$@\"", run);
    EXPECT_EQ(ended.exit_code, 1) << ended.err;
    EXPECT_THAT(
        ended.err,
        HasSubstr("the limit of processes and threads, or of memory, is reached: raise it"));
  }
}

/// Runs with each option that writes a file.
std::vector<Arguments> writing_runs(const std::string& file) {
  const Arguments exchange = {"alltoall", "--torus", "2x2x2", "--bytes", "240", "--quiet"};
  const Arguments fft = {"fft", "--torus", "2x2", "--size", "16", "--quiet"};
  const Arguments compare = {"compare", "--torus", "3x3", "--policies", "random", "--quiet"};
  return {exchange + Arguments{"--json", file},   exchange + Arguments{"--report", file},
          exchange + Arguments{"--record", file}, exchange + Arguments{"--trace", file},
          fft + Arguments{"--out", file},         compare + Arguments{"--csv", file},
          compare + Arguments{"--json", file}};
}

void expect_no_space(const std::string& script, const std::vector<Arguments>& runs) {
  for (const Arguments& run : runs) {
    const Ended ended = run_in_shell(script, run);
    EXPECT_EQ(ended.exit_code, 1) << ended.err;
    EXPECT_EQ(ended.err_lines(), 1) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("No space left on device"));
  }
}

TEST(ScarceHost, ReportsAFullDevice) {
  expect_no_space("exec \"$@\"", writing_runs("/dev/full"));
  for (const Arguments& run : kRuns) {
    const Ended ended = run_in_shell("exec \"$@\" > /dev/full", run);
    EXPECT_EQ(ended.exit_code, 1) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("cannot write to standard output"));
    EXPECT_EQ(ended.err_lines(), 1) << ended.err;
  }
}

/// Returns whether this user can make a private mount.
bool can_mount() {
  return run_in_shell("exec unshare -m mount -t tmpfs tmpfs /mnt", {}).exit_code == 0;
}

/// Returns a script that runs the command with private mounts. `mounts` ends in "&&".
std::string with_mounts(const std::string& mounts) {
  return "exec unshare -m bash -c '" + mounts + " exec \"$@\"' bash \"$@\"";
}

TEST(ScarceHost, ReportsAFullDisk) {
  if (!can_mount()) GTEST_SKIP() << "this user may not mount a small file system";
  std::vector<Arguments> runs = writing_runs("/mnt/file");
  runs.push_back(
      {"compare", "--torus", "3x3", "--policies", "random", "--quiet", "--resume", "/mnt/journal"});
  runs.push_back({"fft", "--torus", "2x2", "--size", "16", "--quiet", "--wisdom", "/mnt/wisdom"});
  expect_no_space(with_mounts("mount -t tmpfs -o size=16k tmpfs /mnt && "
                              "{ head -c 1000000 /dev/zero > /mnt/full 2> /dev/null || true; } &&"),
                  runs);
}

TEST(ScarceHost, RunsSucceedWithAReadOnlyHome) {
  if (!can_mount()) GTEST_SKIP() << "this user may not mount a file system";
  const std::string script =
      with_mounts("mount -t tmpfs -o ro tmpfs /mnt && HOME=/mnt XDG_CACHE_HOME=/mnt");
  for (const Arguments& run : kRuns) {
    const Ended ended = run_in_shell(script, run);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
  }
}

TEST(ScarceHost, RunsEndClearlyWithoutSharedMemory) {
  if (!can_mount()) GTEST_SKIP() << "this user may not mount a file system";
  for (const char* how : {"ro", "size=4k"})
    expect_clear_ends(with_mounts("mount -t tmpfs -o " + std::string(how) + " tmpfs /dev/shm &&"));
}

}  // namespace
}  // namespace toroid::testing
