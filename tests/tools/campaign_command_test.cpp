// toroid compare and toroid sweep on the command line.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/types.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "tests/comes_true.hpp"
#include "tests/scale.hpp"
#include "tests/tools/refusal.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

using ::testing::HasSubstr;

const Arguments kCompare = {"compare", "--policies", "random,rank,two-phase",
                            "--torus", "3x2,4m",     "--bytes",
                            "100,480", "--traffic",  "all-to-all,neighbour"};
const Arguments kSweep = {"sweep", "--axis",  "load", "--policies", "random",   "--torus",
                          "4x4",   "--bytes", "240",  "--traffic",  "neighbour"};

nlohmann::json without_wall_clock(nlohmann::json report) {
  for (const char* key : {"command", "date"}) report.erase(key);
  for (auto& row : report["rows"]) row.erase("wall_s");
  return report;
}

TEST(Compare, HasARowForEveryPolicyTrafficTorusAndSize) {
  const nlohmann::json report = json_of(kCompare);
  EXPECT_EQ(report["verb"], "compare");
  ASSERT_EQ(report["rows"].size(), 3u * 2 * 2 * 2);
  for (const auto& row : report["rows"]) {
    for (const char* key :
         {"policy", "traffic", "torus", "nodes", "bytes", "cycles", "time_s", "bound_cycles",
          "bound_by", "percent_of_bound", "percent_of_peak", "packets", "packet_hops", "links",
          "latency", "fifos", "result_hash", "wall_s"})
      EXPECT_TRUE(row.contains(key)) << key << " in " << row;
    EXPECT_GE(row["cycles"], row["bound_cycles"]);
    EXPECT_GE(row["links"]["max_load"], row["links"]["mean_load"]);
    EXPECT_LE(row["latency"]["p50"], row["latency"]["p99"]);
    EXPECT_LE(row["latency"]["p99"], row["latency"]["max"]);
    EXPECT_TRUE(row["fifos"]["stalled_cycles"].is_array());
  }
}

TEST(Compare, RowsEqualSingleRuns) {
  const nlohmann::json report = json_of({"compare", "--policies", "random,rank", "--torus", "4x4"});
  for (const auto& row : report["rows"]) {
    const nlohmann::json one =
        json_of({"alltoall", "--torus", "4x4", "--policy", row["policy"].get<std::string>()});
    for (const char* key : {"cycles", "bound_cycles", "bound_by", "percent_of_bound",
                            "percent_of_peak", "packets", "packet_hops"})
      EXPECT_EQ(row[key], one[key]) << key << " of " << row["policy"];
  }
}

TEST(Compare, IsTheSameOnAnyNumberOfThreads) {
  const nlohmann::json one = json_of(kCompare + Arguments{"--threads", "1"});
  const nlohmann::json five = json_of(kCompare + Arguments{"--threads", "5"});
  EXPECT_EQ(without_wall_clock(one), without_wall_clock(five));
  const nlohmann::json other = json_of(kCompare + Arguments{"--seed", "2"});
  EXPECT_NE(one["result_hash"], other["result_hash"]);
}

TEST(Compare, ResumesAJournalOfPartOfTheCases) {
  const TemporaryDirectory directory;
  const Arguments resume = {"--resume", directory / "j"};
  const nlohmann::json whole = json_of(kCompare);
  json_of(Arguments{"compare", "--policies", "rank", "--torus", "3x2", "--bytes", "480"} + resume);
  EXPECT_EQ(without_wall_clock(json_of(kCompare + resume)), without_wall_clock(whole));
  // Nothing is run again, so even the measured times are equal.
  EXPECT_EQ(json_of(kCompare + resume)["rows"], json_of(kCompare + resume)["rows"]);
}

auto lines_in(const TemporaryDirectory& directory, std::string_view file) {
  const std::string text = directory.content_of(file);
  return std::count(text.begin(), text.end(), '\n');
}

