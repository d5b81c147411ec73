// Runs whose launcher reports the death of a process by PMIx. If a host loses power, its
// connections do not close, so the other processes depend on this report.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pmix.h>
#include <pmix_common.h>

#include <chrono>
#include <csignal>
#include <optional>
#include <string>

#include "tests/comes_true.hpp"
#include "tests/net/process.hpp"
#include "tests/tools/pmix_launcher.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr unsigned kLaunchedProcesses = 3;
const Arguments kEndlessFft = {TOROID_COMMAND, "fft",    "--torus",    "4x2x2",      "--size",
                               "36",           "--plan", "estimate",   "--repeat",   "1000000",
                               "--fabric",     "ofi",    "--provider", "tcp;ofi_rxm"};
const Arguments kLaunchedHello = {TOROID_COMMAND, "hello", "--torus", "4x2x2", "--fabric", "ofi"};

class OfiLauncher : public ::testing::Test {
 protected:
  TemporaryDirectory directory_;
};

void expect_failure(const Process& process, const std::string& part) {
  const std::optional<Ended> ended = process.wait(15s);
  ASSERT_TRUE(ended) << "still running; it wrote: " << process.err();
  EXPECT_EQ(ended->exit_code, 1) << "signal " << ended->signal;
  EXPECT_THAT(ended->err, HasSubstr(part));
}

TEST_F(OfiLauncher, StartsProcessesThatSucceed) {
  PmixLauncher launcher(kLaunchedProcesses, kLaunchedHello, directory_.path());
  for (unsigned rank = 0; rank < kLaunchedProcesses; ++rank) launcher.start(rank);
  for (unsigned rank = 0; rank < kLaunchedProcesses; ++rank) {
    const std::optional<Ended> ended = launcher[rank].wait(60s);
    ASSERT_TRUE(ended) << launcher[rank].err();
    EXPECT_EQ(ended->exit_code, 0) << ended->err;
  }
}

TEST_F(OfiLauncher, ReportOfADeadProcessEndsTheOthers) {
  PmixLauncher launcher(kLaunchedProcesses, kEndlessFft, directory_.path());
  for (unsigned rank = 0; rank < kLaunchedProcesses; ++rank) launcher.start(rank);
  ASSERT_TRUE(comes_true([&] { return !launcher[0].err().empty(); }, 30s));  // its estimate
  launcher[2].signal(SIGSTOP);
  launcher.tell(2, PMIX_ERR_PROC_ABORTED_BY_SIG);
  for (const unsigned rank : {0U, 1U})
    expect_failure(launcher[rank],
                   fmt::format("pid {}) died: the launcher says {}", launcher[2].pid(),
                               PMIx_Error_string(PMIX_ERR_PROC_ABORTED_BY_SIG)));
}

}  // namespace
}  // namespace toroid::testing
