// toroid fft --method orbital: its steps of computing and shifting, every kind of transform, every
// schedule.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include "tests/tools/checked_run.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tools/files/npy.hpp"

namespace toroid::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

Arguments orbital(const std::string& torus, const std::string& size) {
  return {"fft", "--method", "orbital", "--torus", torus, "--size", size};
}

const Arguments kSmallCube = orbital("2x2x2", "8");

/// Checks the forward and inverse transforms on sim and the forward one on shm.
void expect_orbital(const Arguments& run) {
  for (const Arguments& more : {Arguments{}, {"--inverse"}, kShm}) expect_right(run + more);
}

TEST(OrbitalCommand, TransformsByEveryKindAndByMixtures) {
  for (const std::string kinds :
       {"dct", "dht", "wht", "dst", "dct,dht,wht", "dft,wht,dct", "wht,dft,dst"}) {
    expect_orbital(kSmallCube + Arguments{"--transform", kinds});
    EXPECT_EQ(json_of(kSmallCube + Arguments{"--transform", kinds})["transform"], kinds);
  }
}

TEST(OrbitalCommand, TransformsRealDataByRealKinds) {
  for (const std::string kinds : {"dct", "dht", "wht", "dct,dht,wht"})
    expect_orbital(kSmallCube + Arguments{"--real", "--transform", kinds});
}

TEST(OrbitalCommand, FollowsEverySchedulingVector) {
  for (const std::string schedule : {"+++", "++-", "+-+", "+--", "-++", "-+-", "--+", "---"}) {
    const Arguments run = orbital("3x3x3", "6") + Arguments{"--schedule=" + schedule};
    expect_orbital(run);
    EXPECT_EQ(json_of(run)["schedule"], schedule);
  }
}

TEST(OrbitalCommand, FollowsASchedulingVectorWithAMixtureOfKinds) {
  expect_orbital(orbital("3x3x3", "9") + Arguments{"--transform", "dct,dft,dht", "--schedule=-+-"});
}

TEST(OrbitalCommand, ReportsTheStageOrderOfEverySlicing) {
  const std::map<std::string, std::string> orders = {{"x", "zyx"}, {"y", "zxy"}, {"z", "yxz"}};
  for (const auto& [slicing, stages] : orders) {
    const Arguments run = orbital("2x2x2", "4x6x2") + Arguments{"--slicing", slicing};
    expect_orbital(run);
    EXPECT_EQ(json_of(run)["stages"], stages);
    EXPECT_EQ(json_of(run)["slicing"], slicing);
  }
  const Arguments other = kSmallCube + Arguments{"--stages", "xyz"};
  EXPECT_EQ(json_of(other)["slicing"], "z");
  EXPECT_EQ(json_of(kSmallCube)["stages"], "zxy");
}

/// The DFT's matrix, read from a file, gives the same result as dft, forward and inverse.
TEST(OrbitalCommand, TransformsByMatricesFromFiles) {
  const TemporaryDirectory directory;
  std::vector<std::complex<double>> values;
  for (int k = 0; k < 6; ++k)
    for (int n = 0; n < 6; ++n)
      values.push_back(std::polar(1.0, -2 * std::numbers::pi * k * n / 6));
  std::ostringstream file;
  write_npy(file, std::vector<std::size_t>{6, 6}, values);
  directory.save("dft.npy", file.str());
  const std::string matrix = "matrix:" + (directory.path() / "dft.npy").string();
  for (const Arguments& way : {Arguments{}, {"--inverse"}}) {
    const Arguments run = orbital("2x2x2", "8x6x4") + way;
    const auto written = [&](const std::string& transform) {
      const std::string out = (directory.path() / "out.npy").string();
      expect_right(run + Arguments{"--out", out, "--transform", transform});
      return read_npy(out).values;
    };
    const auto ours = written("dct," + matrix + ",dft");
    const auto theirs = written("dct,dft,dft");
    ASSERT_EQ(ours.size(), theirs.size());
    for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_LT(std::abs(ours[i] - theirs[i]), 1e-11);
  }
  expect_orbital(orbital("3x3x3", "6") + Arguments{"--transform", matrix});
}

TEST(OrbitalCommand, LoopsForwardAndInverse) {
  for (const std::string kinds : {"dft", "dct,dst,dht"}) {
    const json report =
        expect_right(orbital("2x2x2", "4x6x2") + Arguments{"--loop", "3", "--transform", kinds});
    EXPECT_EQ(report["loops"], 3);
    EXPECT_EQ(report["scale"], "1/N");
    EXPECT_EQ(report["phases"].size(), 6);
  }
  expect_right(orbital("2x2x2", "4") +
               Arguments{"--loop", "2", "--fabric", "shm", "--repeat", "2"});
}

