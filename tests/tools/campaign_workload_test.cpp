// toroid compare and toroid sweep over transforms and message files, along every axis and over
// several seeds: each row equals the single run.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/tools/refusal.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

using nlohmann::json;

const Arguments kTwoPolicies = {"--policies", "random,two-phase"};

/// Compares the figures that a row and the JSON of a single run have in common. A row does not have
/// the loads of links by direction.
void expect_row_of(const json& row, const json& single) {
  SCOPED_TRACE(row.dump());
  for (const char* key : {"time_s", "cycles", "bound_cycles", "bound_by", "percent_of_bound",
                          "percent_of_peak", "packets", "packet_hops", "profile"}) {
    ASSERT_TRUE(row.contains(key)) << key;
    EXPECT_EQ(row[key], single[key]) << key;
  }
  for (const char* key : {"max_load", "mean_load", "busy_percent"})
    EXPECT_EQ(row["links"][key], single["links"][key]) << key;
}

/// A workload of compare and the equivalent single run.
struct WorkloadRun {
  std::string name;
  Arguments single;
};

const std::vector<WorkloadRun> kTransforms = {
    {"fft:4", {"fft", "--size", "4"}},
    {"fft:6x7x5:volumetric", {"fft", "--size", "6x7x5"}},
    {"fft:8x7x9:slab", {"fft", "--size", "8x7x9", "--method", "slab"}},
    {"fft:17x9x8:slab:1", {"fft", "--size", "17x9x8", "--method", "slab", "--planes", "1"}},
    {"fft:8x9x11:rows", {"fft", "--size", "8x9x11", "--method", "rows"}},
    {"fft:6:orbital", {"fft", "--size", "6", "--method", "orbital"}},
};

std::string names_of(const std::vector<WorkloadRun>& workloads) {
  std::string names;
  for (const WorkloadRun& workload : workloads) names += (names.empty() ? "" : ",") + workload.name;
  return names;
}

const Arguments kCube = {"--torus", "2x2x2"};

TEST(CampaignWorkload, TransformRowsEqualSingleRuns) {
  const Arguments seed = {"--seed", "3"};
  const json rows = json_of(Arguments{"compare", "--workload", names_of(kTransforms)} + kCube +
                            seed + kTwoPolicies)["rows"];
  ASSERT_EQ(rows.size(), 2 * kTransforms.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const WorkloadRun& workload = kTransforms[i / 2];
    EXPECT_EQ(rows[i]["traffic"], workload.name);
    EXPECT_TRUE(rows[i]["bytes"].is_null());
    const json single =
        json_of(workload.single + kCube + seed + Arguments{"--policy", rows[i]["policy"]});
    expect_row_of(rows[i], single);
    EXPECT_EQ(rows[i]["exchanges"], single["phases"]);
  }
}

TEST(CampaignWorkload, ReplayRowsEqualSingleReplays) {
  const TemporaryDirectory directory;
  const Surroundings here{.directory = directory.path()};
  json_of(Arguments{"alltoall", "--bytes", "700", "--export", "run.goal"} + kCube, here);
  const json rows = json_of(Arguments{"compare", "--workload", "replay:run.goal", "--queues", "1,3",
                                      "--policies", "random,deterministic"} +
                                kCube,
                            here)["rows"];
  ASSERT_EQ(rows.size(), 4u);
  for (const json& row : rows)
    expect_row_of(row, json_of(Arguments{"replay", "run.goal", "--policy", row["policy"],
                                         "--queues", row["output_queues"].dump()} +
                                   kCube,
                               here));
}

/// A pipe can be read only once.
TEST(CampaignWorkload, ReadsAMessageFileOnceForAllCases) {
  const TemporaryDirectory directory;
  json_of({"alltoall", "--torus", "2x2", "--export", "run.goal"}, {.directory = directory.path()});
  const std::string text = directory.content_of("run.goal");
  std::filesystem::create_symlink("/dev/stdin", directory / "piped.goal");
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  ASSERT_EQ(::write(pipe[1], text.data(), text.size()), std::ssize(text));
  ::close(pipe[1]);
  const json report =
      json_of({"compare", "--workload", "replay:piped.goal", "--torus", "2x2,4", "--queues", "1,3",
               "--policies", "random,deterministic", "--validate"},
              {.directory = directory.path(), .in = pipe[0]});
  ::close(pipe[0]);
  ASSERT_EQ(report["rows"].size(), 2u * 2 * 2);
  for (const json& row : report["rows"]) EXPECT_EQ(row["packets"], 4 * 3);
}

