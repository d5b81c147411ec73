// Commands in a process that a launcher has started as one of several. Each would do all of the
// work, so commands for one process are refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Sets variables while it exists.
class SetVariables {
 public:
  explicit SetVariables(std::vector<std::pair<std::string, std::string>> all)
      : all_(std::move(all)) {
    for (const auto& [name, value] : all_) ::setenv(name.c_str(), value.c_str(), 1);
  }
  ~SetVariables() {
    for (const auto& [name, value] : all_) ::unsetenv(name.c_str());
  }
  SetVariables(const SetVariables&) = delete;
  SetVariables& operator=(const SetVariables&) = delete;

 private:
  std::vector<std::pair<std::string, std::string>> all_;
};

struct LauncherCase {
  std::string name;
  std::string size;
  std::string rank;
};

const std::vector<LauncherCase> kLaunchers = {
    {"mpirun", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
    {"mpirun_rsh", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
    {"mpiexec", "PMI_SIZE", "PMI_RANK"},
    {"jsrun", "JSM_NAMESPACE_SIZE", "JSM_NAMESPACE_RANK"},
    {"flux", "FLUX_JOB_SIZE", "FLUX_TASK_RANK"},
    {"srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},
    {"a launcher", "WORLD_SIZE", "RANK"}};

const std::vector<Arguments> kForOneProcess = {{"hello", "--torus", "2"},
                                               {"hello", "--torus", "2", "--fabric", "shm"},
                                               {"compare", "--torus", "2", "--policies", "rank"},
                                               {"paper", "--quick"},
                                               {"launch", "-n", "2", "hello", "--torus", "2"}};

TEST(LauncherEnvironment, RefusesCommandsForOneProcessInOneOfSeveral) {
  for (const LauncherCase& launcher : kLaunchers) {
    const SetVariables variables({{launcher.size, "2"}, {launcher.rank, "1"}});
    for (const Arguments& command : kForOneProcess) {
      const Ended ended = run_command(command);
      EXPECT_EQ(ended.exit_code, 2) << launcher.name << command.front();
      EXPECT_EQ(ended.err_lines(), 1);
      EXPECT_EQ(ended.out, "");
      EXPECT_THAT(ended.err,
                  AllOf(HasSubstr("toroid: " + command.front()), HasSubstr("is for one process"),
                        HasSubstr(launcher.name + " has started this process as one of 2 (" +
                                  launcher.size +
                                  "); for a run of this process alone, set "
                                  "TOROID_ALONE=1")));
    }
  }
}

TEST(LauncherEnvironment, NamesTorchrun) {
  const SetVariables variables(
      {{"TORCHELASTIC_RUN_ID", "none"}, {"RANK", "0"}, {"WORLD_SIZE", "2"}});
  EXPECT_THAT(run_command({"hello", "--torus", "2"}).err,
              HasSubstr("torchrun has started this process as one of 2 (WORLD_SIZE)"));
}

TEST(LauncherEnvironment, LetsEveryProcessExplainListAndRunAlone) {
  for (const LauncherCase& launcher : kLaunchers) {
    const SetVariables variables({{launcher.size, "2"}, {launcher.rank, "1"}});
    for (const Arguments& command :
         {Arguments{"help", "hello"}, {"hello", "--help"}, {"--version"}, {"info", "--torus", "2"}})
      EXPECT_EQ(run_command(command).exit_code, 0) << launcher.name << command.front();
    const SetVariables alone(
        std::vector<std::pair<std::string, std::string>>{{"TOROID_ALONE", "1"}});
    EXPECT_EQ(run_command({"hello", "--torus", "2"}).exit_code, 0);
  }
}

TEST(LauncherEnvironment, LetsEveryProcessRunItsShard) {
  const TemporaryDirectory directory;
  const SetVariables variables({{"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_PROCID", "1"}});
  const Ended ended = run_command({"compare", "--torus", "2", "--policies", "rank", "--shard",
                                   "2/2", "--resume", "two.journal", "--quiet"},
                                  {.directory = directory.path()});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
}

TEST(LauncherEnvironment, LetsAShellInAnAllocationRun) {
  const SetVariables variables({{"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "0"}});
  EXPECT_EQ(run_command({"hello", "--torus", "2"}).exit_code, 0);
}

}  // namespace
}  // namespace toroid::testing
