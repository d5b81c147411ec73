// toroid fft by every method: correct on sim and shm, and reproducible.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "tests/tools/checked_run.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/values.hpp"

namespace toroid::testing {
namespace {

using nlohmann::json;

/// A method, with a torus and a size that it accepts.
struct Setting {
  std::string method;
  std::string torus;
  std::string size;

  Arguments run(const Arguments& more) const {
    return Arguments{"fft", "--method", method, "--torus", torus, "--size", size} + more;
  }
};

const std::vector<Setting> kSettings = {{"volumetric", "2x3x2", "6x7x8"},
                                        {"slab", "2x3", "7x8x9"},
                                        {"orbital", "2x2x2", "6"},
                                        {"rows", "2x3", "5x6x7"}};

constexpr double kSingle = 1e-5;

/// Expects correct results with these options: forward and inverse on sim, inverse on shm.
void expect_right_everywhere(const Setting& setting, const Arguments& more,
                             double tolerance = kTolerance) {
  for (const Arguments& run :
       {Arguments{}, {"--inverse"}, kEstimate + kShm + Arguments{"--inverse"}})
    expect_right(setting.run(more) + run, tolerance);
}

TEST(FftMethods, MatchASerialTransform) {
  for (const Setting& setting : kSettings) {
    expect_right_everywhere(setting, {});
    expect_right(setting.run(kEstimate + kShm));
  }
}

TEST(FftMethods, TransformRealDataOfEvenAndOddLength) {
  for (Setting setting : kSettings) {
    if (setting.method == "orbital") continue;
    for (const std::string size : {"6x7x8", "8x6x7", "4x5x1"}) {
      setting.size = size;
      setting.torus = "2x2";
      expect_right_everywhere(setting, {"--real"});
    }
  }
}

TEST(FftMethods, MatchFftwWithKissFftKernels) {
  for (Setting setting : kSettings) {
    if (setting.method == "orbital") continue;
    for (const std::string precision : {"double", "single"})
      for (const Arguments& data : {Arguments{}, {"--real"}})
        expect_right_everywhere(setting,
                                data + Arguments{"--kernel", "kissfft", "--precision", precision},
                                precision == "single" ? kSingle : kTolerance);
  }
}

TEST(FftMethods, ReportTheirKernelLibrary) {
  const Setting setting = kSettings.front();
  EXPECT_EQ(json_of(setting.run({}))["kernel"], "fftw");
  const json report = json_of(setting.run({"--kernel", "kissfft"}));
  EXPECT_EQ(report["kernel"], "kissfft");
  EXPECT_EQ(report["result_hash"],
            json_of(setting.run({"--kernel", "kissfft", "--threads", "2"}))["result_hash"]);
  EXPECT_FALSE(json_of({"fft", "--method", "orbital", "--torus", "2x2x2", "--size", "6"})
                   .contains("kernel"));
}

TEST(FftMethods, TransformInSinglePrecision) {
  for (const Setting& setting : kSettings) {
    expect_right_everywhere(setting, {"--precision", "single"}, kSingle);
    const json report = expect_right(setting.run({"--precision", "single"}), kSingle);
    EXPECT_GT(report["l2_error"], 1e-12);
    EXPECT_EQ(report["precision"], "single");
  }
}

TEST(FftMethods, TransformRealDataInSinglePrecision) {
  for (const Setting& setting : kSettings)
    if (setting.method != "orbital")
      expect_right_everywhere(setting, {"--real", "--precision", "single"}, kSingle);
}

TEST(FftMethods, TransformABatchOfArraysInOneCall) {
  for (const Setting& setting : kSettings) {
    expect_right_everywhere(setting, {"--batch", "3"});
    EXPECT_EQ(json_of(setting.run({"--batch", "3"}))["batch"], 3);
    if (setting.method != "orbital")
      expect_right(setting.run({"--batch", "2", "--real", "--precision", "single"}), kSingle);
  }
}

TEST(FftMethods, ScaleAsAsked) {
  for (const Setting& setting : kSettings)
    for (const std::string scale : {"none", "1/N", "1/sqrt(N)"})
      expect_right_everywhere(setting, {"--scale", scale});
}

TEST(FftMethods, ReturnTheResultToTheInputsLayout) {
  for (const Setting& setting : kSettings) {
    expect_right_everywhere(setting, {"--return"});
    EXPECT_GT(json_of(setting.run({"--return"}))["packets"], json_of(setting.run({}))["packets"]);
  }
}

TEST(FftMethods, TransformOnOneNodeWithoutAPacket) {
  for (Setting setting : kSettings) {
    for (const std::string torus : {"1", "1x1x1"}) {
      setting.torus = torus;
      EXPECT_EQ(expect_right(setting.run({}))["packets"], 0);
    }
    setting.size = "1";
    expect_right_everywhere(setting, {});
    expect_right_everywhere(setting, {"--batch", "2", "--scale", "1/N", "--return"});
  }
}

TEST(FftMethods, RowsTakesTwoToSixAxes) {
  for (const std::string size : {"12x10", "4x6x5", "3x4x5x6", "2x3x4x3x2", "2x3x2x3x2x4"})
    for (const Arguments& more : {Arguments{}, {"--real", "--batch", "2", "--return"}})
      expect_right_everywhere({"rows", "2x3", size}, more);
}

TEST(FftMethods, GiveEqualResultsEveryTime) {
  for (const Setting& setting : kSettings)
    for (const Arguments& fabric : {Arguments{}, kEstimate + kShm}) {
      const Arguments run = setting.run(fabric);
      EXPECT_EQ(json_of(run)["result_hash"], json_of(run)["result_hash"]) << setting.method;
    }
}

TEST(FftMethods, ReportTheirSettings) {
  for (const Setting& setting : kSettings) {
    const json report = json_of(setting.run({"--scale", "1/N"}));
    EXPECT_EQ(report["method"], setting.method);
    EXPECT_EQ(report["transform"], "dft");
    EXPECT_EQ(report["data"], "complex");
    EXPECT_EQ(report["precision"], "double");
    EXPECT_EQ(report["batch"], 1);
    EXPECT_EQ(report["scale"], "1/N");
    EXPECT_EQ(report.contains("planes"), setting.method == "slab");
    EXPECT_EQ(report.contains("schedule"), setting.method == "orbital");
    EXPECT_EQ(report.contains("steps"), setting.method == "orbital");
    const Ended ended = run_command(setting.run({}));
    EXPECT_THAT(ended.out, ::testing::HasSubstr(", " + setting.method));
  }
}

}  // namespace
}  // namespace toroid::testing
