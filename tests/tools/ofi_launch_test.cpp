// Runs that Open MPI's mpirun or `toroid launch` starts on this host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/types.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/comes_true.hpp"
#include "tests/net/process.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

const Arguments kCommand = {TOROID_COMMAND};
const Arguments kLaunchedHello = {"hello", "--torus", "4x2x2", "--fabric", "ofi"};
const Arguments kLaunchedAllToAll = {"alltoall", "--torus", "4x2x2",  "--bytes",    "960",
                                     "--fabric", "ofi",     "--json", "report.json"};
const Arguments kLaunchedFft = {"fft",      "--torus",  "4x2x2",   "--size",   "36", "--plan",
                                "estimate", "--repeat", "1000000", "--fabric", "ofi"};

Arguments launch(unsigned processes) {
  return kCommand + Arguments{"launch", "-n", std::to_string(processes), "--"} + kCommand;
}

Arguments mpirun(unsigned processes) {
  return Arguments{"mpirun", "--allow-run-as-root", "--oversubscribe", "-n",
                   std::to_string(processes)} +
         kCommand;
}

bool installed(const std::string& program) {
  return Process({"sh", "-c", "command -v " + program}).wait(10s).value_or(Ended{}).exit_code == 0;
}

class OfiLaunch : public ::testing::Test {
 protected:
  Ended run(const Arguments& argv) {
    const Process process(argv, {}, {.directory = directory_.path()});
    return process.end_within(60s);
  }

  void expect_one_line(const Arguments& argv) {
    const Ended ended = run(argv);
    EXPECT_EQ(ended.exit_code, 0) << "signal " << ended.signal << ": " << ended.err;
    EXPECT_EQ(std::count(ended.out.begin(), ended.out.end(), '\n'), 1) << ended.out;
  }

  void expect_an_exchange(const Arguments& argv) {
    const Ended ended = run(argv);
    EXPECT_EQ(ended.exit_code, 0) << "signal " << ended.signal << ": " << ended.err;
    EXPECT_EQ(report()["fabric"], "ofi");
    EXPECT_EQ(report()["packets"], 16 * 15 * 4);
  }

  /// The JSON report of the last run.
  json report() const { return json::parse(directory_.content_of("report.json"), nullptr, false); }

  const TemporaryDirectory directory_;
};

TEST_F(OfiLaunch, MpirunRunsHello) {
  if (!installed("mpirun")) GTEST_SKIP() << "mpirun is not installed";
  expect_one_line(mpirun(4) + kLaunchedHello);
}

TEST_F(OfiLaunch, MpirunRunsAnExchange) {
  if (!installed("mpirun")) GTEST_SKIP() << "mpirun is not installed";
  expect_an_exchange(mpirun(4) + kLaunchedAllToAll);
}

TEST_F(OfiLaunch, ToroidLaunchRunsHello) {
  expect_one_line(launch(4) + kLaunchedHello);
}

TEST_F(OfiLaunch, ToroidLaunchRunsAnExchange) {
  expect_an_exchange(launch(4) + kLaunchedAllToAll);
}

TEST_F(OfiLaunch, SendsFramesInTheRequestedWay) {
  for (const std::string provider : {"tcp;ofi_rxm", "shm"})
    for (const std::string way : {"messages", "writes"}) {
      SCOPED_TRACE(provider + ' ' + way);
      expect_an_exchange(launch(2) + kLaunchedAllToAll +
                         Arguments{"--provider", provider, "--frames", way});
      EXPECT_EQ(report()["frames"], way);
      EXPECT_EQ(report()["provider"], provider);
    }
}

