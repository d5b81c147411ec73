// If a process or a link fails during a run, the run soon ends on all processes, and each names
// what was lost.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "tests/net/hosts.hpp"
#include "tests/net/process.hpp"
#include "tests/net/switch.hpp"
#include "tests/tools/ofi_run.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// Every process must end within kPromise after the fault. On a loaded machine kAllowance may be
/// added.
constexpr Milliseconds kPromise = 10s;
constexpr Milliseconds kAllowance = 5s;

const Arguments kFft = {"fft", "--torus", "4x2x2", "--plan", "estimate", "--quiet"};
const Arguments kEndless = kFft + Arguments{"--size", "36", "--repeat", "1000000"};

class OfiFailure : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = obstacle_to(Wiring::our_switch); !why.empty()) GTEST_SKIP() << why;
    hosts_ = std::make_unique<Hosts>(OfiRun::kProcesses, Wiring::our_switch);
    run_ = std::make_unique<OfiRun>(*hosts_, kEndless + Arguments{"--route", route()},
                                    directory_.path());
    run_->start_rest();
    ASSERT_TRUE(run_->under_way()) << run_->wait(0s).front().err;
  }

  /// On the direct route each process has a connection to every other.
  virtual std::string route() const { return "direct"; }

  Switch& the_switch() { return hosts_->our_switch(); }

  void now() { fault_ = Clock::now(); }

  /// Returns a pattern that matches the name of any of these processes, such as
  /// "process 2 (host gamma, pid 77, nodes (0,0,2) to (1,1,3))".
  std::string name_of_one(const std::vector<unsigned>& ranks) const {
    std::string names;
    for (const unsigned rank : ranks)
      names += fmt::format("{}{} \\(host {}, pid {}", names.empty() ? "(" : "|", rank,
                           run_->host_name(rank), (*run_)[rank].pid());
    return "toroid: process " + names + "), nodes \\([0-9,]+\\) to \\([0-9,]+\\)\\)";
  }

  /// Expects that the process ends by itself with exit code 1 and one line that matches `pattern`.
  void expect_failure_of(unsigned rank, const std::string& pattern) const {
    SCOPED_TRACE("process " + std::to_string(rank));
    const std::optional<Ended> ended = (*run_)[rank].wait_until(fault_ + kPromise + kAllowance);
    ASSERT_TRUE(ended) << "still running; it wrote: " << (*run_)[rank].err();
    EXPECT_EQ(ended->exit_code, 1) << "signal " << ended->signal;
    EXPECT_TRUE(std::regex_search(ended->err, std::regex(pattern)))
        << ended->err << "does not match " << pattern;
    EXPECT_EQ(ended->err_lines(), 1) << ended->err;
  }

  void expect_that_all_miss(unsigned lost) const { expect_all(name_of_one({lost}), lost); }

  void expect_all(const std::string& pattern, unsigned but = OfiRun::kProcesses) const {
    for (unsigned rank = 0; rank < OfiRun::kProcesses; ++rank)
      if (rank != but) expect_failure_of(rank, pattern);
    RecordProperty("milliseconds", std::to_string((Clock::now() - fault_) / 1ms));
  }

  const TemporaryDirectory directory_;
  std::unique_ptr<Hosts> hosts_;
  std::unique_ptr<OfiRun> run_;
  Clock::time_point fault_;
};

class OfiFailureHopByHop : public OfiFailure {
  std::string route() const override { return "torus"; }
};

TEST_F(OfiFailureHopByHop, AKilledProcessIsNamedByAllOthers) {
  now();
  (*run_)[1].signal(SIGKILL);
  expect_that_all_miss(1);
}

TEST_F(OfiFailure, AKilledProcessIsNamedByAllOthers) {
  now();
  (*run_)[2].signal(SIGKILL);
  expect_that_all_miss(2);
}

TEST_F(OfiFailure, AKilledProcessZeroIsNamedByAllOthers) {
  now();
  (*run_)[0].signal(SIGKILL);
  expect_that_all_miss(0);
}

TEST_F(OfiFailure, AStoppedProcessIsNamedByAllOthersAndEndsWhenContinued) {
  now();
  (*run_)[1].signal(SIGSTOP);
  expect_that_all_miss(1);
  now();
  (*run_)[1].signal(SIGCONT);
  expect_failure_of(1, "toroid: ");
}

TEST_F(OfiFailure, AStoppedProcessZeroIsNamedByAllOthers) {
  now();
  (*run_)[0].signal(SIGSTOP);
  expect_that_all_miss(0);
}

TEST_F(OfiFailure, AnInterruptedProcessSaysSoAndIsNamedByAllOthers) {
  for (const int signal : {SIGINT, SIGTERM}) {
    now();
    (*run_)[1].signal(signal);
    expect_that_all_miss(1);
    expect_failure_of(1, fmt::format("\\): interrupted by signal {}\n", signal));
    if (signal == SIGTERM) break;
    run_ = std::make_unique<OfiRun>(*hosts_, kEndless + Arguments{"--route", route()},
                                    directory_.path());
    run_->start_rest();
    ASSERT_TRUE(run_->under_way());
  }
}

TEST_F(OfiFailure, AHostWithItsInterfaceDownIsNamedAndEndsToo) {
  now();
  (*hosts_)[3].take_link_down();
  expect_that_all_miss(3);
  expect_failure_of(3, name_of_one({0, 1, 2}));
}

TEST_F(OfiFailure, AHostWithItsLinkCutIsNamedAndEndsToo) {
  now();
  the_switch().set_link(0, {.cut = true});
  expect_that_all_miss(0);
  expect_failure_of(0, name_of_one({1, 2, 3}));
}

TEST_F(OfiFailure, AllProcessesNameOneEndOfACutPath) {
  now();
  the_switch().cut_path(2, 3);
  expect_all(name_of_one({2, 3}));
}

}  // namespace
}  // namespace toroid::testing