TEST(OrbitalCommand, TakesThreeStepsPerNodeAlongAnEdge) {
  for (const unsigned edge : {1U, 2U, 3U, 4U}) {
    const std::string torus = fmt::format("{0}x{0}x{0}", edge);
    const json report = json_of(orbital(torus, "12"));
    EXPECT_EQ(report["steps"], 3 * edge);
    EXPECT_EQ(report["numbers_per_step"].size(), 3 * edge);
    if (edge == 1) continue;
    for (const json& numbers : report["numbers_per_step"]) EXPECT_GT(numbers, 0);
  }
}

TEST(OrbitalCommand, SendsToNearestNeighboursOnly) {
  for (const std::string torus : {"2x2x2", "3x3x3", "4x4x4"}) {
    const json report = json_of(orbital(torus, "12"));
    EXPECT_GT(report["packets"], 0);
    EXPECT_EQ(report["packet_hops"], report["packets"]);
  }
}

TEST(OrbitalCommand, CountsTheStepsOfOneCallWhenRepeated) {
  const Arguments shm = {"--fabric", "shm", "--repeat", "4"};
  EXPECT_EQ(json_of(kSmallCube + shm)["steps"], 6);
}

TEST(OrbitalCommand, HasThreeQueuesByDefault) {
  const auto cycles = [](const Arguments& more) {
    return json_of(orbital("3x3x3", "24") + more)["cycles"].get<unsigned>();
  };
  EXPECT_EQ(cycles({}), cycles({"--queues", "3"}));
  EXPECT_GT(cycles({"--queues", "1"}), cycles({}));
}

TEST(OrbitalCommand, PrintsItsStepsAndTheTimeOfEachStage) {
  const Ended ended = run_command(kSmallCube);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("numbers sent per node in each:"));
  EXPECT_THAT(ended.out, HasSubstr("computing    waiting      bound"));
}

TEST(OrbitalCommand, ReportsTimeAndBoundOfEachStage) {
  for (const Arguments& way : {Arguments{},
                               {"--inverse"},
                               {"--variant", "bcr"},
                               {"--batch", "2"},
                               {"--batch", "3"},
                               {"--batch", "2", "--transform", "fft"}}) {
    const json report = json_of(orbital("3x3x3", "12") + way);
    std::string axes;
    std::uint64_t cycles = 0;
    for (const json& stage : report["stage_times"]) {
      axes += stage["axis"].get<std::string>();
      cycles += stage["cycles"].get<std::uint64_t>();
      EXPECT_GE(stage["cycles"], stage["bound_cycles"]);
      EXPECT_GE(stage["cycles"], stage["computing_cycles"]);
    }
    EXPECT_EQ(axes, way == Arguments{"--inverse"} ? "yxz" : "zxy");
    EXPECT_LE(cycles, report["cycles"].get<std::uint64_t>());
  }
  const json on_rings = json_of(kSmallCube + Arguments{"--fabric", "shm"});
  ASSERT_EQ(on_rings["stage_times"].size(), 3);
  for (const json& stage : on_rings["stage_times"]) EXPECT_GT(stage["time_s"], 0);
}

TEST(OrbitalCommand, TransformsABatchTwoArraysAtATime) {
  for (const std::string batch : {"2", "3", "4"})
    expect_orbital(orbital("3x3x3", "6") + Arguments{"--batch", batch});
  const auto cycles = [](const std::string& batch) {
    return json_of(orbital("3x3x3", "12") + Arguments{"--batch", batch})["cycles"].get<double>();
  };
  EXPECT_LT(cycles("2"), 2 * cycles("1"));
  EXPECT_NEAR(cycles("4") / cycles("2"), 2, 1e-4);  // a pair begins when the previous one ends
}

TEST(OrbitalCommand, TransformsByBroadcasts) {
  for (const std::string variant : {"bcr", "bbc"}) {
    const Arguments by = {"--variant", variant};
    for (const std::string torus : {"1x1x1", "2x2x2", "3x3x3"})
      expect_orbital(orbital(torus, "6") + by);
    expect_orbital(orbital("2x2x2", "4x6x2") + by +
                   Arguments{"--transform", "dct,dht,wht", "--stages", "xyz", "--batch", "2"});
    const json report = json_of(kSmallCube + by);
    EXPECT_EQ(report["variant"], variant);
    EXPECT_FALSE(report.contains("schedule"));
    EXPECT_EQ(report["packet_hops"], report["packets"]);
  }
}

