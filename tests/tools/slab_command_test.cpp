// toroid fft --method slab: some planes are sent while others are transformed. The best number of
// planes is measured and kept in wisdom.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "fft/kernels/wisdom_format.hpp"
#include "tests/tools/checked_run.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

Arguments slab(const std::string& torus, const std::string& size) {
  return {"fft", "--method", "slab", "--torus", torus, "--size", size};
}

const Arguments kSmallSlab = slab("4", "24");

/// Checks the forward and inverse transforms on sim and the forward one on shm.
void expect_right_everywhere(const Arguments& run) {
  for (const Arguments& more : {Arguments{}, {"--inverse"}, kEstimate + kShm})
    expect_right(run + more);
}

TEST(SlabCommand, SendsPlanesBeforeAllAreTransformed) {
  for (const std::string planes : {"0", "1", "2", "3", "6"}) {
    expect_right_everywhere(kSmallSlab + Arguments{"--planes", planes});
    EXPECT_EQ(json_of(kSmallSlab + Arguments{"--planes", planes})["planes"], std::stoi(planes));
  }
  const Arguments all = {"--planes", "1", "--real", "--batch", "2", "--return"};
  expect_right_everywhere(slab("2x2", "7x9x5") + all);
}

TEST(SlabCommand, LowersPlanesToADivisorAndReportsIt) {
  // 24 planes on 4 nodes: 6 each.
  for (const auto& [asked, used] : {std::pair{"4", 3}, {"5", 3}, {"7", 6}, {"2147483648", 6}}) {
    const json report = expect_right(kSmallSlab + Arguments{"--planes", asked});
    EXPECT_EQ(report["planes"], used) << asked;
  }
  EXPECT_THAT(run_command(kSmallSlab + Arguments{"--planes", "5"}).out,
              HasSubstr("3 planes at a time"));
}

TEST(SlabCommand, AcceptsWindowsAndTestIntervals) {
  for (const std::string window : {"1", "32"})
    expect_right_everywhere(kSmallSlab + Arguments{"--planes", "1", "--window", window});
  for (const std::string interval : {"1", "7", "1000000"})
    expect_right_everywhere(kSmallSlab + Arguments{"--planes", "1", "--test-interval", interval});
  const json report =
      json_of(kSmallSlab + Arguments{"--planes", "1", "--window", "3", "--test-interval", "5"});
  EXPECT_EQ(report["window"], 3);
  EXPECT_EQ(report["test_interval"], 5);
}

TEST(SlabCommand, HasSeparatePlanesForTheInverse) {
  const Arguments own = {"--planes", "2,3"};
  expect_right_everywhere(kSmallSlab + own);
  const json forward = json_of(kSmallSlab + own);
  const json inverse = json_of(kSmallSlab + own + Arguments{"--inverse"});
  EXPECT_EQ(forward["planes"], 2);
  EXPECT_EQ(inverse["planes"], 3);
  for (const json& report : {forward, inverse}) {
    EXPECT_EQ(report["forward_planes"], 2);
    EXPECT_EQ(report["backward_planes"], 3);
  }
  EXPECT_FALSE(json_of(kSmallSlab + Arguments{"--planes", "3"}).contains("backward_planes"));
  const json tuned = json_of(kSmallSlab + Arguments{"--planes", "2,-1", "--inverse"});
  EXPECT_EQ(tuned["forward_planes"], 2);
  EXPECT_LE(tuned["time_s"], inverse["time_s"]);
}

TEST(SlabCommand, HasSeparatePlanesForABoxCut) {
  const Arguments three = {"--planes", "1,2,3"};
  const auto planes = [&](const Arguments& more) {
    return json_of(kSmallSlab + three + more)["planes"].get<int>();
  };
  EXPECT_EQ(planes({"--box-cut", "2"}), 2);
  EXPECT_EQ(planes({"--box-cut", "2", "--inverse"}), 3);
}

TEST(SlabCommand, StartsTheLastAxisByLinesAndTapersPieces) {
  for (const Arguments& more :
       {Arguments{"--start", "lines"}, {"--taper"}, {"--start", "lines", "--taper"}}) {
    const Arguments run = kSmallSlab + Arguments{"--planes", "2"} + more;
    expect_right_everywhere(run);
    for (const Arguments& put : {Arguments{"--transfer", "packets"}, {"--route", "torus"}})
      expect_right(run + kEstimate + kShm + put);
  }
  const json report =
      json_of(kSmallSlab + Arguments{"--planes", "2", "--start", "lines", "--taper"});
  EXPECT_EQ(report["start"], "lines");
  EXPECT_EQ(report["taper"], true);
  EXPECT_EQ(json_of(kSmallSlab)["start"], "exchange");
}

