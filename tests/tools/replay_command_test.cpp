// toroid replay and --export: one fabric repeats the run of another.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "tests/tools/refusal.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

using nlohmann::json;

/// Runs with --export to `file` and returns the result.
json exported(const TemporaryDirectory& directory, const Arguments& run, const char* file) {
  return json_of(run + Arguments{"--export", file}, {.directory = directory.path()});
}

json replayed(const TemporaryDirectory& directory, const char* file, const Arguments& more = {}) {
  return json_of(Arguments{"replay", file, "--torus", "2x3"} + more,
                 {.directory = directory.path()});
}

const Arguments kExchange = {"alltoall", "--torus", "2x3", "--bytes", "700"};
const Arguments kTransform = {"fft", "--torus", "2x3", "--size", "12x12", "--method", "rows"};

/// Returns the CSV file's rows without their times, sorted: source, destination, bytes.
std::vector<std::string> matrix_of(const TemporaryDirectory& directory, const char* file) {
  std::vector<std::string> rows;
  std::istringstream text(directory.content_of(file));
  for (std::string row; std::getline(text, row);) rows.push_back(row.substr(row.find(',')));
  std::sort(rows.begin(), rows.end());
  return rows;
}

/// Hops of a barrier on the 2x3 torus: in three rounds each node sends to the node 1, 2 and 4 ranks
/// further.
std::uint64_t barrier_hops() {
  const Shape shape = Shape::parse("2x3");
  std::uint64_t hops = 0;
  for (const Rank distance : {1u, 2u, 4u})
    for (Rank node = 0; node < 6; ++node)
      hops += minimal_hops(shape, shape.coord(node), shape.coord((node + distance) % 6));
  return hops;
}

TEST(ReplayCommand, ModelReplaysAShmRunIncludingItsBarrier) {
  const TemporaryDirectory directory;
  for (const Arguments& run : {kExchange, kTransform})
    for (const char* file : {"run.goal", "run.csv"}) {
      const std::uint64_t barriers = run == kTransform ? 1 : 0;  // the run does not count them
      const json first = exported(directory, run + kShm + Arguments{"--route", "torus"}, file);
      const json again = replayed(directory, file);
      const auto packets = first["packets"].get<std::uint64_t>() + barriers * 3 * 6;
      const auto hops = first["packet_hops"].get<std::uint64_t>() + barriers * barrier_hops();
      EXPECT_EQ(again["packets"], packets) << run[0] << ' ' << file;
      EXPECT_EQ(again["packet_hops"], hops) << run[0] << ' ' << file;
      EXPECT_EQ(again["time_kind"], "virtual");
    }
}

TEST(ReplayCommand, ExportsTheSameMessagesFromEveryFabric) {
  const TemporaryDirectory directory;
  for (const Arguments& run : {kExchange, kTransform + kEstimate}) {
    exported(directory, run, "sim.csv");
    exported(directory, run + kShm, "shm.csv");
    EXPECT_EQ(matrix_of(directory, "sim.csv"), matrix_of(directory, "shm.csv")) << run[0];
  }
}

/// On the model the run and its replay start the messages at the same times and in the same order,
/// and nothing else takes time.
TEST(ReplayCommand, TakesTheTimeOfTheExportedExchange) {
  const TemporaryDirectory directory;
  const json first = exported(directory, kExchange, "run.goal");
  const json again = replayed(directory, "run.goal");
  EXPECT_EQ(again["cycles"], first["cycles"]);
  EXPECT_EQ(again["bounds"]["hottest_link"], first["bounds"]["hottest_link"]);
}

TEST(ReplayCommand, TakesNearlyTheTimeOfTheExportedTransform) {
  const TemporaryDirectory directory;
  const json first = exported(directory, kTransform, "run.goal");
  const json again = replayed(directory, "run.goal");
  const double ratio = again["cycles"].get<double>() / first["cycles"].get<double>();
  EXPECT_NEAR(ratio, 1, 0.1);
  EXPECT_GE(again["cycles"], again["bound_cycles"]);
}

