// Runs started by Slurm. Each test starts a cluster of Slurm's daemons on this host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "tests/net/hosts.hpp"
#include "tests/net/process.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

using namespace std::chrono_literals;

class Slurm : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = obstacle_to(Wiring::bridge); !why.empty()) GTEST_SKIP() << why;
    host_ = std::make_unique<Hosts>(1);  // so that nothing else uses its ports
  }

  /// Runs srun on a cluster of `nodes` nodes, all of which are on this host.
  Ended run(unsigned nodes, const Arguments& srun) {
    const Arguments with_slurm = {TOROID_SOURCE_DIR "/tests/net/with-slurm", std::to_string(nodes)};
    const Process process = (*host_)[0].start(with_slurm + srun, {}, directory_.path());
    return process.end_within(100s);
  }

  static void expect_lines(const Ended& ended, std::ptrdiff_t lines) {
    if (ended.exit_code == kRequirementMissing) GTEST_SKIP() << ended.err;
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(std::count(ended.out.begin(), ended.out.end(), '\n'), lines) << ended.out;
  }

  const TemporaryDirectory directory_;
  std::unique_ptr<Hosts> host_;
};

Arguments srun(unsigned nodes, unsigned processes) {
  return {"srun", "--mpi=pmix", "-N" + std::to_string(nodes), "-n" + std::to_string(processes)};
}

const Arguments kSlurmTorus = {"--torus", "4x2x2", "--fabric", "ofi"};

TEST_F(Slurm, StartsProcessesOnNodesOfThisHost) {
  const Ended ended = run(2, srun(2, 4) + Arguments{"printenv", "SLURM_NODEID"});
  expect_lines(ended, 4);
}

TEST_F(Slurm, RunsHello) {
  const Ended ended = run(2, srun(2, 4) + Arguments{TOROID_COMMAND, "hello"} + kSlurmTorus);
  expect_lines(ended, 1);
}

TEST_F(Slurm, RefusesProcessesThatCannotJoinButRunsOneAlone) {
  const Arguments without_pmix = {"srun", "--mpi=none"};
  const Arguments hello = {TOROID_COMMAND, "hello"};
  const Ended ended = run(2, without_pmix + Arguments{"-N2", "-n2"} + hello + kSlurmTorus);
  if (ended.exit_code == kRequirementMissing) GTEST_SKIP() << ended.err;
  EXPECT_EQ(ended.exit_code, 2) << ended.err;
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, ::testing::HasSubstr("srun has started this process as one of 2 "
                                              "(SLURM_STEP_NUM_TASKS), but without PMIx"));
  expect_lines(run(2, without_pmix + Arguments{"-n1"} + hello + Arguments{"--torus", "2"}), 1);
}

TEST_F(Slurm, RunsAnExchange) {
  const Arguments exchange = {"alltoall", "--bytes", "960", "--json", "report.json", "--quiet"};
  const Ended ended = run(4, srun(4, 8) + Arguments{TOROID_COMMAND} + exchange + kSlurmTorus);
  expect_lines(ended, 0);
  if (IsSkipped()) return;
  const auto report = nlohmann::json::parse(directory_.content_of("report.json"), nullptr, false);
  EXPECT_EQ(report["packets"], 16 * 15 * 4);
}

}  // namespace
}  // namespace toroid::testing
