// The report's plots are drawn, animated, and open at the most interesting sample.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "tests/tools/browser_page.hpp"
#include "tools/report/checked_json.hpp"
#include "tools/report/deflate_base64.hpp"
#include "tools/report/recording.hpp"

namespace toroid::testing {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr const char* kSweepReport = R"({"verb":"sweep","axis":"load","rows":[
  {"offered":0.5,"accepted":0.5,"latency":{"p50":900,"p99":2000},"policy":"random","torus":"4x4"},
  {"offered":0.9,"accepted":0.8,"latency":{"p50":5000,"p99":9000},"policy":"random",
   "torus":"4x4","saturated":true}]})";

TEST_F(BrowserTest, DrawsEveryPlotAndAnimatesTheTorus) {
  directory_.save("sweep.json", kSweepReport);
  run({"alltoall", "--torus", "4x4x4", "--record", "a.json"});
  run({"alltoall", "--torus", "4x4x4", "--order", "rank", "--json", "b.json"});
  run({"report", "a.json", "b.json", "sweep.json", "-o", "r.html"});
  for (const int width : {1280, 700}) {
    SCOPED_TRACE(width);
    const json page = seen(width);
    EXPECT_THAT(plots_of(page),
                UnorderedElementsAre("bound-virtual", "nodes-virtual", "profile-virtual", "sweep0",
                                     "torus", "heat", "links", "fifos", "reception", "queues"));
    EXPECT_TRUE(page["torus"]["plays"]);
    EXPECT_TRUE(page["torus"]["turns"]);
    EXPECT_THAT(page["heat"].get<std::string>(), HasSubstr("(0,0,0) X+: "));
    EXPECT_GT(page["tables"], 20);
  }
}

TEST_F(BrowserTest, DrawsOneToSixDimensionsAndMeshes) {
  for (const char* torus : {"7", "3x5m", "1x4", "2x3x2x3", "2x2x2x2x2x2"}) {
    SCOPED_TRACE(torus);
    run({"alltoall", "--torus", torus, "--record", "a.json"});
    run({"report", "a.json", "-o", "r.html"});
    const json page = seen();
    EXPECT_THAT(plots_of(page),
                UnorderedElementsAre("bound-virtual", "nodes-virtual", "profile-virtual", "torus",
                                     "heat", "links", "fifos", "reception", "queues"));
    EXPECT_TRUE(page["torus"]["turns"]);
  }
}

/// Standard deviation of link loads in a sample, for a torus without missing links.
double spread_of(const Recording& recording, std::size_t sample) {
  const std::size_t links = recording.links();
  double sum = 0, squares = 0;
  for (std::size_t l = 0; l < links; ++l) {
    const double busy = recording.link_busy[sample * links + l] / 255.0;
    sum += busy;
    squares += busy * busy;
  }
  const double mean = sum / static_cast<double>(links);
  return std::sqrt(std::max(0.0, squares / static_cast<double>(links) - mean * mean));
}

TEST_F(BrowserTest, OpensTheSampleInWhichLinkLoadsDifferMost) {
  run({"alltoall", "--torus", "4x4x4", "--bytes", "960", "--record", "a.json"});
  run({"report", "a.json", "-o", "r.html"});
  const json page = seen();
  const json made = result("a.json");
  const Recording recording =
      Recording::from_json(JsonPlace(made["recording"], "a.json"), Shape::parse("4x4x4"));
  double most = 0;
  for (std::size_t s = 0; s < recording.samples(); ++s)
    most = std::max(most, spread_of(recording, s));
  const std::size_t opened = page["torus"]["opened"];
  EXPECT_GT(most, 0.05);
  EXPECT_NEAR(spread_of(recording, opened), most, 1e-5);
  const Tick until = std::min((opened + 1) * recording.interval, recording.end);
  std::string now = page["torus"]["now"];
  std::erase(now, ',');
  EXPECT_EQ(
      now, fmt::format("cycles {} to {} of {}", opened * recording.interval, until, recording.end));
}

TEST_F(BrowserTest, EqualLoadsHaveEqualColoursAndFifosHaveAKey) {
  run({"alltoall", "--torus", "6x6x6", "--record", "a.json"});
  run({"report", "a.json", "-o", "r.html"});
  const json page = seen();
  EXPECT_THAT(page["torus"]["evenColours"], SizeIs(1)) << page["torus"]["evenColours"];
  EXPECT_THAT(page["torus"]["key"], ElementsAre("injection FIFOs", "empty", "half full", "full"));
}

/// A slice of 4 x 2 pixels from 0 to 255.
json slice(const char* kind, bool log) {
  const std::vector<std::uint8_t> pixels = {0, 36, 73, 109, 146, 182, 219, 255};
  return {{"kind", kind},    {"axis", 0},
          {"index", 3},      {"where", "x = 3 of 8"},
          {"rows", "ky"},    {"width", 4},
          {"columns", "kz"}, {"height", 2},
          {"min", -2.0},     {"max", 3.0},
          {"log", log},      {"unit", "e/A^3"},
          {"block", 1},      {"pixels", pack_bytes(pixels)},
          {"first_row", -1}, {"first_column", 10},
          {"row_count", 2},  {"column_count", 4}};
}