TEST(CampaignWorkload, SweepsOverNodes) {
  const json rows = json_of({"sweep", "--axis", "nodes", "--torus", "2x2x2,2x2,2x1", "--workload",
                             "fft:8:slab", "--policies", "rank"})["rows"];
  ASSERT_EQ(rows.size(), 3u);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i]["nodes"], 2u << i);
    const json single = json_of({"fft", "--size", "8", "--method", "slab", "--policy", "rank",
                                 "--torus", rows[i]["torus"]});
    expect_row_of(rows[i], single);
    EXPECT_EQ(rows[i]["exchanges"], single["phases"]);
  }
}

TEST(CampaignWorkload, ShmRowsCountPacketsLikeSingleRuns) {
  const Arguments shm = {"--fabric", "shm", "--route", "torus", "--torus", "2x2"};
  const json report = json_of(Arguments{"compare", "--workload", "fft:6x7x5"} + kTwoPolicies + shm);
  EXPECT_EQ(report["time_kind"], "shm");
  ASSERT_EQ(report["rows"].size(), 2u);
  for (const json& row : report["rows"]) {
    const json single =
        json_of(Arguments{"fft", "--size", "6x7x5", "--policy", row["policy"], "--repeat", "5"} +
                kEstimate + shm);
    EXPECT_EQ(row["bound_by"], single["bound_by"]);
    EXPECT_FALSE(row.contains("cycles"));
    ASSERT_EQ(row["exchanges"].size(), single["phases"].size());
    for (std::size_t i = 0; i < row["exchanges"].size(); ++i)
      EXPECT_EQ(row["exchanges"][i]["packets"], single["phases"][i]["packets"]);
  }
}

TEST(CampaignWorkload, SkipsPoliciesWithoutEffect) {
  const TemporaryDirectory directory;
  const Surroundings here{.directory = directory.path()};
  json_of({"alltoall", "--torus", "2x2", "--export", "run.goal"}, here);
  const json rows =
      json_of({"compare", "--torus", "2x2", "--workload", "replay:run.goal,fft:4"}, here)["rows"];
  std::map<std::string, Arguments> policies;
  for (const json& row : rows) {
    EXPECT_FALSE(row.contains("error")) << row;
    policies[row["traffic"]].push_back(row["policy"]);
  }
  EXPECT_THAT(policies["replay:run.goal"], ::testing::Contains("deterministic"));
  EXPECT_THAT(policies["replay:run.goal"], ::testing::Not(::testing::Contains("rank")));
  EXPECT_THAT(policies["fft:4"], ::testing::IsSupersetOf({"rank", "deterministic", "two-phase"}));
}

/// Options of the single run that corresponds to a row.
Arguments options_of(const json& row) {
  Arguments all;
  for (const auto& [key, option] :
       std::vector<std::pair<const char*, const char*>>{{"policy", "--policy"},
                                                        {"machine", "--machine"},
                                                        {"routing", "--routing"},
                                                        {"output_queues", "--queues"},
                                                        {"packets_per_visit", "--per-visit"},
                                                        {"seed", "--seed"}})
    if (row.contains(key))
      all = all +
            Arguments{option, row[key].is_string() ? row[key].get<std::string>() : row[key].dump()};
  if (row.value("failed_link", "none") != "none")
    all = all + Arguments{"--fail-link", row["failed_link"]};
  return all;
}

const Arguments kAxes = {"--machine",   "bgl,bgp", "--queues",  "1,3",
                         "--per-visit", "1,4",     "--routing", "adaptive,deterministic"};
const Arguments kLinks = {"--fail-link", "none", "--fail-link", "(0,0,0)X+"};

TEST(CampaignAxes, CombineIntoRowsThatEqualSingleRuns) {
  for (const WorkloadRun& load : std::vector<WorkloadRun>{
           {"", {"alltoall", "--bytes", "999"}}, {"fft:4x5x6", {"fft", "--size", "4x5x6"}}}) {
    const Arguments what =
        load.name.empty() ? Arguments{"--bytes", "999"} : Arguments{"--workload", load.name};
    const json rows =
        json_of(Arguments{"compare"} + what + kCube + Arguments{"--policies", "random,rank"} +
                kAxes + kLinks + Arguments{"--seeds", "7"})["rows"];
    ASSERT_EQ(rows.size(), 2u * 2 * 2 * 2 * 2 * 2);
    for (const json& row : rows) expect_row_of(row, json_of(load.single + kCube + options_of(row)));
  }
}