TEST(Compare, ResumesAfterAnInterruption) {
  const TemporaryDirectory directory;
  const Arguments cases = {"compare",
                           "--policies",
                           "random,rank,shift",
                           "--torus",
                           full_or("6x6x6", "4x4x4"),
                           "--bytes",
                           "480,481,482,483,484,485,486,487"};
  const Arguments resume = {"--resume", "j", "--json", "r.json", "--csv", "r.csv"};
  RunningCommand running(cases + resume + Arguments{"--threads", "2"},
                         {.directory = directory.path()});
  EXPECT_TRUE(comes_true([&] { return lines_in(directory, "j") >= 3; }));
  running.signal(SIGINT);
  const Ended ended = running.wait();
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.err, HasSubstr("toroid: interrupted; "));
  EXPECT_THAT(ended.err, HasSubstr(" finished, kept in r.json, r.csv, j\n"));
  EXPECT_EQ(ended.err_lines(), 1);
  EXPECT_LT(lines_in(directory, "j"), 25);
  const auto partial = nlohmann::json::parse(directory.content_of("r.json"));
  EXPECT_EQ(partial["interrupted"], true);
  EXPECT_EQ(partial["rows"].size() + 1, lines_in(directory, "j"));
  EXPECT_EQ(partial["rows"].size() + 1, lines_in(directory, "r.csv"));

  EXPECT_EQ(run_command(cases + resume, {.directory = directory.path()}).exit_code, 0);
  EXPECT_EQ(without_wall_clock(nlohmann::json::parse(directory.content_of("r.json"))),
            without_wall_clock(json_of(cases)));
  EXPECT_EQ(lines_in(directory, "r.csv"), 25);
}

TEST(Compare, KeepsEarlierFilesIfInterruptedBeforeTheFirstRow) {
  const TemporaryDirectory directory;
  directory.save("r.json", "old");
  const Arguments slow = {"compare", "--policies", "random", "--torus", "16x16x16",
                          "--bytes", "24000",      "--json", "r.json"};
  RunningCommand running(slow, {.directory = directory.path()});
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  running.signal(SIGTERM);
  const Ended ended = running.wait();
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.err, ::testing::EndsWith("toroid: interrupted\n"));
  EXPECT_EQ(directory.content_of("r.json"), "old");
}

/// The lines of a table appear on a pipe while later runs are still under way.
TEST(Compare, ShowsEachRowWhenItsRunEnds) {
  const Arguments cases = {"compare", "--policies", "random,rank", "--torus", "2x2,16x16x16",
                           "--bytes", "4800",       "--threads",   "1"};
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  RunningCommand running(cases, {.out = ends[1]});
  ::close(ends[1]);
  std::string text;
  char block[4096];
  for (ssize_t n = 0;
       text.find("rank ") == std::string::npos && (n = ::read(ends[0], block, sizeof block)) > 0;)
    text.append(block, static_cast<std::size_t>(n));
  EXPECT_THAT(text, HasSubstr("\nrandom "));
  EXPECT_THAT(text, HasSubstr("2x2 "));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("16x16x16 ")));
  running.signal(SIGINT);
  EXPECT_EQ(running.wait().exit_code, 1);
  ::close(ends[0]);
}