TEST_F(BrowserTest, ShowsSlicesWithTheirScaleAndTheirAxes) {
  json run = {{"verb", "fft"},
              {"fabric", "sim"},
              {"time_kind", "virtual"},
              {"torus", "2x2"},
              {"cycles", 200},
              {"bound_cycles", 100},
              {"percent_of_bound", 50.0},
              {"bound_by", "processor"},
              {"percent_of_peak", 20.0}};
  run["slices"] = json::array({slice("density", false), slice("spectrum", true)});
  const json phase = {{"name", "X lines"},
                      {"cycles", 90},
                      {"exchange_cycles", 60},
                      {"exchange_bound_cycles", 45},
                      {"bound_by", "link"}};
  run["phases"] = json::array({phase});
  json data;
  data["runs"] = json::array({run});
  make_page(data);
  const json page = seen();
  EXPECT_THAT(plots_of(page),
              UnorderedElementsAre("density", "spectrum", "bound-virtual", "phases-virtual"));
  const json& density = page["plots"]["density"];
  EXPECT_THAT(density["names"], ElementsAre("x = 3 of 8"));
  EXPECT_THAT(density["texts"], ElementsAre("kz", "ky"));
  EXPECT_THAT(density["ticks"], ::testing::IsSupersetOf({"-2", "3", "0"}));
  EXPECT_THAT(page["plots"]["spectrum"]["ticks"], ::testing::IsSupersetOf({"0.01", "1000", "1"}));
  EXPECT_THAT(density["ticks"], ::testing::IsSupersetOf({"-1", "10", "13"}));
  EXPECT_THAT(density["caption"].get<std::string>(), HasSubstr("array that was transformed"));
  EXPECT_THAT(page["plots"]["spectrum"]["caption"].get<std::string>(),
              HasSubstr("lowest frequency of the transform’s result"));
  EXPECT_EQ(density["images"].dump(), "[[4,2]]");
  EXPECT_THAT(page["plots"]["phases-virtual"]["texts"].dump(),
              HasSubstr("exchange 75.0 % of the link bound"));
  EXPECT_THAT(page["plots"]["bound-virtual"]["texts"].dump(),
              HasSubstr("50.0 % of the processor bound"));
}

TEST_F(BrowserTest, CaptionSaysThatAnInverseTransformsTheSpectrum) {
  json run = {{"verb", "fft"}, {"time_kind", "virtual"}, {"cycles", 2}, {"inverse", true}};
  run["slices"] = json::array({slice("density", false), slice("spectrum", true)});
  json data;
  data["runs"] = json::array({run});
  make_page(data);
  const json plots = seen()["plots"];
  EXPECT_THAT(plots["density"]["caption"].get<std::string>(), HasSubstr("transform’s result"));
  EXPECT_THAT(plots["spectrum"]["caption"].get<std::string>(),
              HasSubstr("lowest frequency of the array that was transformed"));
}

TEST_F(BrowserTest, ShowsHowTheTurnsOfDrainEnded) {
  make_page(json::parse(R"({"runs": [{"verb": "alltoall", "time_kind": "virtual", "cycles": 190,
    "profile": {"fill": {"rounds": 1, "visits": 8, "empty_visits": 0, "packets": 40, "stops": 10},
      "drain": {"turns": 200, "idle_turns": 20, "full_turns": 30, "stuck_turns": 50, "packets": 40,
                "stuck_heads": 125, "skipped_queues": 25, "stuck_on": {"X+": 40, "X-": 85}}}}]})"));
  const json plot = seen()["plots"]["profile-virtual"];
  EXPECT_EQ(plot["profiles"], json::parse("[[50, 10, 25, 15]]"));  // moving, idle, stuck, full
  EXPECT_THAT(plot["texts"].dump(),
              HasSubstr("stuck 25.0 % · full 15.0 % · idle 10.0 % · 2.5 stuck heads a time, "
                        "most for X-"));
}

TEST_F(BrowserTest, ShowsTheProfileOfEveryRowOfAComparison) {
  run({"compare", "--torus", "3x3", "--policies", "random,queues:3", "--bytes", "480", "--json",
       "c.json"});
  run({"report", "c.json", "-o", "r.html"});
  const json rows = result("c.json")["rows"];
  const json profiles = seen()["plots"]["profile-virtual"]["profiles"];
  ASSERT_THAT(profiles, SizeIs(2));
  for (std::size_t row = 0; row < 2; ++row) {
    const json& drain = rows[row]["profile"]["drain"];
    EXPECT_NEAR(profiles[row][2].get<double>(),
                100.0 * drain["stuck_turns"].get<double>() / drain["turns"].get<double>(), 0.01);
  }
}

TEST_F(BrowserTest, DrawsConsecutiveAndOverlappingPhases) {
  make_page(
      json::parse(R"({"runs": [{"verb": "fft", "time_kind": "virtual", "cycles": 190, "phases": [
    {"name": "z", "cycles": 90, "exchange_cycles": 60, "exchange_bound_cycles": 45},
    {"name": "y", "cycles": 100, "exchange_cycles": 80, "overlap_cycles": 20}]}]})"));
  const json page = seen();
  const std::vector<std::vector<std::vector<double>>> bars =  // phase, bar: left end, length
      page["plots"]["phases-virtual"]["phases"];
  ASSERT_THAT(bars, ElementsAre(SizeIs(2), SizeIs(2)));
  const double origin = bars[0][0][0];
  const double cycle = bars[0][0][1] / 60;
  const auto expect_bar = [&](const std::vector<double>& bar, double begin, double end) {
    EXPECT_NEAR(bar[0], origin + cycle * begin, 0.1);
    EXPECT_NEAR(bar[1], cycle * (end - begin), 0.1);
  };
  expect_bar(bars[0][1], 60, 90);
  expect_bar(bars[1][0], 70, 150);
  expect_bar(bars[1][1], 150, 190);
}

}  // namespace
}  // namespace toroid::testing