TEST(SlabCommand, StartByLinesAtLeastHalvesTheWaits) {
  const Arguments run = slab("2x2x2", "48") + Arguments{"--timings", "--planes"};
  const auto wait = [](const json& report) {
    return report["timings"].back()["non_blocking"]["waits"].get<double>();
  };
  const double papers =
      std::min(wait(json_of(run + Arguments{"1"})), wait(json_of(run + Arguments{"2"})));
  EXPECT_LE(wait(json_of(run + Arguments{"1", "--start", "lines"})), papers / 2);
}

TEST(SlabCommand, DividesLinesAmongTheCoresOfANode) {
  const json one = json_of(kSmallSlab + Arguments{"--planes", "1"});
  const json four = expect_right(kSmallSlab + Arguments{"--planes", "1", "--cores", "4"});
  EXPECT_EQ(four["cores"], 4);
  EXPECT_EQ(four["packets"], one["packets"]);
  EXPECT_LT(four["cycles"], one["cycles"]);
  EXPECT_GE(four["cycles"], four["bound_cycles"]);
}

TEST(SlabCommand, TimingsIncludeThePapersPipelineModel) {
  for (const int planes : {1, 2, 4}) {
    const json timings = json_of(
        slab("2x2", "32") + Arguments{"--timings", "--planes", std::to_string(planes)})["timings"];
    const json& model = timings.back()["model"];
    const double lambda = model["plane_s"];
    EXPECT_EQ(model["depth"], 8 / planes);
    EXPECT_EQ(model["piece_bytes"], 32 * 32 * planes * 16);
    EXPECT_NEAR(model["first_overlap_s"], planes * lambda * (8 / planes - 1), 1e-9 * lambda);
    EXPECT_GT(model["hidden_percent"], 0);
    EXPECT_LE(model["hidden_percent"].get<double>(), 100 * (1 - planes / 8.0) + 1e-6);
    EXPECT_EQ(timings.front()["model"]["hidden_percent"], 0) << "one node";
  }
}

TEST(SlabCommand, CutsTheSpectrumsBox) {
  for (const std::string cut : {"1", "1.5", "2", "2.5", "3", "4", "6"})
    for (const std::string planes : {"0", "2"})
      expect_right_everywhere(kSmallSlab + Arguments{"--box-cut", cut, "--planes", planes});
  expect_right_everywhere(slab("2", "6x10x14") + Arguments{"--box-cut", "2", "--batch", "2"});
}

TEST(SlabCommand, SendsOnlyWhatTheBoxCutLeaves) {
  const Arguments run = slab("4", "60");
  const auto packets = [&](const std::string& cut) {
    return json_of(run + Arguments{"--box-cut", cut})["packets"].get<double>();
  };
  const double whole = packets("1");
  EXPECT_NEAR(packets("2") / whole, 1.0 / 4, 0.01);
  EXPECT_NEAR(packets("3") / whole, 1.0 / 9, 0.01);
}

TEST(SlabCommand, FindsTheFastestNumberOfPlanes) {
  const double tuned = json_of(kSmallSlab + Arguments{"--planes", "-1"})["time_s"];
  for (const std::string planes : {"0", "1", "2", "3", "6"})
    EXPECT_LE(tuned, json_of(kSmallSlab + Arguments{"--planes", planes})["time_s"]) << planes;
}

TEST(SlabCommand, FindsTheFastestPlanesForAnInverseWithReturn) {
  const Arguments run = kSmallSlab + Arguments{"--inverse", "--return"};
  const double tuned = json_of(run + Arguments{"--planes", "-1"})["time_s"];
  for (const std::string planes : {"0", "1", "2", "3", "6"})
    EXPECT_LE(tuned, json_of(run + Arguments{"--planes", planes})["time_s"]) << planes;
}

std::vector<std::string> own_lines(const std::string& wisdom) {
  std::vector<std::string> lines;
  std::istringstream text(wisdom);
  for (std::string line; std::getline(text, line);)
    if (line.starts_with("toroid ")) lines.push_back(line);
  return lines;
}