TEST(OrbitalCommand, StageBoundsCountArraysTransformedTogether) {
  const auto bounds = [](const std::string& batch) {
    std::vector<std::uint64_t> cycles;
    const json report = json_of(orbital("3x3x3", "12") + Arguments{"--batch", batch});
    for (const json& stage : report["stage_times"]) cycles.push_back(stage["bound_cycles"]);
    return cycles;
  };
  const auto of_one = bounds("1");
  const auto of_two = bounds("2");
  ASSERT_EQ(of_one.size(), 3);
  for (std::size_t s = 0; s < of_one.size(); ++s) {
    EXPECT_GT(of_two[s], of_one[s]);
    EXPECT_LE(of_two[s], 2 * of_one[s]);
  }
  EXPECT_EQ(bounds("3"), of_one);  // the last group is the third array alone
  EXPECT_EQ(bounds("4"), of_two);
}

/// If nodes pass pointers instead of packets, the products of a block are computed where the block
/// is.
TEST(OrbitalCommand, PassesPointersIfNodesShareMemory) {
  const Arguments shm = orbital("2x2x2", "16") + Arguments{"--fabric", "shm"};
  for (const std::string transfer : {"packets", "put", "auto"})
    expect_right(shm + Arguments{"--transfer", transfer, "--batch", "3"});
  const json by_packets = json_of(shm + Arguments{"--transfer", "packets"});
  const json by_pointers = json_of(shm + Arguments{"--transfer", "put"});
  EXPECT_EQ(by_packets["transfer"], "packets");
  EXPECT_EQ(by_pointers["transfer"], "put");
  EXPECT_LT(by_pointers["packets"], by_packets["packets"]);
  EXPECT_LT(by_pointers["bytes_per_process"], by_packets["bytes_per_process"]);
  EXPECT_EQ(json_of(shm)["packets"], by_pointers["packets"]);
}

/// Returns the array that the run writes with --out.
std::vector<std::complex<double>> written_by(const Arguments& run) {
  const TemporaryDirectory directory;
  const std::string out = (directory.path() / "out.npy").string();
  expect_right(run + Arguments{"--out", out});
  return read_npy(out).values;
}

TEST(OrbitalCommand, TransformsByFactorsInTheNaturalOrder) {
  for (const std::string kinds : {"fft", "fft,dct,dft", "dht,fft,fft"}) {
    const Arguments by = {"--transform", kinds};
    expect_orbital(orbital("3x3x3", "6x9x3") + by + Arguments{"--stages", "xzy"});
    expect_right(kSmallCube + by + Arguments{"--batch", "3", "--return"});
    expect_right(kSmallCube + by + Arguments{"--loop", "2"});
    expect_right(kSmallCube + by + Arguments{"--fabric", "shm", "--transfer", "packets"});
    EXPECT_EQ(json_of(kSmallCube + by)["transform"], kinds);
  }
  for (const Arguments& way : {Arguments{}, {"--inverse"}}) {
    const auto ours = written_by(kSmallCube + way + Arguments{"--transform", "fft"});
    const auto theirs = written_by(kSmallCube + way);
    ASSERT_EQ(ours.size(), theirs.size());
    for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_LT(std::abs(ours[i] - theirs[i]), 1e-11);
  }
}

TEST(OrbitalCommand, ComputesLessByFactorsThanByMatrices) {
  const auto computing = [](const std::string& kind) {
    return json_of(orbital("2x2x2", "32") +
                   Arguments{"--transform", kind})["stage_times"][0]["computing_cycles"]
        .get<double>();
  };
  EXPECT_LT(computing("fft"), computing("dft") / 5);
}

TEST(OrbitalCommand, RefusesOptionsThatDoNotFitTheKindOfTransform) {
  const Arguments by = {"--kernel", "kissfft", "--transform"};
  expect_right(kSmallCube + by + Arguments{"fft"});
  EXPECT_EQ(run_command(kSmallCube + by + Arguments{"dft"}).exit_code, 2);
  EXPECT_EQ(run_command(kSmallCube + Arguments{"--plan", "measure"}).exit_code, 2);
  expect_right(kSmallCube + Arguments{"--plan", "measure", "--transform", "fft"});
  EXPECT_EQ(run_command(kSmallCube + Arguments{"--transform", "fft", "--real"}).exit_code, 2);
  EXPECT_EQ(run_command(kSmallCube + Arguments{"--transform", "fft", "--variant", "bbc"}).exit_code,
            2);
  EXPECT_EQ(run_command({"fft", "--size", "8", "--torus", "2x2x2", "--transform", "fft"}).exit_code,
            2);
}

}  // namespace
}  // namespace toroid::testing