constexpr const char* kTwo =
    "num_ranks 2\nrank 0 {\nsend 240b to 1\n}\nrank 1 {\nrecv 240b from 0\n}\n";

TEST(ReplayCommand, ReportsTimeBoundAndLatency) {
  const TemporaryDirectory directory;
  directory.save("two.goal", kTwo);
  const json report = replayed(directory, "two.goal");
  const std::uint64_t cycles = 150 + 69 + 270 * 4 + 200;
  EXPECT_EQ(report["cycles"], cycles);
  EXPECT_EQ(report["bound_cycles"], cycles);
  EXPECT_EQ(report["bounds"]["critical_path"], cycles);
  EXPECT_EQ(report["bound_by"], "latency");
  EXPECT_EQ(report["percent_of_bound"], 100);
  EXPECT_EQ(report["latency_cycles"]["p50"], cycles);
  EXPECT_EQ(report["latency_cycles"]["p99"], cycles);
  EXPECT_EQ(report["messages"], 1);
  EXPECT_EQ(report["result_hash"], replayed(directory, "two.goal")["result_hash"]);
  const json rings = replayed(directory, "two.goal", kShm);
  EXPECT_EQ(rings["packets"], 1);
  EXPECT_TRUE(rings.contains("latency_s"));
  EXPECT_FALSE(rings.contains("latency_cycles"));
}

TEST(ReplayCommand, ReplaysARunWithoutMessages) {
  const TemporaryDirectory directory;
  exported(directory, {"alltoall", "--torus", "2x3", "--bytes", "0"}, "none.csv");
  EXPECT_EQ(replayed(directory, "none.csv")["messages"], 0);
}

TEST(ReplayCommand, RefusesBadFilesAndOptions) {
  const TemporaryDirectory directory;
  directory.save("two.goal", kTwo);
  directory.save("bad.goal", "num_ranks 1\nrank 0 {\nsend 1b\n}\n");
  directory.save("lost.goal", "num_ranks 1\nrank 0 {\nsend 1b to 0\n}\n");
  directory.save("bad.csv", "time,src,dst,bytes\n0,0,9,1\n");
  std::filesystem::create_symlink("/dev/zero", directory / "endless.goal");
  const auto refuse = [&](const Arguments& arguments, const std::vector<std::string>& words) {
    expect_refusal(directory, with_outputs(arguments), words);
  };
  const auto on = [](const char* file, const char* torus) {
    return Arguments{"replay", file, "--torus", torus};
  };
  for (const char* output : {"--json", "--record", "--trace"})
    expect_refusal(directory, on("two.goal", "2") + Arguments{output, "two.goal"},
                   {"two.goal", "are the same file"});
  refuse(on("two.goal", "2") + Arguments{"--order", "rank"}, {"--order", "no effect on replay"});
  refuse(on("two.goal", "2") + Arguments{"--trace-limit", "3"}, {"--trace-limit", "--trace"});
  refuse(on("two.goal", "1"), {"two.goal:1: expected a number of ranks", "at most 1"});
  refuse(on("bad.goal", "2"), {"bad.goal:3: expected 'to', not the end of the line"});
  refuse(on("lost.goal", "2"), {"lost.goal:3: 1 bytes from 0 to 0 with tag 0 are never received"});
  refuse(on("bad.csv", "2x2"), {"bad.csv:2: expected the rank of a destination of at most 3"});
  refuse(on("two.txt", "2"), {"two.txt: expected a name that ends in .goal or .csv"});
  refuse(on("none.goal", "2"), {"none.goal: cannot be read"});
  refuse(on("endless.goal", "2"), {"endless.goal: expected at most 67108864 bytes from a pipe"});
  refuse(on("two.goal", "2x2") + Arguments{"--fail-node", "(0,1)"},
         {"two.goal:3: rank 1 is node (0,1), which is dead"});
  refuse(kExchange + Arguments{"--export", "x.txt"}, {"x.txt: expected a name that ends in"});
  refuse(kExchange + Arguments{"--export", "no/x.csv"}, {"no/x.csv"});
}

}  // namespace
}  // namespace toroid::testing