TEST(CampaignAxes, WorkInASweepToo) {
  const json rows =
      json_of(Arguments{"sweep", "--axis", "bytes", "--bytes", "240,999", "--policies", "random"} +
              kCube + kAxes + kLinks)["rows"];
  ASSERT_EQ(rows.size(), 2u * 2 * 2 * 2 * 2 * 2);
  for (const json& row : rows)
    expect_row_of(row, json_of(Arguments{"alltoall", "--bytes", row["bytes"].dump()} + kCube +
                               options_of(row)));
}

/// Mean and sample deviation, from the sums of values and squares.
std::pair<double, double> mean_and_deviation(const std::vector<double>& values) {
  long double sum = 0, squares = 0;
  for (const double value : values) sum += value, squares += value * value;
  const auto n = static_cast<long double>(values.size());
  return {static_cast<double>(sum / n),
          static_cast<double>(std::sqrt((squares - sum * sum / n) / (n - 1)))};
}

void expect_summary_of_rows(const json& report) {
  ASSERT_EQ(report["summary"].size(), 2u);
  for (const json& one : report["summary"]) {
    std::vector<double> times;
    for (const json& row : report["rows"])
      if (row["policy"] == one["policy"]) times.push_back(row["time_s"]);
    EXPECT_EQ(times.size(), 10u);
    EXPECT_EQ(one["runs"], 10);
    const auto [mean, deviation] = mean_and_deviation(times);
    EXPECT_NEAR(one["time_s"], mean, 1e-9 * mean);
    EXPECT_NEAR(one["spread_s"], deviation, 1e-6 * mean);
    EXPECT_TRUE(one["best"].is_boolean());
  }
}

TEST(CampaignSeeds, GiveMeanAndSpreadOfTheirRuns) {
  for (const Arguments& what :
       {Arguments{"--bytes", "700"}, Arguments{"--workload", "fft:6x7x5"}}) {
    const json report =
        json_of(Arguments{"compare", "--torus", "3x2", "--seeds", "1:10"} + what + kTwoPolicies);
    ASSERT_EQ(report["rows"].size(), 20u);
    expect_summary_of_rows(report);
  }
}

TEST(CampaignSeeds, RangeEqualsList) {
  const Arguments compare = {"compare", "--torus", "3x2", "--policies", "random,rank", "--seeds"};
  const json range = json_of(compare + Arguments{"1:3"});
  EXPECT_EQ(range["result_hash"], json_of(compare + Arguments{"1,2,3"})["result_hash"]);
  EXPECT_EQ(range["result_hash"], json_of(compare + Arguments{"1:3:1"})["result_hash"]);
}

TEST(CampaignSeeds, GiveMeanAndSpreadInASweepToo) {
  expect_summary_of_rows(json_of(
      Arguments{"sweep", "--axis", "nodes", "--torus", "3x2", "--seeds", "1:10"} + kTwoPolicies));
}

TEST(CampaignValidation, ReportsHowWellTheOrdersOfTwoFabricsAgree) {
  const json report = json_of({"compare", "--validate", "--torus", "2x2", "--policies",
                               "random,rank,valiant,bruck:2", "--workload", "fft:6x7x5,fft:4:rows",
                               "--queues", "1,3", "--threads", "1", "--bind", "none"});
  EXPECT_EQ(report["fabric"], "sim");
  ASSERT_EQ(report["rows"].size(), 4u * 2 * 2);
  ASSERT_EQ(report["agreement"].size(), 2u * 2);
  for (const json& one : report["agreement"]) {
    EXPECT_EQ(one["policies"], 4);
    EXPECT_TRUE(one.contains("output_queues") && one.contains("best") &&
                one.contains("best_there"));
    if (one["rank_correlation"].is_null()) continue;
    EXPECT_LE(std::abs(one["rank_correlation"].get<double>()), 1 + 1e-12);
  }
}

TEST(CampaignValidation, ReportsTimesAndSpreadsOfBothFabrics) {
  const Arguments compare = {"compare",     "--validate", "--torus", "2x2",    "--policies",
                             "random,rank", "--threads",  "1",       "--bind", "none"};
  const json report = json_of(compare);
  ASSERT_EQ(report["summary_there"].size(), 2u);
  for (const json& one : report["summary_there"]) {
    EXPECT_EQ(one["runs"], 5);
    EXPECT_GT(one["time_s"], 0);
    EXPECT_GT(one["spread_s"], 0);
  }
  const Ended ended = run_command(compare);
  EXPECT_EQ(ended.err, "");
  EXPECT_THAT(ended.out,
              ::testing::ContainsRegex("times on sim and on shm --route torus, mean \\+- standard "
                                       "deviation:\n  random: [0-9.e-]+ s on sim, [0-9.e-]+ \\+- "
                                       "[0-9.e-]+ s on shm\n  rank: "));
}