/// The profile counts how turns of drain ended and how many queue heads were stuck then. A line
/// below the table names the columns that do not fit.
TEST(Compare, ShowsTheProfileInItsTable) {
  const Ended ended = run_command(
      {"compare", "--policies", "random,queues:3", "--torus", "3x3", "--fabric", "shm"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("  stuck %   heads  full %  idle %  stops\n"));
  const Ended virtual_time =
      run_command({"compare", "--policies", "random,queues:3", "--torus", "3x3"});
  EXPECT_THAT(virtual_time.out, HasSubstr("stuck %, heads, full %, idle %, stops; --json"));
}

/// The JSON of compare and sweep has the same keys, so that the same code can read both.
TEST(CampaignCommands, CompareAndSweepWriteTheSameJsonKeys) {
  const Arguments rest = {"--policies", "random,rank", "--torus", "4", "--bytes", "240"};
  const nlohmann::json compare = json_of(Arguments{"compare"} + rest);
  const nlohmann::json bytes = json_of(Arguments{"sweep", "--axis", "bytes"} + rest);
  const nlohmann::json load = json_of(
      Arguments{"sweep", "--axis", "load", "--load", "0.1,0.2,0.30000000000000004", "--refine", "0",
                "--policies", "random", "--torus", "4", "--traffic", "uniform"});
  const auto keys_of = [](const nlohmann::json& object) {
    std::set<std::string> keys;
    for (const auto& [key, value] : object.items()) keys.insert(key);
    return keys;
  };
  EXPECT_EQ(keys_of(compare), keys_of(bytes));
  EXPECT_EQ(keys_of(compare["rows"][0]), keys_of(bytes["rows"][0]));
  EXPECT_THAT(keys_of(load), ::testing::IsSupersetOf(keys_of(compare)));
  EXPECT_THAT(keys_of(load["rows"][0]), ::testing::IsSupersetOf(keys_of(compare["rows"][0])));
  EXPECT_EQ(compare["axis"], "policy");
  EXPECT_EQ(compare["axes"]["policy"], (nlohmann::json{"random", "rank"}));
  EXPECT_EQ(load["axes"]["offered"], (nlohmann::json{0.1, 0.2, 0.3}));
  EXPECT_EQ(load["rows"][2]["offered"].dump(), "0.3");
}

TEST(CampaignCommands, CsvHasOneNumberPerCellAndDescribesTheCase) {
  const TemporaryDirectory directory;
  const Arguments one = {"compare", "--policies", "random", "--torus", "4x4,2x2x2",
                         "--csv",   "r.csv",      "--seed", "5"};
  ASSERT_EQ(run_command(one, {.directory = directory.path()}).exit_code, 0);
  std::istringstream csv(directory.content_of("r.csv"));
  std::string head, first, second;
  std::getline(csv, head);
  std::getline(csv, first);
  std::getline(csv, second);
  EXPECT_THAT(head,
              ::testing::StartsWith("verb,version,fabric,machine,seed,policy,traffic,torus,"));
  EXPECT_THAT(head, HasSubstr(",fifos_stalled_cycles_0,fifos_stalled_cycles_1,"));
  EXPECT_THAT(head, HasSubstr(",fifos_stalled_cycles_5,fifos_stalled_percent,"));
  EXPECT_THAT(head, ::testing::EndsWith(",error"));
  EXPECT_THAT(first, HasSubstr(",sim,bgl,5,random,all-to-all,4x4,16,240,"));
  for (const std::string& line : {first, second}) {
    EXPECT_EQ(std::ranges::count(line, ','), std::ranges::count(head, ','));
    EXPECT_EQ(line.find(' '), std::string::npos) << line;
  }
}

TEST(Compare, RunsEveryPolicyByDefault) {
  const nlohmann::json report = json_of({"compare", "--torus", "4x2x2", "--bytes", "32"});
  EXPECT_GE(report["rows"].size(), 12u);
  for (const auto& row : report["rows"]) EXPECT_FALSE(row.contains("error")) << row;
}

TEST(Compare, BoundOfASampleCountsOnlyItsMessages) {
  const Arguments sample = {"--torus", "4x4", "--bytes", "480", "--peers", "5"};
  const nlohmann::json report = json_of(
      Arguments{"compare", "--policies", "random,rank,random-rounds,valiant,windowed"} + sample);
  for (const auto& row : report["rows"]) {
    const std::string policy = row["policy"];
    EXPECT_LE(row["percent_of_peak"], 100) << policy;
    EXPECT_GT(row["percent_of_peak"], 10) << policy;
    const nlohmann::json one = json_of(Arguments{"alltoall", "--policy", policy} + sample);
    EXPECT_EQ(row["bound_cycles"], one["bound_cycles"]) << policy;
  }
}

TEST(Compare, DetoursDoNotRaiseTheBoundOfASample) {
  const nlohmann::json rows = json_of({"compare", "--policies", "random,valiant,windowed",
                                       "--torus", "4x4", "--peers", "5"})["rows"];
  EXPECT_LE(rows[1]["bound_cycles"], rows[0]["bound_cycles"]);  // valiant may use all links
  EXPECT_EQ(rows[2]["bound_cycles"], rows[0]["bound_cycles"]);
}

TEST(Compare, TimesOfCombiningPoliciesAreNotBelowTheirBound) {
  for (const char* bytes : {"1", "100", "480"}) {
    const nlohmann::json report =
        json_of({"compare", "--policies", "three-phase,virtual-mesh,bruck:2,bruck:3", "--torus",
                 "4x4x2", "--traffic", "all-to-all,hotspot", "--bytes", bytes});
    for (const auto& row : report["rows"]) {
      EXPECT_GE(row["cycles"], row["bound_cycles"]) << row;
      EXPECT_LE(row["percent_of_peak"], 100) << row;
      EXPECT_GT(row["percent_of_peak"], 0) << row;
    }
  }
}

TEST(Compare, BoundsWallClockTimeByCopying) {
  const TemporaryDirectory directory;
  const nlohmann::json report = json_of({"compare", "--policies", "random", "--torus", "2x2",
                                         "--bytes", "480", "--fabric", "shm", "--csv", "r.csv"},
                                        {.directory = directory.path()});
  const auto& row = report["rows"][0];
  EXPECT_EQ(row["bound_by"], "copy");
  EXPECT_LE(row["percent_of_bound"], 100);
  const double percent = 100 * row["bound_s"].get<double>() / row["time_s"].get<double>();
  EXPECT_NEAR(row["percent_of_bound"], percent, 1e-12 * percent);  // rounded when written
  for (const char* key : {"cycles", "bound_cycles", "percent_of_peak", "latency", "latency_s"})
    EXPECT_FALSE(row.contains(key)) << key;
  EXPECT_FALSE(row["fifos"].contains("stalled_percent"));
  EXPECT_THAT(directory.content_of("r.csv"), HasSubstr("percent_of_bound"));
  directory.save("r.json", report.dump());
  const Ended ended =
      run_command({"report", "r.json", "-o", "r.html"}, {.directory = directory.path()});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr(": 1 run, 0 sweeps, "));
}

