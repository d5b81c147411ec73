// toroid bench overlap shows how much communication the slab method hides. No test here depends on
// wall-clock speed.
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
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Arguments kOverlapRun = {
    "bench",     "overlap", "--size",    "12", "--torus",          "4",     "--planes", "1,2,3",
    "--windows", "1,8",     "--threads", "2",  "--test-intervals", "1,1000"};
const Arguments kOnSim = {"--fabric", "sim"};

std::vector<json> rows_varying(const json& report, const std::string& varied) {
  std::vector<json> rows;
  for (const json& row : report["rows"])
    if (row["varied"] == varied) rows.push_back(row);
  return rows;
}

std::vector<std::int64_t> values(const std::vector<json>& rows, const std::string& key) {
  std::vector<std::int64_t> values;
  for (const json& row : rows) values.push_back(row[key]);
  return values;
}

void expect_rows(const json& report) {
  for (const json& row : report["rows"]) {
    SCOPED_TRACE(row.dump());
    for (const char* key : {"blocking_s", "time_s", "ratio", "message_bytes"})
      EXPECT_GT(row[key], 0) << key;
    for (const char* key : {"blocking_communication_s", "communication_s"})
      EXPECT_GE(row[key], 0) << key;
    EXPECT_LT(row["communication_s"], row["time_s"]);
    EXPECT_DOUBLE_EQ(row["ratio"].get<double>(),
                     row["time_s"].get<double>() / row["blocking_s"].get<double>());
  }
}

// 12 planes: 6 on each of two nodes, 3 on each of four.
TEST(OverlapBench, VariesPlanesOnTheMachineAndItsHalves) {
  for (const Arguments& more : {kOnSim, Arguments{}}) {
    const json report = json_of(kOverlapRun + more);
    expect_rows(report);
    const auto rows = rows_varying(report, "planes");
    EXPECT_THAT(values(rows, "nodes"), ElementsAre(2, 2, 2, 4, 4));
    EXPECT_THAT(values(rows, "planes"), ElementsAre(1, 2, 3, 1, 3));
    // A plane of 12 x 12 numbers of 16 bytes, divided among the nodes.
    EXPECT_THAT(values(rows, "message_bytes"), ElementsAre(1152, 2304, 3456, 576, 1728));
  }
}

TEST(OverlapBench, VariesWindowAndTestIntervalOnTheWholeMachine) {
  for (const Arguments& more : {kOnSim, Arguments{}}) {
    const json report = json_of(kOverlapRun + more);
    EXPECT_THAT(values(rows_varying(report, "window"), "window"), ElementsAre(1, 8));
    EXPECT_THAT(values(rows_varying(report, "test_interval"), "test_interval"),
                ElementsAre(1, 1000));
    for (const json& row : report["rows"]) {
      if (row["varied"] == "planes") continue;
      EXPECT_EQ(row["nodes"], 4);
    }
  }
}

TEST(OverlapBench, VariesNodesPerWorkerInWallClockTimeOnly) {
  const json report = json_of(kOverlapRun);
  const auto rows = rows_varying(report, "nodes_per_process");
  EXPECT_THAT(values(rows, "nodes_per_process"), ElementsAre(1, 2, 4));
  EXPECT_THAT(values(rows, "processors"), ElementsAre(4, 2, 1));
  EXPECT_TRUE(rows_varying(json_of(kOverlapRun + kOnSim), "nodes_per_process").empty());
}

TEST(OverlapBench, AgreesWithTimingsInVirtualTime) {
  const json rows = json_of(kOverlapRun + kOnSim)["rows"];
  const json timings = json_of({"fft", "--method", "slab", "--size", "12", "--torus", "4",
                                "--planes", "3", "--timings"})["timings"];
  const json& whole = timings.back();
  const json row = rows_varying({{"rows", rows}}, "planes").back();
  EXPECT_EQ(row["time_s"], whole["non_blocking"]["total"]);
  EXPECT_EQ(row["blocking_s"], whole["blocking"]["total"]);
  EXPECT_EQ(row["communication_left"], whole["ratio"]["exposed"]);
}

TEST(OverlapBench, HidesLessCommunicationIfANodeTestsLessOften) {
  const json report = json_of({"bench", "overlap", "--fabric", "sim", "--size", "32", "--torus",
                               "2", "--planes", "8", "--test-intervals", "1,1000000"});
  const auto rows = rows_varying(report, "test_interval");
  EXPECT_LT(rows[0]["communication_left"], rows[1]["communication_left"]);
}

TEST(OverlapBench, SupportsPaddingAndInverse) {
  for (const Arguments& more : {Arguments{"--box-cut", "2"}, {"--inverse"}}) {
    const json report = json_of(kOverlapRun + kOnSim + more);
    expect_rows(report);
    EXPECT_FALSE(report["rows"].empty());
  }
}

TEST(OverlapBench, PrintsATableForEachVariedQuantity) {
  const Ended ended = run_command(kOverlapRun);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  for (const char* text :
       {"# toroid Overlap Test, forward slab FFT of 12", "\n# planes ", "\n# window ",
        "\n# test_interval ", "\n# nodes_per_process ", "comm left"})
    EXPECT_THAT(ended.out, HasSubstr(text));
}

TEST(OverlapBench, RefusesUnmeasurableSettingsAndUnusedOptions) {
  const TemporaryDirectory directory;
  const auto refuse = [&](const Arguments& more, const std::vector<std::string>& words) {
    expect_refusal(directory, Arguments{"bench", "overlap", "--json", "r.json"} + more, words);
  };
  refuse({"--torus", "1"}, {"at least two nodes"});
  refuse({"--torus", "8", "--size", "4"}, {"4 planes", "8 nodes"});
  refuse({"--planes", "0"}, {"--planes"});
  refuse({"--windows", "33"}, {"--windows", "32"});
  refuse({"--test-intervals", "x"}, {"--test-intervals"});
  refuse({"--fabric", "sim", "--nodes-per-process", "2"}, {"--nodes-per-process", "sim"});
  for (const std::string option : {"--sizes", "--iterations", "--warmup", "--window-size"})
    refuse({option, "8"}, {option + " has no effect on bench overlap"});
  refuse({"--batches", "8"}, {"--batches has no effect on bench overlap"});
  expect_refusal(directory, {"bench", "latency", "--planes", "2"},
                 {"--planes", "bench overlap", "latency"});
}

}  // namespace
}  // namespace toroid::testing