TEST(CampaignValidation, WarnsIfWorkersShareCores) {
  const unsigned threads = std::thread::hardware_concurrency() + 1;
  if (threads > 256) GTEST_SKIP() << "too many cores for the torus of this test";
  const Arguments compare = {"compare",   "--torus",   "16x16",
                             "--traffic", "neighbour", "--policies",
                             "random",    "--threads", std::to_string(threads),
                             "--bind",    "none",      "--quiet"};
  for (const Arguments& more : {Arguments{"--validate"}, {"--fabric", "shm"}}) {
    const Ended ended = run_command(compare + more);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.err,
              "toroid: warning: workers share cores, so times on shm also depend on how the system "
              "schedules them; use fewer --threads\n");
  }
}

/// Rings for 1,024 packets per channel on 65,536 nodes exceed the memory of any host.
TEST(CampaignValidation, IsRefusedBeforeTheFirstRunIfRingsDoNotFit) {
  const TemporaryDirectory directory;
  directory.save("deep.toml", "name = 'deep'\ndynamic_vc_chunks = 8192\nbubble_vc_chunks = 8192\n");
  expect_refusal(
      directory,
      {"compare", "--validate", "--torus", "256x256", "--machine", "deep.toml", "--policies",
       "random,rank", "--bytes", "32", "--traffic", "neighbour", "--json", "result.json"},
      {"needs at least", "of memory"});
}

TEST(CampaignWorkload, RefusesInvalidWorkloads) {
  const TemporaryDirectory directory;
  json_of({"alltoall", "--torus", "2x2", "--export", "run.goal"}, {.directory = directory.path()});
  const auto refuses = [&](const Arguments& more, const std::vector<std::string>& words) {
    expect_refusal(directory,
                   Arguments{"compare", "--policies", "random,deterministic"} + more +
                       Arguments{"--json", "r.json", "--csv", "r.csv", "--resume", "j"},
                   words);
  };
  const auto refuses_workload = [&](const std::string& name, const std::string& word) {
    refuses({"--torus", "2x2", "--workload", name}, {word});
  };
  refuses_workload("", "empty");
  refuses_workload("fft:8,,fft:4", "empty");
  refuses_workload("fft", "fft:SIZE[:METHOD], METHOD e.g. slab[:PLANES[:lines][:taper]]");
  refuses_workload("fft:", "fft:SIZE[:METHOD], METHOD e.g. slab[:PLANES[:lines][:taper]]");
  refuses_workload("fft:8:", "unknown method ''; known: volumetric");
  refuses_workload("fft:8:slow", "unknown method 'slow'; known: volumetric");
  refuses_workload("fft:8:slab:", "''");
  refuses_workload("fft:8:slab:0", "'0'");
  refuses_workload("fft:8:slab:99999999999", "'99999999999'");
  refuses_workload("fft:8:slab:2:1", "expected lines, taper or lines:taper");
  refuses_workload("fft:8:slab:2:lines:taper:lines",
                   "fft:SIZE[:METHOD], METHOD e.g. slab[:PLANES[:lines][:taper]]");
  for (const char* after : {"lines:lines", "taper:taper", "taper:lines"})
    refuses_workload(std::string("fft:8:slab:2:") + after,
                     "expected lines, taper or lines:taper after the planes");
  refuses_workload("fft:8:rows:2", "only slab takes planes");
  refuses_workload("fft:8:orbital:2", "unknown transform '2'");
  refuses_workload("fft:8:orbital:dft", "dft is the default; write fft:8:orbital");
  refuses_workload("fft:8:orbital:dct:2", "only orbital a kind of transform");
  refuses_workload("fft:0", "size '0'");
  refuses_workload("fft:8by8", "'8by8' is not a size");
  refuses_workload("fft:8x8x8x8", "3 axes");
  refuses_workload("fft:100000x100000x100000", "more than 2147483648 elements");
  refuses_workload("fft:8:orbital", "does not fit the orbital transform");
  refuses_workload("fft:8,fft:8", "twice");
  refuses_workload("poisson", "unknown workload 'poisson'; known: fft:");
  refuses_workload("replay:", ".goal or .csv");
  refuses_workload("replay:run", ".goal or .csv");
  refuses_workload("replay:missing.goal", "missing.goal: cannot be read");
  refuses({"--torus", "2x1", "--workload", "replay:run.goal"}, {"run.goal:1", "at most 2"});
  refuses({"--torus", "2x2,16", "--workload", "fft:8:slab"}, {"at most 8 nodes"});
}