TEST_F(OfiLaunch, SendsTheModelsNumberOfPacketsUnderEveryPolicy) {
  for (const char* policy : {"two-phase", "three-phase", "bruck:2", "windowed:4", "valiant"}) {
    const Arguments exchange = {"alltoall", "--torus",     "4x2",      "--bytes", "464",
                                "--json",   "report.json", "--policy", policy};
    EXPECT_EQ(run(kCommand + exchange).exit_code, 0);
    const json model = report();
    const Ended ended = run(launch(2) + exchange + Arguments{"--fabric", "ofi"});
    EXPECT_EQ(ended.exit_code, 0) << policy << ": " << ended.err;
    EXPECT_EQ(report()["fabric"], "ofi");
    EXPECT_EQ(report()["packets"], model["packets"]) << policy;
  }
}

/// Uses all settings that have an effect on the torus route or on the direct route.
TEST_F(OfiLaunch, HeedsSettingsOnBothRoutes) {
  const Arguments by_exchange = {"--order", "rank", "--per-visit", "3", "--queues", "5"};
  const Arguments by_link = {"--drain",   "first-fit",     "--tying", "any",
                             "--routing", "deterministic", "--tie",   "split"};
  const auto run_with = [&](const std::string& verb, const Arguments& more) {
    const Ended ended = run(launch(2) + Arguments{verb, "--torus", "4x2"} + more +
                            Arguments{"--fabric", "ofi", "--json", "report.json"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(report()["order"], "rank");
    EXPECT_EQ(report()["packets_per_visit"], 3);
    EXPECT_EQ(report()["output_queues"], 5);
    return report();
  };
  for (const auto& [verb, size] :
       {std::pair<std::string, Arguments>{"alltoall", {"--bytes", "999"}},
        {"fft", {"--size", "7x9x10", "--check"}}}) {
    const json hops = run_with(verb, size + by_exchange + by_link + Arguments{"--route", "torus"});
    EXPECT_EQ(hops["drain"], "first-fit");
    EXPECT_EQ(hops["tying"], "any");
    EXPECT_EQ(hops["routing"], "deterministic");
    EXPECT_EQ(hops["tie"], "split");
    const json straight = run_with(verb, size + by_exchange + Arguments{"--route", "direct"});
    for (const char* key : {"drain", "tying", "routing", "tie"})
      EXPECT_TRUE(straight[key].is_null()) << key;
  }
}

TEST_F(OfiLaunch, TimesSlabTransformsWithATestInterval) {
  const Arguments slab = {
      "fft",       "--method",        "slab", "--torus",  "2x2",        "--size",
      "16",        "--fabric",        "ofi",  "--planes", "2,1",        "--check",
      "--timings", "--test-interval", "8",    "--json",   "report.json"};
  for (const Arguments& more : {Arguments{}, {"--inverse"}, {"--transfer", "packets"}}) {
    const Ended ended = run(launch(2) + slab + more);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    ASSERT_EQ(report()["timings"].size(), 2U);
    for (const json& machine : report()["timings"])
      for (const char* version : {"blocking", "non_blocking"}) {
        double sum = 0;
        for (const char* part : {"compute", "pack", "unpack", "communication"}) {
          EXPECT_GT(machine[version][part], 0) << part;
          sum += machine[version][part].get<double>();
        }
        EXPECT_NEAR(sum / machine[version]["total"].get<double>(), 1, 1e-9);
      }
  }
}

TEST_F(OfiLaunch, RunsTheOverlapBenchmark) {
  const Ended ended = run(launch(2) + Arguments{"bench", "overlap", "--fabric", "ofi", "--torus",
                                                "2x2", "--size", "16", "--json", "report.json"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(report()["rows"].back()["varied"], "nodes_per_process");
}

const Arguments kComparison = {"compare", "--torus", "4x2,2x2",    "--bytes",
                               "464",     "--json",  "report.json"};
const Arguments kThreePolicies = {"--policies", "random,bruck:2,two-phase"};

int occurrences(const std::string& text, const std::string& word) {
  int count = 0;
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++count;
  return count;
}

TEST_F(OfiLaunch, ComparesPoliciesInOneTable) {
  EXPECT_EQ(run(kCommand + kComparison + kThreePolicies).exit_code, 0);
  const json model = report();
  const Ended ended = run(launch(2) + kComparison + kThreePolicies + Arguments{"--fabric", "ofi"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(report()["fabric"], "ofi");
  EXPECT_EQ(report()["processes"], 2);
  ASSERT_EQ(report()["rows"].size(), 6U);
  for (std::size_t r = 0; r < 6; ++r) {
    for (const char* key : {"policy", "torus", "packets"})
      EXPECT_EQ(report()["rows"][r][key], model["rows"][r][key]) << r;
    EXPECT_GT(report()["rows"][r]["time_s"], 0);
  }
  EXPECT_THAT(ended.out, ::testing::ContainsRegex("^machine bgl, seed 1, fabric ofi"));
  EXPECT_EQ(occurrences(ended.out, "\nbruck:2"), 2);  // other processes print nothing
}

TEST_F(OfiLaunch, ComparesTransformsAndReplays) {
  const Arguments export_run = {"alltoall", "--torus", "2x2", "--export", "run.goal"};
  EXPECT_EQ(run(kCommand + export_run).exit_code, 0);
  const Arguments campaign = {"sweep",
                              "--axis",
                              "nodes",
                              "--torus",
                              "2x2",
                              "--workload",
                              "fft:6x7x5,replay:run.goal",
                              "--policies",
                              "random",
                              "--fabric",
                              "ofi",
                              "--json",
                              "report.json"};
  const Ended ended = run(launch(2) + campaign);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  ASSERT_EQ(report()["rows"].size(), 2U);
  for (const json& row : report()["rows"]) EXPECT_GT(row["packets"], 0);
}

/// Only process 0 has the journal, and all processes leave out its cases.
TEST_F(OfiLaunch, ResumesAComparison) {
  const Arguments resumed = {"--fabric", "ofi", "--resume", "j"};
  EXPECT_EQ(run(launch(2) + kComparison + Arguments{"--policies", "bruck:2"} + resumed).exit_code,
            0);
  const json first = report()["rows"];
  const Ended ended = run(launch(2) + kComparison + kThreePolicies + resumed);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(report()["rows"].size(), 6U);
  EXPECT_EQ(report()["rows"][1], first[0]);
  EXPECT_EQ(report()["rows"][4], first[1]);
  const json second = report()["rows"];
  EXPECT_EQ(run(launch(2) + kComparison + kThreePolicies + resumed).exit_code, 0);
  EXPECT_EQ(report()["rows"], second);
}

TEST_F(OfiLaunch, ComparisonInShardsIsMerged) {
  for (const std::string shard : {"1/2", "2/2"})
    EXPECT_EQ(run(launch(2) + kComparison + kThreePolicies +
                  Arguments{"--fabric", "ofi", "--shard", shard, "--resume", "j{shard}"})
                  .exit_code,
              0);
  const Ended ended =
      run(kCommand + Arguments{"merge", "j1", "j2", "--json", "report.json", "--quiet"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(report()["processes"], 2);
  EXPECT_EQ(report()["rows"].size(), 6U);
}

/// Under the policy a node sends a packet per second.
TEST_F(OfiLaunch, FailedCaseEndsAComparisonOnAllProcesses) {
  directory_.save("slow.toml", "policy = 'random'\nname = 'slow'\ncycles_per_packet = 7e8\n");
  const Ended ended =
      run(launch(2) + Arguments{"compare", "--torus", "4x2", "--policies", "random,slow.toml,rank",
                                "--fabric", "ofi", "--limit", "0.5"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(occurrences(ended.out, "\nrandom "), 1);
  EXPECT_EQ(occurrences(ended.out, "\nrank "), 0);
  EXPECT_THAT(ended.err, ::testing::HasSubstr("all-to-all under policy slow on torus 4x2: "));
  EXPECT_THAT(ended.err, ::testing::HasSubstr("the run did not end within 0.5 s"));
}

TEST_F(OfiLaunch, RefusesAComparisonOnATorusWithFewerNodesThanProcesses) {
  const Ended ended = run(launch(4) + Arguments{"compare", "--torus", "4x2,3", "--policies",
                                                "random,rank", "--fabric", "ofi"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, ::testing::HasSubstr("4 processes for the 3 nodes of torus 3"));
}

TEST_F(OfiLaunch, MpirunComparesPolicies) {
  if (!installed("mpirun")) GTEST_SKIP() << "mpirun is not installed";
  const Ended ended = run(mpirun(2) + kComparison + kThreePolicies + Arguments{"--fabric", "ofi"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(report()["rows"].size(), 6U);
}

TEST_F(OfiLaunch, ReportsTheMedianOfRepeatedExchanges) {
  const Ended ended = run(launch(2) + kLaunchedAllToAll + Arguments{"--repeat", "3"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(report()["repetitions"]["count"], 3);
  EXPECT_EQ(report()["packets"], 16 * 15 * 4);
}

TEST_F(OfiLaunch, ModelReplaysAnExportedRun) {
  const Ended ended =
      run(launch(2) + kLaunchedAllToAll + Arguments{"--route", "torus", "--export", "run.goal"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  const json first = report();
  const Arguments replay = {"replay", "run.goal", "--torus", "4x2x2", "--json", "report.json"};
  EXPECT_EQ(run(kCommand + replay).exit_code, 0);
  EXPECT_EQ(report()["fabric"], "sim");
  EXPECT_EQ(report()["packets"], first["packets"]);
  EXPECT_EQ(report()["packet_hops"], first["packet_hops"]);
}

TEST_F(OfiLaunch, RunsWithOneProcess) {
  expect_one_line(launch(1) + kLaunchedHello);
}

TEST_F(OfiLaunch, RunsWithSixtyFourProcesses) {
  expect_one_line(launch(64) + Arguments{"hello", "--torus", "8x4x2", "--fabric", "ofi"});
}

TEST_F(OfiLaunch, KeepsConcurrentRunsApart) {
  const Process one(launch(2) + kLaunchedHello);
  const Process other(launch(2) + kLaunchedHello);
  for (const Process* process : {&one, &other})
    EXPECT_EQ(process->wait(60s).value_or(Ended{}).exit_code, 0) << process->err();
}

TEST_F(OfiLaunch, RefusesABadCommandLine) {
  const Ended ended = run(launch(4) + Arguments{"hello", "--torus", "none", "--fabric", "ofi"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, ::testing::HasSubstr("toroid: "));
}

std::vector<pid_t> children_of(pid_t parent) {
  const std::string id = std::to_string(parent);
  std::ifstream list("/proc/" + id + "/task/" + id + "/children");
  std::vector<pid_t> children;
  for (pid_t child = 0; list >> child;) children.push_back(child);
  return children;
}

/// Returns the four processes of a launched run once they have joined.
std::vector<pid_t> processes_of(const Process& launcher) {
  comes_true([&] { return children_of(launcher.pid()).size() == 4; }, 10s);
  std::this_thread::sleep_for(2s);  // joining takes less time
  return children_of(launcher.pid());
}

void expect_all_gone(const std::vector<pid_t>& children) {
  for (const pid_t child : children)
    EXPECT_TRUE(comes_true([=] { return !alive(child); }, 1s)) << child;
}

TEST_F(OfiLaunch, EndsAllProcessesIfOneExitsBeforeJoining) {
  for (const std::string absent : {"0", "2"}) {
    const Arguments start = {"launch", "-n", "3", "--grace", "1", "--", "sh", "-c"};
    const Process launcher(kCommand + start +
                           Arguments{"[ $RANK = " + absent +
                                         " ] || exec \"$0\" hello --torus 3 "
                                         "--fabric ofi",
                                     TOROID_COMMAND});
    const std::optional<Ended> ended = launcher.wait(30s);
    ASSERT_TRUE(ended) << launcher.err();
    EXPECT_EQ(ended->exit_code, 1) << ended->signal;
    EXPECT_THAT(ended->err, ::testing::ContainsRegex(
                                "toroid: rank " + absent +
                                " on .* ended with exit code 0 before it joined the others"));
  }
}

/// Names of the files of `process` in /dev/shm.
std::vector<std::string> shared_files_of(pid_t process) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm"))
    if (const std::string name = entry.path().filename();
        name.starts_with("toroid-") &&
        name.find("-" + std::to_string(process) + "-") != std::string::npos)
      names.push_back(name);
  return names;
}

TEST_F(OfiLaunch, LeavesNoSharedMemoryOfKilledProcesses) {
  const Arguments fft = kLaunchedFft + Arguments{"--provider", "shm"};
  for (const std::chrono::milliseconds delay : {100ms, 300ms, 500ms, 1000ms}) {
    const Process launcher(launch(4) + fft);
    const std::vector<pid_t> children = processes_of(launcher);
    ASSERT_EQ(children.size(), 4U) << launcher.err();
    std::this_thread::sleep_for(delay);  // while segments are made, or later
    for (const pid_t child : children)
      if (delay != 500ms || child == children[2]) ::kill(child, SIGKILL);
    EXPECT_TRUE(launcher.wait(15s)) << launcher.err();
    for (const pid_t child : children) EXPECT_TRUE(shared_files_of(child).empty()) << child;
  }
}

TEST_F(OfiLaunch, NamesTheSettingOfLibfabricThatLeavesNoProvider) {
  for (const Arguments& provider : {Arguments{}, Arguments{"--provider", "shm"}}) {
    const Ended ended =
        run(Arguments{"env", "FI_PROVIDER=smoke"} + launch(2) + kLaunchedHello + provider);
    EXPECT_EQ(ended.exit_code, 2) << ended.err;
    EXPECT_THAT(ended.err, ::testing::HasSubstr("(set: FI_PROVIDER=smoke)"));
  }
}

TEST_F(OfiLaunch, EndsAllProcessesIfOneIsKilled) {
  const Process launcher(launch(4) + kLaunchedFft);
  const std::vector<pid_t> children = processes_of(launcher);
  ASSERT_EQ(children.size(), 4U) << launcher.err();
  ::kill(children[2], SIGKILL);
  const std::optional<Ended> ended = launcher.wait(15s);
  ASSERT_TRUE(ended) << launcher.err();
  EXPECT_EQ(ended->exit_code, 1) << ended->signal;
  EXPECT_THAT(ended->err, ::testing::ContainsRegex("process [0-3] .host .*, pid " +
                                                   std::to_string(children[2])));
  expect_all_gone(children);
}

/// After a process is killed, mpirun waits one second before it signals the others. By then they
/// have printed the reason.
TEST_F(OfiLaunch, NamesAKilledProcessUnderMpirun) {
  if (!installed("mpirun")) GTEST_SKIP() << "mpirun is not installed";
  const Process launcher(mpirun(4) + kLaunchedFft);
  const std::vector<pid_t> children = processes_of(launcher);
  ASSERT_EQ(children.size(), 4U) << launcher.err();
  ::kill(children[2], SIGKILL);
  const std::optional<Ended> ended = launcher.wait(15s);
  ASSERT_TRUE(ended) << launcher.err();
  EXPECT_THAT(ended->err, ::testing::ContainsRegex("process [0-3] .host .*, pid " +
                                                   std::to_string(children[2])));
  expect_all_gone(children);
}

TEST_F(OfiLaunch, EndsAllProcessesIfInterrupted) {
  const Process launcher(launch(4) + kLaunchedFft);
  const std::vector<pid_t> children = processes_of(launcher);
  ASSERT_EQ(children.size(), 4U) << launcher.err();
  launcher.signal(SIGTERM);
  const std::optional<Ended> ended = launcher.wait(15s);
  ASSERT_TRUE(ended) << launcher.err();
  EXPECT_NE(ended->exit_code, 0);
  expect_all_gone(children);
}

}  // namespace
}  // namespace toroid::testing
