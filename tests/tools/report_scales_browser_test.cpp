// Readability of the report's plots: axis marks, bounds on scales, distinct curves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstddef>
#include <set>
#include <string>

#include "tests/tools/browser_page.hpp"

namespace toroid::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

void expect_bound_on_scale(const json& scale, double bound) {
  const double low = scale["low"];
  const double high = scale["high"];
  EXPECT_NEAR(scale["bound"].get<double>(), bound, 0.5);
  EXPECT_LE(low, scale["bound"].get<double>());
  EXPECT_GE(high, scale["bound"].get<double>());
  EXPECT_NEAR(scale["mark"].get<double>(), (bound - low) / (high - low), 0.01);
}

TEST_F(BrowserTest, LinkLoadScaleMarksItsBoundCorrectly) {
  run({"alltoall", "--torus", "4x4x4", "--record", "a.json"});
  json made = result("a.json");
  const double hottest = made["percent_of_peak"].get<double>() * made["cycles"].get<double>() / 100;
  for (const double factor : {1.0, 0.5, 2.0}) {  // original, below all loads, above all loads
    SCOPED_TRACE(factor);
    json other = made;
    other["percent_of_peak"] = made["percent_of_peak"].get<double>() * factor;
    directory_.save("b.json", other.dump());
    run({"report", "b.json", "-o", "r.html"});
    expect_bound_on_scale(seen()["scale"], hottest * factor);
  }
}

json sweep_of(double least, double most) {
  json points = json::array();
  for (int i = 0; i <= 4; ++i)
    points.push_back({{"x", std::pow(2.0, 3 + i)},
                      {"cycles", least + (most - least) * i / 4},
                      {"bound_cycles", least}});
  return {{"axis", "bytes"}, {"points", points}};
}

TEST_F(BrowserTest, LogarithmicAxesHaveAtLeastThreeLabels) {
  json sweeps = json::array();
  for (const double range : {1.0, 1.0001, 1.3, 3.9, 4.1, 9.0, 40.0, 900.0, 1e5, 1e12})
    for (const double least : {1.0, 317.0, 0.0021, 9.9e6})
      sweeps.push_back(sweep_of(least, least * range));
  json data;
  data["sweeps"] = sweeps;
  make_page(data);
  std::size_t axes = 0;
  const json plots = seen()["plots"];
  for (const auto& [id, plot] : plots.items())
    for (const json& axis : plot["axes"]) {
      const std::set<std::string> marks(axis["marks"].begin(), axis["marks"].end());
      EXPECT_GE(marks.size(), 3u) << id << axis;
      EXPECT_LE(marks.size(), 16u) << id << axis;
      EXPECT_EQ(marks.size(), axis["marks"].size()) << id << ": labels twice: " << axis;
      axes += axis["scale"] == "log";
    }
  EXPECT_EQ(axes, sweeps.size());
}

TEST_F(BrowserTest, NoTwoCurvesLookAlike) {
  json points = json::array();
  for (int policy = 0; policy < 24; ++policy)
    for (const double x : {0.2, 0.5, 0.9})
      points.push_back({{"x", x},
                        {"latency_p50", 100 + policy},
                        {"latency_p99", 300 + policy},
                        {"policy", "policy" + std::to_string(policy)},
                        {"torus", "4x4"}});
  json sweep = {{"axis", "load"}};
  sweep["points"] = points;
  json data;
  data["sweeps"] = json::array({sweep});
  make_page(data);
  const json plot = seen()["plots"]["sweep0"];
  std::set<std::string> looks, names;
  for (const json& curve : plot["curves"]) {
    looks.insert(curve["colour"].dump() + curve["dash"].dump() + curve["marker"].dump());
    names.insert(curve["name"]);
  }
  EXPECT_EQ(looks.size(), 24u);
  EXPECT_EQ(names.size(), 24u);
  EXPECT_EQ(names.count("policy7"), 1u) << "no name has the torus, which is common to all";
}