// A process remembers measured planes, so these tests start a new process for each run.

TEST(SlabCommand, StoresTheFastestPlanesInALineOfWisdom) {
  const TemporaryDirectory directory;
  const Surroundings there{.directory = directory.path()};
  const Arguments run = kSmallSlab + Arguments{"--planes", "-1", "--wisdom", "wisdom"};
  const json first = json_by(run_process, run, there);
  const std::vector<std::string> lines = own_lines(directory.content_of("wisdom"));
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(lines[0].ends_with(" = " + first["planes"].dump())) << lines[0];
  EXPECT_EQ(json_by(run_process, run, there)["result_hash"], first["result_hash"]);
  EXPECT_EQ(own_lines(directory.content_of("wisdom")), lines);
}

TEST(SlabCommand, UsesTheFastestPlanesFromWisdom) {
  const TemporaryDirectory directory;
  const Surroundings there{.directory = directory.path()};
  const Arguments run = kSmallSlab + Arguments{"--planes", "-1", "--wisdom", "wisdom"};
  const json first = json_by(run_process, run, there);
  const std::string other = first["planes"] == 2 ? "3" : "2";
  const std::string line = own_lines(directory.content_of("wisdom"))[0];
  directory.save("wisdom",
                 fft::local::formatted_wisdom(line.substr(0, line.rfind(' ') + 1) + other + "\n"));
  EXPECT_EQ(json_by(run_process, run, there)["planes"].dump(), other);
}

TEST(SlabCommand, IgnoresInvalidPlanesInWisdom) {
  const TemporaryDirectory directory;
  const Surroundings there{.directory = directory.path()};
  const Arguments run = kSmallSlab + Arguments{"--planes", "-1", "--wisdom", "wisdom"};
  const json first = json_by(run_process, run, there);
  const std::string line = own_lines(directory.content_of("wisdom"))[0];
  for (const std::string planes : {"-1", "-7", "9", "99999999999999999999", "x", ""}) {
    directory.save("wisdom", fft::local::formatted_wisdom(line.substr(0, line.rfind(' ') + 1) +
                                                          planes + "\n"));
    EXPECT_EQ(json_by(run_process, run, there)["planes"], first["planes"]) << planes;
  }
}

TEST(SlabCommand, WisdomHoldsFftwsPlansAndThePlanes) {
  const TemporaryDirectory directory;
  const Surroundings there{.directory = directory.path()};
  const Arguments run = slab("2", "12") + Arguments{"--fabric", "shm",     "--planes", "-1",
                                                    "--plan",   "measure", "--wisdom", "wisdom"};
  json_by(run_process, run, there);
  const std::string wisdom = directory.content_of("wisdom");
  EXPECT_EQ(own_lines(wisdom).size(), 1U);
  EXPECT_THAT(wisdom, HasSubstr("fftw_wisdom"));
  json_by(run_process, run, there);
  EXPECT_EQ(own_lines(directory.content_of("wisdom")).size(), 1U);
  json_by(run_process, {"fft", "--torus", "2", "--size", "8", "--wisdom", "wisdom"}, there);
  EXPECT_EQ(own_lines(directory.content_of("wisdom")), own_lines(wisdom));
}

// Tests of the table of blocks that --timings prints.

constexpr const char* kBlocks[] = {"allocate",      "plane_loop", "waits", "last_axis",
                                   "deallocate",    "compute",    "pack",  "unpack",
                                   "communication", "exposed",    "total"};

/// Checks the timings of the blocking or non-blocking version. On one node nothing is packed or
/// unpacked.
void expect_version(const json& version, unsigned nodes) {
  EXPECT_TRUE(version["planes"].is_number_unsigned()) << version;
  for (const char* block : kBlocks) {
    ASSERT_TRUE(version[block].is_number()) << block;
    EXPECT_GE(version[block], 0) << block;
  }
  EXPECT_GT(version["total"], 0);
  EXPECT_GT(version["compute"], 0);
  const auto seconds = [&](const char* block) { return version[block].get<double>(); };
  EXPECT_NEAR(seconds("compute") + seconds("pack") + seconds("unpack") + seconds("communication"),
              seconds("total"), 1e-9 * seconds("total"));
  EXPECT_GE(version["exposed"], version["communication"]);
  EXPECT_LE(seconds("exposed"), (1 + 1e-9) * (seconds("total") - seconds("compute")));
  if (nodes == 1) return;
  EXPECT_GT(version["pack"], 0);
  EXPECT_GT(version["unpack"], 0);
}

