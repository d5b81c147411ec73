// The command on machines of one to six dimensions, twisted ones, and ones with failed links and
// nodes.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <string>

#include "tests/tools/refusal.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

using nlohmann::json;

constexpr std::array kOneToSix = {
    "6",       "3m",         "3x4",       "4mx2",         "2x3x2m",
    "3x2x1x2", "2x2x3mx1x2", "2x2x2x2x2", "2x1x2mx2x2x3", "2x2x2x2x2x2"};

TEST(Shapes, AnAllToAllRunsInOneToSixDimensions) {
  for (const std::string torus : kOneToSix)
    for (const std::string routing : {"adaptive", "deterministic", "random-order"}) {
      const json result = json_of({"alltoall", "--torus", torus, "--routing", routing});
      const auto nodes = result["nodes"].get<std::uint64_t>();
      EXPECT_EQ(result["torus"], torus);
      EXPECT_EQ(result["packets"], nodes * (nodes - 1));
      EXPECT_LE(result["percent_of_peak"], 100);
    }
}

TEST(Shapes, ATransformIsCorrectInOneToSixDimensions) {
  for (const std::string torus : kOneToSix) {
    const json result =
        json_of({"fft", "--method", "rows", "--size", "8x8x6", "--torus", torus, "--check"});
    EXPECT_LT(result["max_error"], 1e-12) << torus;
  }
}

TEST(Shapes, ATwistedTorusIsFasterThanThePlainOne) {
  const Arguments messages{"--bytes", "960", "--routing", "adaptive"};
  const json plain = json_of(Arguments{"alltoall", "--torus", "4x8"} + messages);
  const json twisted = json_of(Arguments{"alltoall", "--torus", "4x8@XY4"} + messages);
  EXPECT_EQ(twisted["torus"], "4x8@XY4");
  EXPECT_LT(twisted["bound_cycles"], plain["bound_cycles"]);
  EXPECT_LT(twisted["cycles"], plain["cycles"]);
  EXPECT_LE(twisted["percent_of_peak"], 100);
}

TEST(Shapes, ATwistedTorusGivesTheSameResultWithThreads) {
  const Arguments run{"alltoall", "--torus", "4x4x8@XZ4@YZ4", "--bytes", "240"};
  EXPECT_EQ(json_of(run + Arguments{"--threads", "1"})["result_hash"],
            json_of(run + Arguments{"--threads", "2"})["result_hash"]);
}

TEST(Shapes, TransformsRefuseATwistedTorus) {
  const TemporaryDirectory directory;
  for (const std::string command : {"fft", "poisson"})
    expect_refusal(directory, {command, "--torus", "2x4@XY2", "--size", "8"},
                   {"2x4@XY2 is twisted"});
}

TEST(Shapes, RefusalNamesThePairThatAFailedLinkCutsOff) {
  const TemporaryDirectory directory;
  const Arguments run{"alltoall", "--torus", "5x5", "--fail-link", "(0,0)X+"};
  expect_refusal(directory, run, {"no minimal path from (0,0) to (1,0)", "--long-way"});
  expect_refusal(directory, run + Arguments{"--routing", "deterministic"},
                 {"no dimension-ordered path from (0,0) to (1,0)"});
  expect_refusal(directory, {"alltoall", "--torus", "5x5", "--fail-link", "(0,0)Z+"},
                 {"'(0,0)Z+' is not a link of torus 5x5"});
  expect_refusal(directory, {"alltoall", "--torus", "5x5", "--fail-node", "(5,0)"},
                 {"'(5,0)' is not a node of torus 5x5"});
  expect_refusal(directory, {"hello", "--torus", "2x2", "--fail-node", "(0,0)"},
                 {"--fail-node has no effect on", "alltoall or replay"});
}

