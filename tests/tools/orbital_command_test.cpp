// toroid fft --method orbital: compute and ring shift, every kind of transform, every schedule.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <complex>
#include <cstddef>
#include <map>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include "tests/tools/checked_run.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tools/io/npy/npy.hpp"

namespace toroid::testing {
namespace {

using nlohmann::json;

Arguments orbital(const std::string& torus, const std::string& size) {
  return {"fft", "--method", "orbital", "--torus", torus, "--size", size};
}

const Arguments kSmallCube = orbital("2x2x2", "8");

/// There and back, on sim and shm.
void expect_orbital(const Arguments& run) {
  for (const Arguments& more : {Arguments{}, {"--inverse"}, kShm}) expect_right(run + more);
}

TEST(OrbitalCommand, TransformsByEveryKindAndAnyMixture) {
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

TEST(OrbitalCommand, FollowsASchedulingVectorWithAnyMixture) {
  expect_orbital(orbital("3x3x3", "9") + Arguments{"--transform", "dct,dft,dht", "--schedule=-+-"});
}

TEST(OrbitalCommand, WorksAcrossEverySlicingInTheOrderThatTheReportGives) {
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

/// The matrix of the dft made by hand: by it the transform is the dft's, both ways.
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

TEST(OrbitalCommand, GoesThereAndBackAsOftenAsAsked) {
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

TEST(OrbitalCommand, TakesThreeStepsPerNodeOfAnEdge) {
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

TEST(OrbitalCommand, CountsTheStepsOfOneCallHoweverOftenItRuns) {
  const Arguments shm = {"--fabric", "shm", "--repeat", "4"};
  EXPECT_EQ(json_of(kSmallCube + shm)["steps"], 6);
}

TEST(OrbitalCommand, HasThreeQueuesUnlessAskedForOthers) {
  const auto cycles = [](const Arguments& more) {
    return json_of(orbital("3x3x3", "24") + more)["cycles"].get<unsigned>();
  };
  EXPECT_EQ(cycles({}), cycles({"--queues", "3"}));
  EXPECT_GT(cycles({"--queues", "1"}), cycles({}));
}

TEST(OrbitalCommand, PrintsItsSteps) {
  const Ended ended = run_command(kSmallCube);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.out, ::testing::HasSubstr("numbers sent per node in each:"));
}

}  // namespace
}  // namespace toroid::testing