TEST(Compare, RunsCasesOneByOneOnShm) {
  const nlohmann::json report = json_of({"compare", "--policies", "random,rank", "--torus", "2x2",
                                         "--fabric", "shm", "--threads", "2"});
  EXPECT_EQ(report["time_kind"], "shm");
  EXPECT_EQ(report["rows"].size(), 2u);
}

TEST(CampaignCommands, RefuseInvalidValuesBeforeTheFirstRun) {
  const TemporaryDirectory directory;
  const Arguments files = {"--json", "r.json", "--csv", "r.csv", "--resume", "j"};
  const auto refuses = [&](const Arguments& arguments, const std::vector<std::string>& words) {
    expect_refusal(directory, arguments + files, words);
  };
  const Arguments good = {"compare", "--torus", "2x2"};
  refuses({"compare"}, {"--torus"});
  refuses(good + Arguments{"--policies", "random,randon"}, {"randon", "two-phase"});
  refuses(good + Arguments{"--policies", "random,rank,random"}, {"random", "twice"});
  refuses(good + Arguments{"--traffic", "all-to-all,tornadoes"}, {"tornadoes", "tornado"});
  refuses(good + Arguments{"--bytes", "240,0"}, {"0"});
  refuses(good + Arguments{"--bytes", "240,x"}, {"x"});
  refuses({"compare", "--torus", "2x2,2xx2"}, {"2xx2"});
  refuses({"compare", "--torus", "4x4,4x4"}, {"4x4", "twice"});
  refuses({"compare", "--torus", "4x4,04x4"}, {"04x4", "twice"});
  refuses(good + Arguments{"--policies", "bruck,bruck:2"}, {"bruck:2", "twice"});
  refuses(good + Arguments{"--policies", "all,random"},
          {"--policies has all and random", "only policies of your own"});
  refuses(good + Arguments{"--policies", "rank", "--peers", "2", "--fabric", "shm"}, {"--peers"});
  refuses({"compare", "--torus", "2x2,2x3", "--traffic", "transpose"}, {"2x3"});
  refuses(good + Arguments{"--machine", "missing"}, {"missing"});
  refuses(good + Arguments{"--fabric", "shn"}, {"shn", "shm"});
  refuses(good + Arguments{"--threads", "0"}, {"0"});
  const Arguments sweep = {"sweep", "--torus", "2x2", "--axis"};
  refuses(sweep + Arguments{"size"}, {"size", "load, bytes, nodes"});
  refuses(sweep + Arguments{"load", "--load", "0.5,0"}, {"0"});
  for (const char* option : {"--load", "--refine", "--window", "--warm-up"})
    refuses(sweep + Arguments{"bytes", option, "1"},
            {std::string(option) +
             " has no effect on sweep with --axis bytes (it works with --axis load)"});
  refuses(sweep + Arguments{"load", "--load", "0.5,0.5"}, {"0.5", "twice"});
  refuses(sweep + Arguments{"load", "--arrivals", "often"}, {"often", "bernoulli"});
  refuses(sweep + Arguments{"load", "--policies", "bruck:2"}, {"bruck", "combines"});
  refuses(sweep + Arguments{"load", "--policies", "random", "--fabric", "shm"}, {"virtual time"});
  refuses({"sweep", "--torus", "1", "--axis", "load", "--policies", "random"}, {"crosses no link"});
}

