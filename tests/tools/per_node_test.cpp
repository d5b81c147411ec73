// The figures of single nodes in JSON, CSV and table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

using Row = std::map<std::string, double>;

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream text(line);
  for (std::string field; std::getline(text, field, ',');) fields.push_back(field);
  return fields;
}

/// The lines of a CSV of numbers, by column.
std::vector<Row> rows_of(const std::string& csv) {
  std::istringstream text(csv);
  std::string line;
  std::getline(text, line);
  const std::vector<std::string> columns = fields_of(line);
  std::vector<Row> rows;
  while (std::getline(text, line)) {
    const std::vector<std::string> fields = fields_of(line);
    EXPECT_EQ(fields.size(), columns.size());
    Row& row = rows.emplace_back();
    for (std::size_t c = 0; c < columns.size(); ++c) row[columns[c]] = std::stod(fields.at(c));
  }
  return rows;
}

double sum_of(const std::vector<Row>& rows, const std::string& column) {
  double sum = 0;
  for (const Row& row : rows) sum += row.at(column);
  return sum;
}

/// A run of the command: its result and its CSV.
struct NodeRun {
  json result;
  std::vector<Row> nodes;
};

NodeRun run_with_csv(const Arguments& arguments) {
  const TemporaryDirectory directory;
  const json result = json_of(arguments + Arguments{"--csv", directory / "nodes.csv"});
  return {result, rows_of(directory.content_of("nodes.csv"))};
}

TEST(PerNode, FiguresOfAllNodesAddUpToThoseOfTheRun) {
  for (const Arguments& run :
       {Arguments{"alltoall", "--torus", "4x3", "--bytes", "500"},
        Arguments{"alltoall", "--torus", "4x3", "--bytes", "500", "--machine", "bgp", "--transfer",
                  "put"},
        Arguments{"fft", "--torus", "2x3", "--size", "6x5x7"},
        Arguments{"alltoall", "--torus", "4x3", "--bytes", "500", "--threads", "3"}}) {
    const auto [result, nodes] = run_with_csv(run);
    ASSERT_EQ(nodes.size(), result["nodes"].get<std::size_t>());
    EXPECT_EQ(sum_of(nodes, "sent_packets"), result["packets"].get<double>());
    EXPECT_EQ(sum_of(nodes, "received_packets"), result["packets"].get<double>());
    EXPECT_EQ(sum_of(nodes, "sent_bytes"), sum_of(nodes, "received_bytes"));
    if (run.front() == "alltoall") {
      EXPECT_EQ(sum_of(nodes, "sent_bytes"), 12 * 11 * (270 + 270 + 78));
    }
  }
}

TEST(PerNode, NamesTheFirstAndTheLastToFinishAndTheMostStalled) {
  const auto [result, nodes] =
      run_with_csv({"alltoall", "--torus", "4x4x2", "--bytes", "960", "--policy", "rank"});
  const json& figures = result["per_node"];
  const auto by = [&](const char* column) {
    return std::ranges::minmax_element(nodes, {}, [&](const Row& row) { return row.at(column); });
  };
  EXPECT_EQ(figures["first"]["finished_cycles"], by("finished_cycles").min->at("finished_cycles"));
  EXPECT_EQ(figures["last"]["finished_cycles"], by("finished_cycles").max->at("finished_cycles"));
  EXPECT_EQ(figures["last"]["finished_cycles"], result["cycles"]);
  EXPECT_EQ(figures["most_stalled"]["stalled_cycles"],
            by("stalled_cycles").max->at("stalled_cycles"));
  EXPECT_GT(figures["most_stalled"]["stalled_cycles"], 0);
  ASSERT_EQ(figures["slowest"].size(), 10u);
  EXPECT_EQ(figures["slowest"][0], figures["last"]);
  for (std::size_t i = 1; i < 10; ++i)
    EXPECT_LE(figures["slowest"][i]["finished_cycles"],
              figures["slowest"][i - 1]["finished_cycles"]);
  // A program may end while its last packets wait in output queues, but all arrive within the run.
  for (const Row& row : nodes) {
    EXPECT_GT(row.at("last_sent_cycles"), 0);
    EXPECT_LT(row.at("last_sent_cycles"), result["cycles"].get<double>());
  }
}

