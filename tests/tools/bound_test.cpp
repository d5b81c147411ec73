// The tightest lower bound on a time, and how results report it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "hal/machine.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tools/report/binding_bound.hpp"
#include "tools/run/run_result.hpp"
#include "tools/text/json.hpp"

namespace toroid::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Bound, IsTheLargestPartAndNamesIt) {
  EXPECT_EQ(binding({.hottest_link = 5, .injection = 4, .processor = 3, .zero_load = 2}).by,
            BoundBy::link);
  EXPECT_EQ(binding({.hottest_link = 1, .injection = 4, .processor = 3}).by, BoundBy::link);
  EXPECT_EQ(binding({.hottest_link = 1, .injection = 4, .processor = 5}).by, BoundBy::processor);
  EXPECT_EQ(binding({.processor = 5, .zero_load = 6}).by, BoundBy::latency);
  EXPECT_EQ(binding({.hottest_link = 1, .injection = 9, .processor = 3, .zero_load = 2}).cycles,
            9U);
}

TEST(Bound, NamesTheFirstOfEqualParts) {
  EXPECT_EQ(binding({}).by, BoundBy::link);
  EXPECT_EQ(binding({.injection = 7, .processor = 7, .zero_load = 7}).by, BoundBy::link);
  EXPECT_EQ(binding({.processor = 7, .zero_load = 7}).by, BoundBy::processor);
}

TEST(Bound, IsInCyclesForVirtualTime) {
  Json report;
  add_timing(report, virtual_timing(200, {100, BoundBy::processor}, 50, Machine()));
  EXPECT_EQ(report["cycles"], 200);
  EXPECT_EQ(report["bound_cycles"], 100);
  EXPECT_EQ(report["bound_by"], "processor");
  EXPECT_EQ(report["percent_of_bound"], 50);
  EXPECT_EQ(report["percent_of_peak"], 25);
  EXPECT_FALSE(report.contains("bound_s"));
}

TEST(Bound, IsInSecondsForTheWallClock) {
  Json report;
  add_timing(report, wall_clock_timing(2, 0.5));
  EXPECT_EQ(
      report,
      (Json{{"time_s", 2.0}, {"bound_by", "copy"}, {"bound_s", 0.5}, {"percent_of_bound", 25.0}}));
}

TEST(Bound, OfZeroIsReachedOnlyInZeroTime) {
  Json report;
  add_timing(report, virtual_timing(0, {}, 0, Machine()));
  EXPECT_EQ(report["percent_of_bound"], 100);
  EXPECT_EQ(report["percent_of_peak"], 100);
  add_timing(report, virtual_timing(7, {}, 0, Machine()));
  EXPECT_EQ(report["percent_of_bound"], 0);
}

TEST(Bound, IsInTheTableWithItsCause) {
  const Ended short_ones = run_command({"alltoall", "--torus", "2x2", "--bytes", "8"});
  EXPECT_THAT(short_ones.out, HasSubstr("cycles, by processor\n"));
  EXPECT_THAT(short_ones.out, HasSubstr("  of bound "));
  EXPECT_THAT(short_ones.out, HasSubstr("  hottest link "));
  const Ended nothing = run_command({"alltoall", "--torus", "1"});
  EXPECT_THAT(nothing.out, Not(HasSubstr("100.0 %")));
}

/// Collects the keys of a result at every depth.
void collect_keys(const nlohmann::json& value, std::vector<std::string>& keys) {
  if (value.is_object())
    for (const auto& [key, inner] : value.items()) keys.push_back(key);
  if (value.is_structured())
    for (const auto& inner : value) collect_keys(inner, keys);
}

const std::vector<Arguments> kWallClockRuns = {
    {"alltoall", "--torus", "2x2"},
    {"alltoall", "--torus", "2x2", "--route", "direct"},
    {"fft", "--torus", "2x2", "--size", "8", "--repeat", "2"},
    {"fft", "--torus", "2x2", "--size", "8", "--route", "direct"},
    {"poisson", "--torus", "2", "--size", "8"},
    {"hello", "--torus", "3"},
    {"compare", "--torus", "2x2", "--policies", "random,rank"},
    {"compare", "--torus", "2x2", "--policies", "random", "--route", "direct"},
    {"sweep", "--axis", "bytes", "--torus", "2", "--policies", "random", "--bytes", "8,240"}};