TEST(CampaignCommands, RefuseOneFileForTwoOutputs) {
  const TemporaryDirectory directory;
  const Arguments good = {"compare", "--torus", "2x2", "--policies", "rank"};
  for (const auto& [a, b] :
       {std::pair{"--csv", "--resume"}, {"--json", "--resume"}, {"--csv", "--json"}})
    expect_refusal(directory, good + Arguments{a, "f", b, "./f"}, {"are the same file"});
  expect_refusal(directory, good + Arguments{"--csv", "-"}, {"--csv -"});
  expect_refusal(directory, {"report", "r.json", "-o", "-"}, {"--out -"});
}

TEST(CampaignCommands, RefuseAJournalOfOtherSettings) {
  const TemporaryDirectory directory;
  const Arguments one = {"compare", "--policies", "rank", "--torus", "2", "--resume", "j"};
  ASSERT_EQ(run_command(one, {.directory = directory.path()}).exit_code, 0);
  const std::string before = directory.content_of("j");
  expect_refusal(directory, one + Arguments{"--seed", "2"}, {"j", "seed 1, not 2"});
  expect_refusal(
      directory,
      {"sweep", "--axis", "bytes", "--policies", "rank", "--torus", "2", "--resume", "j"},
      {"j", "verb"});
  EXPECT_EQ(directory.content_of("j"), before);
}

TEST(Sweep, LatencyAtLowLoadMatchesTheFormula) {
  const nlohmann::json report = json_of(kSweep + Arguments{"--load", "0.01", "--refine", "0"});
  EXPECT_EQ(report["axis"], "load");
  ASSERT_EQ(report["rows"].size(), 1u);
  const auto& point = report["rows"][0];
  const double alone = 150 + 69 + 1080 + 200;
  EXPECT_EQ(point["zero_load"], alone);
  EXPECT_NEAR(point["latency"]["p50"], alone, alone / 100);
  EXPECT_EQ(point["saturated"], false);
  EXPECT_NEAR(point["accepted"], point["generated"], 0.001);
}