TEST(Shapes, FailedLinksCutOffOnlyPairsThatExchangeMessages) {
  const TemporaryDirectory directory;
  directory.save("across.csv", "time,src,dst,bytes\n0,0,6,240\n0,1,4,480\n");
  directory.save("along.csv", "time,src,dst,bytes\n0,0,6,240\n0,5,0,480\n");
  const Arguments link{"--fail-link", "(0,0)X+"};
  const Arguments exchange{"alltoall", "--torus", "5x5", "--traffic"};
  const Arguments layout{"redistribute", "--torus", "5x5", "--size", "5x5", "--from"};
  for (const Arguments& run :
       {exchange + Arguments{"lines:Y"}, exchange + Arguments{"lines:X", "--bytes", "0"},
        Arguments{"replay", directory / "across.csv", "--torus", "5x5"},
        layout + Arguments{"slabs:x", "--to", "slabs:x"}}) {
    const json result = json_of(run + link);
    EXPECT_EQ(json_of(run + Arguments{"--fail-link", "(0,0)X+@1"})["result_hash"],
              result["result_hash"]);
  }
  for (const Arguments& run :
       {exchange + Arguments{"lines:X"}, Arguments{"replay", "along.csv", "--torus", "5x5"},
        Arguments{"hello", "--torus", "5x5"},
        Arguments{"redistribute", "--torus", "5x5", "--size", "25x25", "--from", "slabs:x", "--to",
                  "slabs:y"},
        Arguments{"fft", "--torus", "5x5", "--size", "10"},
        Arguments{"poisson", "--torus", "5x5", "--size", "10"}})
    for (const char* cycle : {"", "@1"})
      expect_refusal(directory, run + Arguments{"--fail-link", std::string("(0,0)X+") + cycle},
                     {"no minimal path from (", "pairs that failed links cut off"});
}

TEST(Shapes, RelayedMessagesNeedOnlyThePathsOfTheirRelays) {
  const Ended ended = run_command({"alltoall", "--torus", "5x5", "--policy", "two-phase",
                                   "--fail-link", "(0,0)X+", "--json", "-"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_NE(ended.err.find("failed links cut every path"), std::string::npos) << ended.err;
}

TEST(Shapes, PacketsDetourAroundFailedLinks) {
  const Arguments run{"alltoall",    "--torus", "5x5",         "--bytes", "480",
                      "--fail-link", "(0,0)X+", "--fail-link", "(2,2)Y-", "--long-way"};
  for (const Arguments& fabric : {Arguments{}, Arguments{"--fabric", "shm", "--threads", "2"}}) {
    const json result = json_of(run + fabric);
    EXPECT_EQ(result["packets"], 25 * 24 * 2);
    EXPECT_EQ(result["failed_links"], (json{"(0,0)X+", "(2,2)Y-"}));
    EXPECT_GT(result["packet_hops"],
              json_of({"alltoall", "--torus", "5x5", "--bytes", "480"})["packet_hops"]);
  }
}

TEST(Shapes, FailuresThatHaveNoEffectAreRefused) {
  const TemporaryDirectory directory;
  const Arguments link = {"--fail-link", "(0,0)X+"};
  const Arguments direct = {"--fabric", "shm", "--route", "direct"};
  for (const Arguments& verb : {Arguments{"alltoall"},
                                {"compare"},
                                {"sweep", "--axis", "nodes"},
                                {"fft", "--size", "10"}}) {
    const Arguments run = verb + Arguments{"--torus", "5x5", "--json", "result.json"};
    const std::string needs_torus =
        " with --fabric shm --route direct (it works with --route torus)\n";
    expect_refusal(directory, run + direct + link, {"--fail-link has no effect on ", needs_torus});
    expect_refusal(directory, run + direct + link + Arguments{"--long-way"},
                   {"--fail-link has no effect on ", needs_torus});
    expect_refusal(directory, run + Arguments{"--long-way"},
                   {"toroid: --long-way has no effect on ", " (it works with --fail-link)\n"});
  }
  expect_refusal(directory, {"compare", "--torus", "5x5", "--fail-link", "none", "--long-way"},
                 {"--long-way has no effect on compare", "(it works with --fail-link)"});
}

TEST(Shapes, DeadNodesTakeNoPart) {
  for (const Arguments& fabric : {Arguments{}, Arguments{"--fabric", "shm", "--threads", "2"}}) {
    const json result = json_of(
        Arguments{"alltoall", "--torus", "4x4", "--fail-node", "(1,2)", "--long-way"} + fabric);
    EXPECT_EQ(result["packets"], 15 * 14);
    EXPECT_EQ(result["failed_nodes"], json{"(1,2)"});
    if (fabric.empty()) {
      EXPECT_LE(result["percent_of_peak"], 100);
    }
  }
}

}  // namespace
}  // namespace toroid::testing
