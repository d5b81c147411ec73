// Tests the bootstrap from valid and from invalid environment variables.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "router/job/blob.hpp"
#include "router/job/bootstrap.hpp"
#include "router/job/job.hpp"
#include "router/job/listening_socket.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kKey = "0123456789abcdef";

using Variables = std::vector<std::pair<std::string, std::string>>;

/// Sets exactly these variables for find_bootstrap().
class Environment {
 public:
  explicit Environment(const Variables& variables) {
    clear();
    for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
  }
  ~Environment() { clear(); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  static void clear() {
    for (const char* name : {"RANK",
                             "WORLD_SIZE",
                             "MASTER_ADDR",
                             "MASTER_PORT",
                             "TOROID_JOB_KEY",
                             "TOROID_JOB_KEY_FILE",
                             "TOROID_LISTENER_FD",
                             "PMIX_NAMESPACE",
                             "PMIX_RANK",
                             "OMPI_COMM_WORLD_SIZE",
                             "OMPI_COMM_WORLD_RANK",
                             "MV2_COMM_WORLD_SIZE",
                             "MV2_COMM_WORLD_RANK",
                             "PMI_SIZE",
                             "PMI_RANK",
                             "JSM_NAMESPACE_SIZE",
                             "JSM_NAMESPACE_RANK",
                             "FLUX_JOB_SIZE",
                             "FLUX_TASK_RANK",
                             "SLURM_NTASKS",
                             "SLURM_STEP_NUM_TASKS",
                             "SLURM_PROCID",
                             "TORCHELASTIC_RUN_ID",
                             "TOROID_ALONE",
                             "GROUP_WORLD_SIZE"})
      ::unsetenv(name);
  }
};

Variables good() {
  return {{"RANK", "1"},
          {"WORLD_SIZE", "3"},
          {"MASTER_ADDR", "alpha"},
          {"MASTER_PORT", "4711"},
          {"TOROID_JOB_KEY", kKey}};
}

Variables with(const std::string& name, const std::string& value) {
  Variables all = good();
  for (auto& [other, old] : all)
    if (other == name) old = value;
  return all;
}

Variables without(const std::string& name) {
  Variables all = good();
  std::erase_if(all, [&](const auto& variable) { return variable.first == name; });
  return all;
}

std::string refusal_of(const Variables& variables) {
  const Environment environment(variables);
  try {
    find_bootstrap();
    return "none";
  } catch (const BadInput& error) {
    return error.what();
  }
}

TEST(Bootstrap, IsFoundInTheEnvironment) {
  const Environment environment(good());
  const Bootstrap bootstrap = find_bootstrap();
  EXPECT_EQ(bootstrap.rank, 1u);
  EXPECT_EQ(bootstrap.size, 3u);
  EXPECT_THAT(bootstrap.master, ElementsAre("alpha"));
  EXPECT_EQ(bootstrap.port, 4711);
  EXPECT_EQ(bootstrap.listener, -1);
  EXPECT_EQ(bootstrap.key.text(), kKey);
  EXPECT_EQ(bootstrap.source, "environment");
}

TEST(Bootstrap, DefaultsToOneProcess) {
  const Environment environment({});
  EXPECT_EQ(find_bootstrap().size, 1u);
  EXPECT_EQ(find_bootstrap().source, "alone");
}

TEST(Bootstrap, OneProcessNeedsNoMaster) {
  const Environment environment({{"RANK", "0"}, {"WORLD_SIZE", "1"}});
  EXPECT_EQ(find_bootstrap().size, 1u);
}

TEST(Bootstrap, NamesMissingVariable) {
  for (const std::string name : {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"})
    EXPECT_THAT(refusal_of(without(name)), HasSubstr(name + " is not set"));
  EXPECT_THAT(refusal_of(without("TOROID_JOB_KEY")),
              HasSubstr("set TOROID_JOB_KEY or TOROID_JOB_KEY_FILE"));
  EXPECT_THAT(refusal_of({{"MASTER_ADDR", "alpha"}}), HasSubstr("WORLD_SIZE is not set"));
}

TEST(Bootstrap, NamesInvalidVariable) {
  for (const std::string value : {"", "-1", "3", "1x", " 1", "0x1"})
    EXPECT_THAT(refusal_of(with("RANK", value)), HasSubstr("RANK='" + value + "'"));
  for (const std::string value : {"0", "many", "99999999999"})
    EXPECT_THAT(refusal_of(with("WORLD_SIZE", value)), HasSubstr("WORLD_SIZE='" + value + "'"));
  for (const std::string value : {"0", "65536", "http"})
    EXPECT_THAT(refusal_of(with("MASTER_PORT", value)), HasSubstr("MASTER_PORT='" + value + "'"));
  EXPECT_THAT(refusal_of(with("MASTER_ADDR", "")), HasSubstr("MASTER_ADDR is empty"));
  EXPECT_THAT(refusal_of(with("TOROID_JOB_KEY", "short")), HasSubstr("key must be 16"));
}

Variables operator+(Variables some, const Variables& more) {
  some.insert(some.end(), more.begin(), more.end());
  return some;
}

const Variables kMpirun = {{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "3"}};
const Variables kHydra = {{"PMI_SIZE", "4"}, {"PMI_RANK", "3"}};
const Variables kSrun = {
    {"SLURM_NTASKS", "4"}, {"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_PROCID", "3"}};
const Variables kTorchrun = {
    {"TORCHELASTIC_RUN_ID", "none"}, {"GROUP_WORLD_SIZE", "1"}, {"RANK", "3"}, {"WORLD_SIZE", "4"},
    {"MASTER_ADDR", "localhost"},    {"MASTER_PORT", "29500"}};

/// Started as one of four, but without what it needs to join the others.
TEST(Bootstrap, RefusesAProcessThatCannotJoinTheOthersOfItsLauncher) {
  const Variables mvapich = {{"MV2_COMM_WORLD_SIZE", "4"}, {"MV2_COMM_WORLD_RANK", "3"}};
  const Variables jsrun = {{"JSM_NAMESPACE_SIZE", "4"}, {"JSM_NAMESPACE_RANK", "3"}};
  const Variables flux = {{"FLUX_JOB_SIZE", "4"}, {"FLUX_TASK_RANK", "3"}};
  const Variables key = {{"TOROID_JOB_KEY", kKey}};
  for (const auto& [launcher, name] : {std::pair{kMpirun, "mpirun"},
                                       {mvapich, "mpirun_rsh"},
                                       {kHydra, "mpiexec"},
                                       {jsrun, "jsrun"},
                                       {flux, "flux"},
                                       {kSrun, "srun"},
                                       {kMpirun + kSrun, "mpirun"},
                                       {kHydra + kSrun, "mpiexec"}})
    for (const Variables& more :
         {Variables{}, key, Variables{{"PMIX_NAMESPACE", "job"}}, Variables{{"PMIX_RANK", "3"}}})
      EXPECT_THAT(refusal_of(launcher + more),
                  AllOf(HasSubstr(std::string(name) + " has started this process as one of 4 ("),
                        HasSubstr("PMIX_RANK"), HasSubstr("srun --mpi=pmix"),
                        HasSubstr("set RANK=$" + launcher[1].first.substr(0, 3)),
                        HasSubstr("set TOROID_ALONE=1")))
          << name;
}

TEST(Bootstrap, SaysWhatAnIncompleteEnvironmentOfALauncherLacks) {
  EXPECT_THAT(refusal_of(kTorchrun), HasSubstr("set TOROID_JOB_KEY or TOROID_JOB_KEY_FILE"));
  for (const Variables& launcher : {kMpirun, kHydra, kSrun}) {
    EXPECT_THAT(refusal_of(launcher + Variables{{"RANK", "3"}}),
                HasSubstr("WORLD_SIZE is not set"));
    EXPECT_THAT(refusal_of(launcher + Variables{{"WORLD_SIZE", "4"}}),
                HasSubstr("RANK is not set"));
    EXPECT_THAT(refusal_of(launcher + Variables{{"RANK", "3"}, {"WORLD_SIZE", "4"}}),
                HasSubstr("MASTER_ADDR is not set"));
    EXPECT_THAT(refusal_of(launcher + without("TOROID_JOB_KEY")), HasSubstr("set TOROID_JOB_KEY"));
    EXPECT_EQ(refusal_of(launcher + good()), "none");
  }
}

/// A shell in an allocation, a batch script, and processes that want to be alone.
TEST(Bootstrap, LetsAProcessBeAloneThatALauncherHasStartedAlone) {
  for (const Variables& one :
       {Variables{{"SLURM_NTASKS", "4"}},                         // in salloc
        Variables{{"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "0"}},  // a script of sbatch
        Variables{{"SLURM_NTASKS", "4"}, {"SLURM_STEP_NUM_TASKS", "1"}, {"SLURM_PROCID", "0"}},
        Variables{{"PMI_SIZE", "1"}, {"PMI_RANK", "0"}} + kSrun,  // daemons started by srun
        Variables{{"OMPI_COMM_WORLD_SIZE", "1"}, {"OMPI_COMM_WORLD_RANK", "0"}} + kSrun,
        Variables{{"PMI_SIZE", "4"}}, Variables{{"PMI_SIZE", "many"}, {"PMI_RANK", "0"}},
        kMpirun + Variables{{"TOROID_ALONE", "1"}}, good() + Variables{{"TOROID_ALONE", "1"}},
        kMpirun + Variables{{"RANK", "0"}, {"WORLD_SIZE", "1"}, {"TORCHELASTIC_RUN_ID", "none"}}})
    EXPECT_EQ(refusal_of(one), "none") << one.front().first;
}

/// The variables may be left over from outside mpirun. Each process would run alone.
TEST(Bootstrap, WorldSize1DoesNotOverruleALauncherOfSeveral) {
  for (const Variables& launcher : {kMpirun, kHydra, kSrun})
    EXPECT_THAT(refusal_of(launcher + Variables{{"RANK", "0"}, {"WORLD_SIZE", "1"}}),
                HasSubstr("has started this process as one of 4 ("));
}

/// A key file with this text, which only its owner can read, and environment variables that name
/// the file.
class KeyFile {
 public:
  explicit KeyFile(std::string_view text) {
    directory_.save("key", text);
    open_to(0600);
  }

  void open_to(mode_t mode) const { ASSERT_EQ(::chmod(path().c_str(), mode), 0); }
  void remove() const { ASSERT_TRUE(std::filesystem::remove(path())); }
  std::string path() const { return directory_ / "key"; }
  Variables variables() const {
    Variables all = without("TOROID_JOB_KEY");
    all.emplace_back("TOROID_JOB_KEY_FILE", path());
    return all;
  }

 private:
  TemporaryDirectory directory_;
};

TEST(Bootstrap, ReadsTheKeyFromAFile) {
  const KeyFile file("fedcba9876543210\nthe second line\n");
  {
    const Environment environment(file.variables());
    EXPECT_EQ(find_bootstrap().key.text(), "fedcba9876543210");
  }
  file.remove();
  EXPECT_THAT(refusal_of(file.variables()), HasSubstr("cannot read a key"));
}

/// The pipe stays open, so reading more than a line, or more than the longest key, would block.
TEST(Bootstrap, StopsReadingEndlessKeyFile) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const job::Socket from(ends[0]);
  const job::Socket to(ends[1]);
  Variables variables = without("TOROID_JOB_KEY");
  variables.emplace_back("TOROID_JOB_KEY_FILE", fmt::format("/dev/fd/{}", from.fd()));
  ASSERT_EQ(::write(to.fd(), "fedcba9876543210\n", 17), 17);
  {
    const Environment environment(variables);
    EXPECT_EQ(find_bootstrap().key.text(), "fedcba9876543210");
  }
  const std::string endless(1 << 15, 'k');
  ASSERT_EQ(::write(to.fd(), endless.data(), endless.size()), std::ssize(endless));
  EXPECT_THAT(refusal_of(variables), HasSubstr("key must be 16 to 1024"));
}

TEST(Bootstrap, ChecksLengthOfKeyInFile) {
  const std::string longest(1024, 'k');
  for (const std::string& text : {std::string("fedcba9876543210"), longest + "\n", longest})
    EXPECT_EQ(refusal_of(KeyFile(text).variables()), "none");
  for (const std::string& text :
       {std::string("fedcba987654321\n"), longest + "k\n", std::string("0123456789abcdef\0", 17)})
    EXPECT_THAT(refusal_of(KeyFile(text).variables()),
                AllOf(HasSubstr("TOROID_JOB_KEY_FILE='/"), HasSubstr("key must be 16 to 1024")));
  for (const std::string& text : {std::string(), std::string("\n")})
    EXPECT_THAT(refusal_of(KeyFile(text).variables()), HasSubstr("cannot read a key"));
}

TEST(Bootstrap, RefusesKeyFileThatOthersCanAccess) {
  const KeyFile file("fedcba9876543210\n");
  for (const mode_t mode : std::array<mode_t, 5>{0640, 0604, 0620, 0602, 0601}) {
    file.open_to(mode);
    EXPECT_THAT(refusal_of(file.variables()),
                AllOf(HasSubstr(file.path()), HasSubstr("is accessible to others (mode"),
                      Not(HasSubstr("fedcba"))));
  }
  file.open_to(0400);
  EXPECT_EQ(refusal_of(file.variables()), "none");
}

TEST(Bootstrap, TakesOverTheLaunchersSocket) {
  job::Socket listener = job::listen_on("127.0.0.1", 0);
  Variables variables = with("RANK", "0");
  variables.emplace_back("TOROID_LISTENER_FD", std::to_string(listener.fd()));
  const std::string port = std::to_string(job::port_of(listener));
  for (auto& [name, value] : variables)
    if (name == "MASTER_PORT") value = port;
  const Environment environment(variables);
  EXPECT_EQ(find_bootstrap().listener, listener.fd());
}

TEST(JoinJob, MakesAJobOfOneProcessIfThereIsNoLauncher) {
  const Environment environment({});
  Job job = join_job();
  EXPECT_EQ(job.size(), 1u);
  EXPECT_EQ(job.rank(), 0u);
  EXPECT_EQ(job.source(), "alone");
  EXPECT_EQ(job.all_gather(blob_of(17)).size(), 1u);
}

TEST(JoinJob, JoinsTheProcessesThatTheEnvironmentDescribes) {
  job::Socket listener = job::listen_on("127.0.0.1", 0);
  Variables variables = {{"RANK", "0"},
                         {"WORLD_SIZE", "2"},
                         {"MASTER_ADDR", "127.0.0.1"},
                         {"MASTER_PORT", std::to_string(job::port_of(listener))},
                         {"TOROID_JOB_KEY", kKey}};
  const auto told = [](const Variables& mine) {
    const Environment environment(mine);
    Job job = join_job();
    Job again = join_job();  // the same membership
    EXPECT_EQ(again.session(), job.session());
    (void)again.all_gather(blob_of(1));
    return value_of<unsigned>(job.all_gather(blob_of(job.rank() + 7))[1 - job.rank()]);
  };
  const pid_t child = ::fork();
  if (child == 0) {
    variables[0].second = "1";
    ::_exit(told(variables) == 7 ? 0 : 1);
  }
  variables.emplace_back("TOROID_LISTENER_FD", std::to_string(listener.release()));
  EXPECT_EQ(told(variables), 8u);
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(JoinJob, RefusesAnIncompleteEnvironment) {
  const Environment environment(without("RANK"));
  EXPECT_THROW(join_job(), BadInput);
}

}  // namespace
}  // namespace toroid::testing