TEST(CampaignAxes, RefuseInvalidValues) {
  const TemporaryDirectory directory;
  const auto refuses = [&](const Arguments& more, const std::vector<std::string>& words) {
    for (const Arguments& verb : {Arguments{"compare"}, Arguments{"sweep", "--axis", "nodes"}})
      expect_refusal(directory,
                     verb + Arguments{"--torus", "2x2"} + more +
                         Arguments{"--json", "r.json", "--csv", "r.csv", "--resume", "j"},
                     words);
  };
  for (const char* option : {"--queues", "--per-visit", "--seeds"}) {
    for (const char* list : {"1,,2", ",1", "1,", ""}) refuses({option, list}, {option, "empty"});
    refuses({option, "10:1"}, {option, "10:1", "FROM is above TO"});
    refuses({option, "1:3:0"}, {option});
    refuses({option, "1:"}, {option, "''"});
    refuses({option, "1,1"}, {option, "names 1 twice"});
    refuses({option, "-1"}, {option, "'-1'"});
    refuses({option, "1:20001"}, {option, "more than 10000 values"});
    refuses({option, "99999999999999999999"}, {option, "99999999999999999999"});
  }
  refuses({"--queues", "70000"}, {"70000"});
  refuses({"--per-visit", "0"}, {"--per-visit", "'0'"});
  refuses({"--routing", "adaptive,,deterministic"}, {"--routing", "empty"});
  refuses({"--routing", "adaptive,fast"}, {"fast", "deterministic"});
  refuses({"--machine", "bgl,,bgp"}, {"--machine", "empty"});
  refuses({"--machine", "bgl,bgl"}, {"bgl", "twice"});
  refuses({"--machine", "bgl,cray"}, {"cray"});
  refuses({"--fail-link", ""}, {"is not a link of torus 2x2"});
  refuses({"--fail-link", "(7,7)X+"}, {"(7,7)X+"});
  refuses({"--fail-link", "none", "--fail-link", "none"}, {"none", "twice"});
}

TEST(CampaignAxes, RefuseOptionsWithoutEffect) {
  const TemporaryDirectory directory;
  const auto refuses = [&](const Arguments& arguments, const std::vector<std::string>& words) {
    expect_refusal(directory, arguments + Arguments{"--json", "r.json", "--resume", "j"}, words);
  };
  const Arguments square = {"compare", "--policies", "random", "--torus", "2x2"};
  const Arguments workload = {"--workload", "fft:4"};
  refuses(square + workload + Arguments{"--bytes", "240"}, {"--bytes", "--workload"});
  refuses(square + workload + Arguments{"--traffic", "neighbour"}, {"--traffic", "--workload"});
  refuses(square + workload + Arguments{"--peers", "2"}, {"--peers", "--workload"});
  refuses(square + Arguments{"--fabric", "shm", "--route", "direct", "--routing", "adaptive"},
          {"--routing has no effect on", "--route direct"});
  refuses(square + workload +
              Arguments{"--fabric", "shm", "--route", "direct", "--routing", "adaptive"},
          {"--routing has no effect on fft:4", "--route direct"});
  refuses({"compare", "--policies", "random", "--torus", "2x2x2", "--workload", "fft:6:orbital",
           "--per-visit", "1,2"},
          {"--per-visit has no effect on fft:6:orbital"});
  const Arguments sweep = {"sweep", "--policies", "random", "--torus", "2x2", "--axis"};
  refuses(sweep + Arguments{"load"} + workload, {"--axis load", "--workload"});
  refuses(sweep + Arguments{"bytes"} + workload, {"--axis bytes", "--workload"});
  refuses(sweep + Arguments{"load", "--per-visit", "2"}, {"--per-visit", "--axis load"});
  refuses(square + Arguments{"--route", "torus"},
          {"--route has no effect on compare with --fabric sim"});
  refuses(square + Arguments{"--bind", "none"},
          {"--bind has no effect on compare with --fabric sim"});
  refuses(square + Arguments{"--validate", "--route", "direct"}, {"--route has no effect"});
  refuses(square + Arguments{"--seed", "3", "--seeds", "1:2"}, {"--seed has no effect"});
  refuses(square + Arguments{"--validate", "--fabric", "shm"}, {"--validate"});
  refuses(square + Arguments{"--validate", "--peers", "2"}, {"--validate", "--peers"});
}

}  // namespace
}  // namespace toroid::testing
