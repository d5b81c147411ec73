// Shapes whose nodes have several ranks, and machines whose nodes have a coprocessor, on the
// command line: labels, sums, bounds of parts, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/tools/refusal.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

TEST(NodeRanksCommand, ResultsTellNodesFromRanks) {
  for (const char* fabric : {"sim", "shm"}) {
    const json run = json_of({"alltoall", "--torus", "2x2x2t", "--fabric", fabric});
    EXPECT_EQ(run["nodes"], 4);
    EXPECT_EQ(run["ranks"], 8);
    EXPECT_EQ(run["packets"], 8 * 7);
  }
  const Ended table = run_command({"alltoall", "--torus", "2x2x2t"});
  EXPECT_THAT(table.out, HasSubstr("torus 2x2x2t, 4 nodes with 8 ranks"));
  EXPECT_FALSE(json_of({"alltoall", "--torus", "2x2"}).contains("ranks"));
}

TEST(NodeRanksCommand, RatesArePerNode) {
  const json row = json_of({"compare", "--torus", "4x4x2t", "--policies", "random"})["rows"][0];
  EXPECT_EQ(row["nodes"], 16);
  EXPECT_EQ(row["ranks"], 32);
  EXPECT_NEAR(row["accepted_rate"].get<double>(),
              row["packets"].get<double>() / row["cycles"].get<double>() / 16, 1e-9);
}

TEST(NodeRanksCommand, InfoPlacesNodes) {
  const json info = json_of({"info", "--torus", "2x3x4t"});
  EXPECT_EQ(info["nodes"], 6);
  EXPECT_EQ(info["ranks"], 24);
  EXPECT_EQ(info["ranks_per_node"], 4);
  std::uint64_t placed = 0;
  for (const json& worker : info["placement"]["workers"]) placed += worker["nodes"].get<unsigned>();
  EXPECT_EQ(placed, 6u);
}

TEST(NodeRanksCommand, TheLastCoordinateIsT) {
  const json lines = json_of({"alltoall", "--torus", "2x2x4t", "--traffic", "lines:T"});
  EXPECT_EQ(lines["packets"], 16 * 3);
  EXPECT_EQ(lines["packet_hops"], 0);
  const TemporaryDirectory directory;
  (void)run_command({"alltoall", "--torus", "2x2x2t", "--csv", "nodes.csv", "--quiet"},
                    {.directory = directory.path()});
  EXPECT_TRUE(directory.content_of("nodes.csv").starts_with("rank,X,Y,T,"));
  expect_refusal(directory, {"alltoall", "--torus", "4x4x2t", "--traffic", "transpose"},
                 {"swaps X and T", "nearest torus that works: 2x4x2t"});
  expect_refusal(directory, {"alltoall", "--torus", "4x4x2t", "--traffic", "lines:Z"}, {"XYT"});
}

/// Two ranks of each node send along X at once, so its links carry twice as much as for one rank.
TEST(NodeRanksCommand, GroupsOfOneNodesRanksShareItsLinks) {
  const auto phases = [](const char* torus) {
    return json_of({"fft", "--size", "16", "--torus", torus})["phases"];
  };
  json one = phases("4x4x2m"), two = phases("4x4x2t");
  for (const unsigned phase : {1u, 2u}) {  // along y and x
    EXPECT_EQ(one.at(phase).at("bound_by"), "link");
    EXPECT_EQ(two.at(phase).at("bound_by"), "link");
    EXPECT_EQ(two.at(phase).at("exchange_bound_cycles"),
              2 * one.at(phase).at("exchange_bound_cycles").get<int>());
  }
}

TEST(NodeRanksCommand, EveryPhaseIsWithinItsBound) {
  for (const char* torus : {"4x2x2t", "2x2x4t", "2x1x4t"})
    for (const char* method : {"volumetric", "slab", "rows"}) {
      const json run = json_of({"fft", "--size", "16", "--torus", torus, "--method", method});
      ASSERT_FALSE(run["phases"].empty());
      for (const json& phase : run["phases"]) {
        SCOPED_TRACE(std::string(torus) + " " + method + " " + phase.dump());
        if (phase.at("exchange_cycles") == 0) continue;
        EXPECT_LE(phase.at("percent_of_bound").get<double>(), 100);
      }
    }
}