TEST(Sweep, RefinesTheSaturationLoad) {
  // Every packet takes three hops in the same direction: links are the only limit.
  const Arguments ring = {"sweep",   "--axis",   "load",      "--policies", "random",
                          "--torus", "8",        "--traffic", "tornado",    "--load",
                          "0.4,1.4", "--refine", "3"};
  const nlohmann::json report = json_of(ring);
  ASSERT_EQ(report["rows"].size(), 5u);
  ASSERT_EQ(report["saturation"].size(), 1u);
  const auto& found = report["saturation"][0];
  EXPECT_NEAR(found["saturated_at"].get<double>() - found["carried"].get<double>(), 0.125, 1e-9);
  EXPECT_GT(found["carried"], 0.6);
  EXPECT_LT(found["carried"], 1.1);
  double last = 0;
  for (const auto& point : report["rows"]) {
    EXPECT_GT(point["offered"], last);
    last = point["offered"];
    EXPECT_EQ(point["saturated"], point["offered"] >= found["saturated_at"]);
  }
}

TEST(Sweep, SkipsPoliciesThatRunLikeAnotherOrCannotRunUnderLoad) {
  const nlohmann::json report =
      json_of({"sweep", "--axis", "load", "--torus", "4", "--load", "0.1", "--refine", "0"});
  std::vector<std::string> policies;
  for (const auto& point : report["rows"]) policies.push_back(point["policy"]);
  EXPECT_THAT(policies, ::testing::IsSupersetOf({"random", "deterministic", "first-fit"}));
  for (const char* alike_or_unfit : {"rank", "shift", "xor", "two-phase", "bruck:2", "throttled"})
    EXPECT_THAT(policies, ::testing::Not(::testing::Contains(alike_or_unfit)));
}

TEST(Sweep, FailsIfItsWindowHasNoPackets) {
  const Ended ended = run_command(kSweep + Arguments{"--load", "0.1", "--window", "1"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.out, HasSubstr("no packet was generated in the window of 1 cycles"));
}

TEST(Sweep, VariesNodesAndBytes) {
  const Arguments common = {"sweep",       "--policies", "rank,random", "--torus",
                            "4x4,2x2,3x3", "--bytes",    "480,1",       "--axis"};
  const auto nodes = json_of(common + Arguments{"nodes"})["rows"];
  ASSERT_EQ(nodes.size(), 12u);
  EXPECT_EQ(nodes[0]["policy"], "rank");
  EXPECT_EQ(nodes[6]["policy"], "random");
  for (const unsigned at : {0u, 3u, 6u, 9u}) {
    EXPECT_LT(nodes[at]["nodes"], nodes[at + 1]["nodes"]);
    EXPECT_LT(nodes[at + 1]["nodes"], nodes[at + 2]["nodes"]);
  }
  const auto bytes = json_of(common + Arguments{"bytes"})["rows"];
  for (unsigned at = 0; at < 12; at += 2) EXPECT_LT(bytes[at]["bytes"], bytes[at + 1]["bytes"]);
}

TEST(Sweep, WritesItsPointsAsCsv) {
  const TemporaryDirectory directory;
  const Arguments sweep = kSweep + Arguments{"--load", "0.1,0.2", "--refine", "0"};
  const Ended ended =
      run_command(sweep + Arguments{"--csv", "p.csv"}, {.directory = directory.path()});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("keeps up at offered 0.2000, accepted "));
  EXPECT_THAT(directory.content_of("p.csv"),
              HasSubstr(",seed,policy,traffic,torus,nodes,bytes,offered,"));
  EXPECT_EQ(lines_in(directory, "p.csv"), 3);
}

}  // namespace
}  // namespace toroid::testing