TEST(PerNode, CountsWhatTheRootOfAnIncastReceives) {
  const auto [result, nodes] =
      run_with_csv({"alltoall", "--torus", "2x3", "--traffic", "incast:5", "--bytes", "480"});
  const auto root =
      std::ranges::max_element(nodes, {}, [](const Row& row) { return row.at("received_bytes"); });
  EXPECT_EQ(root->at("received_bytes"), 5 * 2 * 270);
  EXPECT_EQ(root->at("sent_bytes"), 0);
  EXPECT_EQ(root->at("last_sent_cycles"), 0);
  EXPECT_EQ(root->at("received_packets"), 5 * 2);
  EXPECT_EQ(result["per_node"]["last"]["received_bytes"], 5 * 2 * 270);
}

TEST(PerNode, IsTheSameForEveryNumberOfThreads) {
  const Arguments run{"alltoall", "--torus", "4x4", "--bytes", "480"};
  const json one = json_of(run + Arguments{"--threads", "1"});
  const json two = json_of(run + Arguments{"--threads", "2"});
  EXPECT_EQ(one["per_node"], two["per_node"]);
  EXPECT_EQ(one["result_hash"], two["result_hash"]);
}

TEST(PerNode, LeavesOutDeadNodes) {
  const json result =
      json_of({"alltoall", "--torus", "4", "--fail-node", "(0)", "--long-way"})["per_node"];
  EXPECT_GT(result["first"]["finished_cycles"], 0);
  EXPECT_EQ(result["slowest"].size(), 3u);
}

TEST(PerNode, LeavesOutNodesWithoutPackets) {
  const TemporaryDirectory directory;
  directory.save("one.csv", "time,src,dst,bytes\n0,7,2,240\n");
  const json one = json_of({"replay", directory / "one.csv", "--torus", "5x5"})["per_node"];
  EXPECT_EQ(one["slowest"].size(), 2u);
  EXPECT_GT(one["first"]["finished_cycles"], 0);
}

TEST(PerNode, OnTheWallClockHasNoStallsAndNoBytesThatAreNotCounted) {
  for (const std::string route : {"direct", "torus"}) {
    const auto [result, nodes] = run_with_csv(Arguments{"alltoall", "--torus", "2x3", "--bytes",
                                                        "480", "--repeat", "3", "--route", route} +
                                              kShm);
    EXPECT_EQ(sum_of(nodes, "sent_packets"), 6 * 5 * 2);
    EXPECT_EQ(sum_of(nodes, "received_packets"), 6 * 5 * 2);
    EXPECT_EQ(sum_of(nodes, "packet_bytes") + sum_of(nodes, "put_bytes"), 6 * 5 * 480);
    const json& figures = result["per_node"];
    EXPECT_GT(figures["first"]["finished_s"], 0);
    EXPECT_LE(figures["first"]["finished_s"], figures["last"]["finished_s"]);
    for (const char* key : {"finished_cycles", "last_sent_cycles", "stalled_cycles", "sent_bytes"})
      EXPECT_FALSE(figures["last"].contains(key)) << key;
    EXPECT_FALSE(figures.contains("most_stalled"));
  }
}

TEST(PerNode, StandsInTheTableAndInCampaigns) {
  const TemporaryDirectory directory;
  EXPECT_THAT(run_command({"alltoall", "--torus", "2x2"}).out,
              ::testing::AllOf(HasSubstr("first to finish"), HasSubstr("last to finish"),
                               HasSubstr("most stalled")));
  const json row = json_of({"compare", "--torus", "2x2", "--policies", "random", "--csv",
                            directory / "rows.csv"})["rows"][0];
  EXPECT_EQ(row["per_node"]["last"]["finished_cycles"], row["cycles"]);
  EXPECT_FALSE(row["per_node"].contains("slowest"));
  EXPECT_THAT(directory.content_of("rows.csv"), HasSubstr("per_node_last_finished_cycles"));
}

}  // namespace
}  // namespace toroid::testing