void expect_timings(const json& timings, const std::vector<unsigned>& nodes) {
  ASSERT_EQ(timings.size(), nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    EXPECT_EQ(timings[i]["nodes"], nodes[i]);
    expect_version(timings[i]["blocking"], nodes[i]);
    expect_version(timings[i]["non_blocking"], nodes[i]);
    EXPECT_EQ(timings[i]["blocking"]["planes"], 0);
    EXPECT_GE(timings[i]["non_blocking"]["planes"], 1);
    for (const char* block : kBlocks) EXPECT_TRUE(timings[i]["ratio"].contains(block)) << block;
    EXPECT_DOUBLE_EQ(timings[i]["ratio"]["total"].get<double>(),
                     timings[i]["non_blocking"]["total"].get<double>() /
                         timings[i]["blocking"]["total"].get<double>());
  }
}

TEST(SlabCommand, TimesItsBlocksOnPartsOfTheMachineUpToAllNodes) {
  const Arguments timings = {"--timings"};
  expect_timings(json_of(slab("4x2", "16") + timings)["timings"], {1, 2, 4, 8});
  expect_timings(json_of(slab("6", "12") + timings)["timings"], {1, 3, 6});
  expect_timings(json_of(slab("1", "4") + timings)["timings"], {1});
  for (const std::string route : {"direct", "torus"})
    for (const std::string threads : {"1", "2"})
      expect_timings(json_of(slab("2x2", "8") + timings + kEstimate + kShm +
                             Arguments{"--route", route, "--threads", threads})["timings"],
                     {1, 2, 4});
  expect_timings(json_of(slab("2x2", "8") + timings + kEstimate + kShm +
                         Arguments{"--transfer", "packets"})["timings"],
                 {1, 2, 4});
  expect_timings(json_of(slab("4", "8") + timings + Arguments{"--inverse", "--real"})["timings"],
                 {1, 2, 4});
}

TEST(SlabCommand, TimesTheGivenNumberOfPlanes) {
  const json timings =
      json_of(slab("4", "16") + Arguments{"--timings", "--planes", "2"})["timings"];
  for (const json& machine : timings) EXPECT_EQ(machine["non_blocking"]["planes"], 2);
}

TEST(SlabCommand, PrintsTheTimingsOfTheBlockingAndNonBlockingVersions) {
  const Ended ended = run_command(slab("4", "16") + Arguments{"--timings"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  for (const std::string text :
       {"blocking, s", "non-blocking, s (ratio)", "1 nodes", "4 nodes", "plane_loop", "waits",
        "last_axis", "compute", "pack", "unpack", "communication", "total"})
    EXPECT_THAT(ended.out, HasSubstr(text));
}

TEST(SlabCommand, ExplainsUnpackingIfMessagesMayMoveByPut) {
  const Arguments timings = slab("2", "8") + Arguments{"--timings"} + kEstimate + kShm;
  EXPECT_THAT(run_command(timings).out, HasSubstr("unpack of puts"));
  for (const Arguments& more : {Arguments{"--transfer", "packets"}, {"--route", "torus"}})
    EXPECT_THAT(run_command(timings + more).out, ::testing::Not(HasSubstr("unpack of puts")));
}

TEST(SlabCommand, OmitsTimingsByDefault) {
  EXPECT_FALSE(json_of(kSmallSlab).contains("timings"));
}

/// On 2x2x2 nodes the processors take longer than the links, and nothing is left to hide.
TEST(SlabCommand, HidesAtLeastHalfOfItsCommunication) {
  const json report = json_of(slab("4x4", "64") + Arguments{"--timings"});
  for (const json& machine : report["timings"]) {
    if (machine["nodes"] < 4) continue;
    SCOPED_TRACE(machine["torus"]);
    EXPECT_LE(machine["ratio"]["communication"], 0.5);
    EXPECT_LE(machine["ratio"]["waits"], 0.5);
    EXPECT_LE(machine["ratio"]["exposed"], 0.5);
    EXPECT_LE(machine["ratio"]["total"], 1);
  }
}

}  // namespace
}  // namespace toroid::testing
