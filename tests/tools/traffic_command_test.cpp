// alltoall --traffic, and the figures that compare and sweep print for users of other simulators.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "hal/tick.hpp"
#include "packet/exchange/latency.hpp"
#include "tests/comes_true.hpp"
#include "tests/scale.hpp"
#include "tests/tools/refusal.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::vector<std::string> kPatterns = {
    "all-to-all", "lines:Y",     "planes",         "uniform",   "uniform:3", "sample:3",
    "tornado",    "transpose",   "bit-complement", "neighbour", "halo",      "hotspot:0.2",
    "incast:5",   "permutation", "zipf:1.2",       "roll:X"};

TEST(TrafficOption, GivesTheSameFiguresAsCompare) {
  std::string all;
  for (const std::string& name : kPatterns) all += (all.empty() ? "" : ",") + name;
  const nlohmann::json rows = json_of({"compare", "--torus", "4x4", "--traffic", all, "--policies",
                                       "random,two-phase", "--bytes", "500"})["rows"];
  ASSERT_EQ(rows.size(), 2 * kPatterns.size());
  for (const auto& row : rows) {
    const std::string traffic = row["traffic"];
    const nlohmann::json one =
        json_of({"alltoall", "--torus", "4x4", "--traffic", traffic, "--policy",
                 row["policy"].get<std::string>(), "--bytes", "500"});
    EXPECT_EQ(one["traffic"], traffic);
    for (const char* key : {"cycles", "bound_cycles", "bound_by", "percent_of_bound",
                            "percent_of_peak", "packets", "packet_hops", "latency"})
      EXPECT_EQ(row[key], one[key]) << key << " of " << row["policy"] << ", " << traffic;
  }
}

TEST(TrafficOption, DoesNotChangeTheHashOfAnAllToAll) {
  const Arguments plain = {"alltoall", "--torus", "4x4"};
  const auto hash = [&](const Arguments& more) { return json_of(plain + more)["result_hash"]; };
  EXPECT_EQ(hash({"--traffic", "all-to-all"}), hash({}));
  EXPECT_NE(hash({"--traffic", "uniform"}), hash({}));
}

TEST(TrafficOption, IsRecordedTracedReportedAndExported) {
  const TemporaryDirectory directory;
  const Ended ended =
      run_command({"alltoall", "--torus", "4x4", "--traffic", "tornado", "--record", "r.json",
                   "--trace", "t.json", "--report", "r.html", "--export", "m.csv"},
                  {.directory = directory.path()});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.out, StartsWith("traffic tornado, 240 bytes per message, policy random"));
  EXPECT_EQ(nlohmann::json::parse(directory.content_of("r.json"))["traffic"], "tornado");
  EXPECT_THAT(directory.content_of("r.html"), HasSubstr("tornado"));
  const std::string messages = directory.content_of("m.csv");
  EXPECT_EQ(std::count(messages.begin(), messages.end(), '\n'), 1 + 16);
}

TEST(TrafficOption, WorksOnShm) {
  for (const char* route : {"torus", "direct"})
    for (const std::string& traffic : kPatterns) {
      const nlohmann::json report = json_of(
          Arguments{"alltoall", "--torus", "4x4", "--traffic", traffic, "--route", route} + kShm);
      EXPECT_EQ(report["traffic"], traffic);
      EXPECT_EQ(report["bound_by"], "copy");
    }
}

TEST(TrafficOption, MustMatchTheCheckpoint) {
  const TemporaryDirectory directory;
  static const std::string kTorus = full_or("4x8x8", "4x4x8");
  const auto saved = [](const char* traffic) {
    return Arguments{
        "alltoall", "--torus", kTorus,    "--bytes",      "1200", "--traffic",          traffic,
        "--json",   "r.json",  "--quiet", "--checkpoint", "c",    "--checkpoint-every", "0"};
  };
  RunningCommand command(saved("zipf:1.2"), {.directory = directory.path()});
  EXPECT_TRUE(comes_true([&] { return std::filesystem::exists(directory / "c"); }));
  command.signal(SIGINT);
  ASSERT_EQ(command.wait().exit_code, 128 + SIGINT);
  const Ended other = run_process(saved("hotspot"), {.directory = directory.path()});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("zipf:1.2"));
  ASSERT_EQ(run_process(saved("zipf:1.2"), {.directory = directory.path()}).exit_code, 0);
  const nlohmann::json whole =
      json_of({"alltoall", "--torus", kTorus, "--bytes", "1200", "--traffic", "zipf:1.2"});
  EXPECT_EQ(nlohmann::json::parse(directory.content_of("r.json"))["result_hash"],
            whole["result_hash"]);
}

TEST(TrafficOption, RefusesUnknownAndUnsuitablePatterns) {
  const TemporaryDirectory directory;
  const Arguments plain = {"alltoall", "--torus", "2x3", "--traffic"};
  const Arguments json = {"--json", "r.json"};
  expect_refusal(directory, plain + Arguments{"tornadoes"} + json, {"tornadoes", "tornado"});
  expect_refusal(directory, plain + Arguments{"transpose"} + json, {"transpose", "2x2"});
  expect_refusal(directory, plain + Arguments{"tornado:3"} + json, {"takes no parameter"});
  expect_refusal(directory, plain + Arguments{"zipf", "--sample", "2"} + json, {"--sample 2"});
}

/// The mean distance on a ring of k nodes, to all k nodes: k/4 if k is even, (k² - 1)/4k if odd.
double mean_ring_distance(double k, bool is_odd) {
  return is_odd ? (k * k - 1) / (4 * k) : k / 4;
}