json bench_of(const char* kind, const char* fabric) {
  json rows = json::array();
  for (const double bytes : {8, 64, 512, 4096})
    rows.push_back({{"bytes", bytes},
                    {"time_s", 1e-6 + bytes * 1e-9},
                    {"bound_s", 1e-7 + bytes * 1e-10},
                    {"bound_bytes_per_s", bytes / 1e-7},
                    {"bound_messages_per_s", 1e7},
                    {"least_s", 9e-7 + bytes * 1e-9},
                    {"most_s", 2e-6 + bytes * 1e-9},
                    {"bytes_per_s", bytes / 1e-6},
                    {"messages_per_s", 1e6}});
  json bench;
  bench["head"] = {{"verb", "bench"}, {"bench", kind}, {"fabric", fabric}, {"time_kind", fabric}};
  bench["rows"] = rows;
  return bench;
}

TEST_F(BrowserTest, PlotsEachKindOfBenchmarkInItsOwnFigure) {
  json data;
  data["benches"] =
      json::array({bench_of("latency", "shm"), bench_of("latency", "ofi"), bench_of("rate", "shm"),
                   bench_of("alltoall", "shm"), bench_of("bw", "shm"), bench_of("bibw", "shm"),
                   bench_of("latency", "virtual")});
  make_page(data);
  const json page = seen();
  EXPECT_THAT(plots_of(page),
              UnorderedElementsAre("bench-latency-wall", "bench-latency-virtual", "bench-rate-wall",
                                   "bench-alltoall-wall", "bench-bw-wall", "bench-bibw-wall"));
  for (const auto& [name, plot] : page["plots"].items())
    EXPECT_THAT(plot["caption"].get<std::string>(), HasSubstr("Dashed: the bound")) << name;
  EXPECT_EQ(page["plots"]["bench-latency-wall"]["curves"].size(), 2u);
  EXPECT_EQ(page["plots"]["bench-latency-wall"]["curves"][1]["name"], "ofi");
}

TEST_F(BrowserTest, PlotsPublishedFiguresBesideOurs) {
  make_page(json::parse(R"({"papers": [{
    "head": {"verb": "paper", "fabric": "sim", "time_kind": "virtual"},
    "rows": [{"section": "table1", "what": "64^3 on 64 nodes", "unit": "s", "seed": 2, "ours": 2.2,
              "ratio": 1.1, "bound": 1.9, "bar": {"least": 0.8, "most": 1.2, "held": true}},
             {"section": "patent", "what": "8x8x8", "unit": "%", "seed": 50, "ours": 25,
              "ratio": 0.5, "bar": {"least": 0.9, "most": 1.1, "held": false}},
             {"section": "patent", "what": "at most", "unit": "s", "seed": 4, "ours": 2,
              "ratio": 0.5, "bar": {"least": 0, "most": 1, "held": true}},
             {"section": "patent", "what": "at least", "unit": "s", "seed": 4, "ours": 8,
              "ratio": 2, "bar": {"least": 1, "held": true}},
             {"section": "patent", "what": "left out", "seed": 3, "ours": null}],
    "curves": [{"size": 64, "nodes": 8, "method": "slab", "time_s": 0.1, "bound_s": 0.05},
               {"size": 64, "nodes": 64, "method": "slab", "time_s": 0.02, "bound_s": 0.01}]}]})"));
  for (const int width : {1280, 700}) {
    const json page = seen(width);
    EXPECT_THAT(plots_of(page), UnorderedElementsAre("paper0", "paper-curves0"));
    const json& plot = page["plots"]["paper0"];
    EXPECT_THAT(plot["texts"].dump(), HasSubstr("2 s → 2.2 s (×1.1)"));
    EXPECT_THAT(plot["texts"].dump(), HasSubstr("50 → 25 % (×0.5)"));
    EXPECT_THAT(plot["caption"].get<std::string>(), HasSubstr("One figure"));
  }
}

}  // namespace
}  // namespace toroid::testing