TEST(WallClock, HasNoCyclesOfTheEmulatedMachine) {
  for (const Arguments& run : kWallClockRuns) {
    std::vector<std::string> keys;
    collect_keys(json_of(run + kShm), keys);
    for (const std::string& key : keys) {
      EXPECT_THAT(key, Not(HasSubstr("cycles"))) << run.front();
      EXPECT_NE(key, "percent_of_peak") << run.front();
      EXPECT_NE(key, "busy_percent") << run.front();
    }
    const std::string table = run_command(run + kShm).out;
    if (run.front() == "compare" || run.front() == "sweep") continue;
    EXPECT_THAT(table, Not(HasSubstr("cycles"))) << table;
    EXPECT_THAT(table, Not(HasSubstr("of peak"))) << table;
  }
}

TEST(WallClock, OmitsLinksOnTheDirectRoute) {
  const Arguments direct = Arguments{"--torus", "2x3", "--route", "direct"} + kShm;
  for (const Arguments& run :
       {Arguments{"alltoall"} + direct, Arguments{"fft", "--size", "12"} + direct}) {
    const nlohmann::json report = json_of(run);
    for (const char* key : {"links", "channels", "packet_hops", "packet_hops_per_cpu_s"})
      EXPECT_FALSE(report.contains(key)) << key;
    EXPECT_GT(report["packets"], 0);
    const Ended ended = run_command(run);
    EXPECT_THAT(ended.out, Not(HasSubstr("link load")));
    EXPECT_THAT(ended.out, Not(HasSubstr("hottest")));
  }
}

TEST(WallClock, CountsThePacketsOfOneRepetition) {
  const Arguments run =
      Arguments{"fft", "--torus", "2x2x2", "--size", "12", "--route", "torus"} + kShm + kEstimate;
  const nlohmann::json once = json_of(run + Arguments{"--repeat", "1"});
  const nlohmann::json often = json_of(run + Arguments{"--repeat", "5"});
  std::uint64_t of_phases = 0;
  for (const auto& phase : often["phases"]) of_phases += phase["packets"].get<std::uint64_t>();
  EXPECT_EQ(often["packets"], of_phases);
  for (const char* key : {"packets", "packet_hops", "result_hash"})
    EXPECT_EQ(often[key], once[key]) << key;
  EXPECT_NEAR(often["links"]["mean_load"], once["links"]["mean_load"],
              1);  // barriers between repetitions
}

TEST(Rates, CountFlopsAsFiveNLogNAndHalfForRealData) {
  const nlohmann::json whole = json_of({"fft", "--torus", "2x2", "--size", "8x4x16"});
  const double flops = 5 * 512 * 9;
  EXPECT_DOUBLE_EQ(whole["gflops"].get<double>(), flops / whole["time_s"].get<double>() / 1e9);
  const nlohmann::json real =
      json_of({"fft", "--torus", "2x2", "--size", "8x4x16", "--real", "--batch", "3"});
  EXPECT_DOUBLE_EQ(real["gflops"].get<double>(),
                   3 * flops / 2 / real["time_s"].get<double>() / 1e9);
  const nlohmann::json point = json_of({"fft", "--torus", "1", "--size", "1x1x1"});
  EXPECT_EQ(point["gflops"], 0);
}

TEST(Rates, IncludeAllArraysInBytesPerProcess) {
  const auto bytes = [](const Arguments& more) {
    const nlohmann::json report =
        json_of(Arguments{"fft", "--torus", "2x2x2", "--size", "16"} + more);
    return report["bytes_per_process"].get<double>();
  };
  const double one = 16 * 16 * 16 * 16;  // bytes of the array
  EXPECT_GE(bytes({}), 2 * one);         // input and output
  EXPECT_LE(bytes({}), 8 * one);
  EXPECT_LT(bytes({"--precision", "single"}), bytes({}));
  EXPECT_LT(bytes({"--real"}), bytes({}));
  EXPECT_GE(bytes(kShm), 2 * one);
  const Ended ended = run_command({"fft", "--torus", "2", "--size", "8"});
  EXPECT_THAT(ended.out, HasSubstr(" GFlop/s"));
  EXPECT_THAT(ended.out, HasSubstr(" MiB per process\n"));
}

}  // namespace
}  // namespace toroid::testing