TEST(NetworkFigures, HopsLinksAndLengthsMatchClosedFormulas) {
  const nlohmann::json rows = json_of(
      {"compare", "--torus", "4x6,5x4,8x8", "--policies", "random", "--bytes", "240"})["rows"];
  const double around[] = {mean_ring_distance(4, false) + mean_ring_distance(6, false),
                           mean_ring_distance(5, true) + mean_ring_distance(4, false),
                           2 * mean_ring_distance(8, false)};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double nodes = rows[i]["nodes"];
    EXPECT_NEAR(rows[i]["mean_hops"].get<double>(), around[i] * nodes / (nodes - 1), 1e-9);
    EXPECT_EQ(rows[i]["links"]["count"], 4 * nodes);
    EXPECT_EQ(rows[i]["packet_length"], 256 + 14);
  }
  const nlohmann::json mesh = json_of({"compare", "--torus", "4x3m", "--policies", "random",
                                       "--bytes", "1", "--fail-link", "(0,0)X+", "--long-way"});
  EXPECT_EQ(mesh["rows"][0]["links"]["count"], 4 * 3 * 2 + 4 * 2 * 2 - 2);
  EXPECT_EQ(mesh["rows"][0]["packet_length"], 32 + 14);
}

TEST(NetworkFigures, AcceptedRateIsPacketsPerNodeAndCycle) {
  const nlohmann::json row =
      json_of({"compare", "--torus", "4x4", "--policies", "random"})["rows"][0];
  EXPECT_NEAR(row["accepted_rate"].get<double>(), 16.0 * 15 / (16 * row["cycles"].get<double>()),
              1e-12);
  const nlohmann::json load = json_of({"sweep", "--axis", "load", "--torus", "4x4", "--load", "0.5",
                                       "--refine", "0", "--policies", "random"})["rows"][0];
  // At load 1 each node sends the 15 packets of an exchange in the time that the hottest link
  // needs: this link carries 8 packets of 270 bytes at a quarter of a byte per cycle.
  const double full = load["packets"].get<double>() > 0 ? 15.0 / 8640 : 0;
  EXPECT_NEAR(load["accepted_rate"].get<double>(), load["accepted"].get<double>() * full, 1e-9);
}

/// If packets hardly wait, their latency is nearly that of their hops alone.
TEST(NetworkFigures, LatencyAtLowLoadIsNearlyThatOfAnEmptyMachine) {
  const nlohmann::json row =
      json_of({"sweep", "--axis", "load", "--torus", "4x4x4", "--load", "0.02", "--refine", "0",
               "--policies", "random", "--window", "200000"})["rows"][0];
  const double mean = row["latency"]["mean"], alone = row["zero_load"];
  EXPECT_GT(mean, 0.95 * alone);
  EXPECT_LT(mean, 1.15 * alone);
}

TEST(NetworkFigures, MeanLatencyIsExact) {
  LatencyHistogram some, more;
  EXPECT_EQ(some.mean(), 0);
  for (const Tick latency : {1000u, 1001u, 5u}) some.add(latency);
  more.add(7'000);
  some += more;
  EXPECT_EQ(some.mean(), (1000 + 1001 + 5 + 7000) / 4.0);
  const nlohmann::json latency =
      json_of({"compare", "--torus", "4x4", "--policies", "random"})["rows"][0]["latency"];
  EXPECT_GT(latency["mean"].get<double>(), 0);
  EXPECT_LE(latency["mean"].get<double>(), latency["max"].get<double>());
}

TEST(NetworkFigures, AreColumnsOfTheTableAndTheCsv) {
  const TemporaryDirectory directory;
  const Ended ended = run_command({"compare", "--torus", "4x4", "--policies", "random", "--columns",
                                   "network", "--csv", "r.csv"},
                                  {.directory = directory.path()});
  EXPECT_THAT(ended.out,
              HasSubstr("policy  mean latency  accepted rate  mean hops    links  packet length"));
  for (const char* column :
       {",mean_hops,", ",accepted_rate,", ",latency_mean,", ",links_count,", ",packet_length,"})
    EXPECT_THAT(directory.content_of("r.csv"), HasSubstr(column));
  expect_refusal(directory, {"compare", "--torus", "4x4", "--columns", "netwrk"},
                 {"netwrk", "network"});
}

TEST(NumberLists, AcceptRangesInAllCampaignOptions) {
  const nlohmann::json axes =
      json_of({"compare", "--torus", "2x2", "--policies", "random", "--bytes", "240:960:360",
               "--queues", "1:4:x2", "--per-visit", "1:2", "--seeds", "1:7:3,9"})["axes"];
  EXPECT_EQ(axes["bytes"], (nlohmann::json{240, 600, 960}));
  EXPECT_EQ(axes["output_queues"], (nlohmann::json{1, 2, 4}));
  EXPECT_EQ(axes["packets_per_visit"], (nlohmann::json{1, 2}));
  EXPECT_EQ(axes["seed"], (nlohmann::json{1, 4, 7, 9}));
  const nlohmann::json load = json_of({"sweep", "--axis", "load", "--torus", "2x2", "--policies",
                                       "random", "--load", "0.1:0.4:x2", "--refine", "0"})["axes"];
  EXPECT_EQ(load["offered"], (nlohmann::json{0.1, 0.2, 0.4}));
}

}  // namespace
}  // namespace toroid::testing