TEST(CoprocessorCommand, EveryOrbitalStageIsWithinItsBound) {
  for (const char* machine : {"bgl", "bgl:coprocessor=1"}) {
    const json run = json_of(
        {"fft", "--size", "16", "--torus", "2x2x2", "--method", "orbital", "--machine", machine});
    ASSERT_EQ(run["stage_times"].size(), 3u);
    for (const json& stage : run["stage_times"]) {
      EXPECT_LE(stage["percent_of_bound"].get<double>(), 100);
      EXPECT_GE(stage["percent_of_bound"].get<double>(), 50);
    }
  }
}

TEST(CoprocessorCommand, ReplayComputesBesideItsMessages) {
  const TemporaryDirectory directory;
  directory.save("run.goal",
                 "num_ranks 2\nrank 0 {\n l1: send 20000b to 1\n}\n"
                 "rank 1 {\n l1: calc 100000\n l2: recv 20000b from 0\n}\n");
  const auto cycles = [&](const char* machine) {
    return json_of({"replay", "run.goal", "--torus", "2", "--machine", machine},
                   {.directory = directory.path()})["cycles"]
        .get<std::uint64_t>();
  };
  EXPECT_LT(cycles("bgl:coprocessor=1"), cycles("bgl"));
}

TEST(NodeRanksCommand, RefusesWhatNodesWithSeveralRanksLack) {
  const TemporaryDirectory directory;
  struct Refusal {
    Arguments arguments;
    const char* reason;
  };
  const Arguments alltoall = {"alltoall", "--torus", "4x4x2t"};
  const std::vector<Refusal> refusals = {
      {alltoall + Arguments{"--fail-link", "(0,0)X+"}, "several ranks per node"},
      {alltoall + Arguments{"--record", "r.json"}, "several ranks per node"},
      {alltoall + Arguments{"--trace", "t"}, "several ranks per node"},
      {alltoall + Arguments{"--report", "r.html"}, "several ranks per node"},
      {alltoall + Arguments{"--checkpoint", "c"}, "several ranks per node"},
      {alltoall + Arguments{"--transfer", "put"}, "several ranks per node"},
      {alltoall + Arguments{"--fabric", "ofi"}, "several ranks per node run on sim and shm"},
      {alltoall + Arguments{"--machine", "bgl:injection_fifos=14"}, "priority_injection_fifos = 2"},
      {alltoall + Arguments{"--machine", "bgl:coprocessor=1"}, "coprocessor"},
      {{"alltoall", "--torus", "4x4", "--machine", "bgl:memory_packet_cycles=5"},
       "several ranks per node"},
      {{"alltoall", "--torus", "4x4x3t"}, "1, 2 or 4 ranks"},
      {{"alltoall", "--torus", "2t"}, "a torus must come before the ranks"},
      {{"alltoall", "--torus", "4x4x8x2t@XZ4"}, "a node of a twisted torus has one rank"},
      {{"bench", "overlap", "--torus", "4x2t", "--size", "16", "--fabric", "shm"}, "--fabric sim"},
      {{"bench", "overlap", "--torus", "4x2", "--size", "16", "--fabric", "sim", "--machine",
        "bgl:coprocessor=1"},
       "coprocessor"},
      {{"fft", "--size", "16", "--torus", "4x2", "--method", "slab", "--planes", "1", "--timings",
        "--machine", "bgl:coprocessor=1"},
       "with --fabric sim and coprocessor"},
  };
  for (const Refusal& refusal : refusals)
    expect_refusal(directory, refusal.arguments, {refusal.reason});
}

}  // namespace
}  // namespace toroid::testing
