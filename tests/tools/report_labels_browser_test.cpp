// How a page describes its runs: labels, kinds of time, origins.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <set>
#include <string>
#include <vector>

#include "tests/tools/browser_page.hpp"
#include "tests/tools/run_process.hpp"

namespace toroid::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// Returns the data of a page with these runs.
json page_of(const std::vector<json>& runs) {
  json data;
  data["runs"] = runs;
  return data;
}

std::vector<std::string> labels_of(const json& page, const std::string& plot) {
  return page["plots"][plot]["names"];
}

json virtual_run(const json& more) {
  json run = {{"verb", "alltoall"}, {"fabric", "sim"},          {"time_kind", "virtual"},
              {"torus", "4x4x4"},   {"machine", "bgl"},         {"seed", 1},
              {"order", "random"},  {"percent_of_bound", 80.0}, {"cycles", 100},
              {"bound_cycles", 80}, {"version", "1.0"},         {"date", "2026-01-02T03:04:05Z"}};
  run.update(more);
  return run;
}

TEST_F(BrowserTest, LabelsShowOnlyDifferingSettings) {
  run({"alltoall", "--torus", "4x4", "--json", "a.json"});
  run({"alltoall", "--torus", "4x4", "--order", "rank", "--json", "b.json"});
  run({"alltoall", "--torus", "4x4", "--order", "rank", "--seed", "7", "--json", "c.json"});
  run({"report", "a.json", "b.json", "c.json", "-o", "r.html"});
  const json page = seen();
  const auto labels = labels_of(page, "bound-virtual");
  ASSERT_EQ(labels.size(), 3u);
  EXPECT_THAT(labels, Each(AllOf(HasSubstr("order "), HasSubstr("seed "), Not(HasSubstr("4×4")),
                                 Not(HasSubstr("alltoall")), Not(HasSubstr("sim")))));
  EXPECT_THAT(labels[1], AllOf(HasSubstr("order rank"), HasSubstr("seed 1")));
  EXPECT_THAT(labels[2], AllOf(HasSubstr("order rank"), HasSubstr("seed 7")));
  EXPECT_EQ(page["common"][""]["torus"], "4×4");
  EXPECT_EQ(page["common"][""]["verb"], "alltoall");
  EXPECT_FALSE(page["common"][""].contains("seed"));
}

TEST_F(BrowserTest, LabelsOfAComparisonAreItsPolicies) {
  run({"compare", "--torus", "4x4", "--policies", "random,two-phase", "--json", "c.json"});
  run({"report", "c.json", "-o", "r.html"});
  EXPECT_THAT(labels_of(seen(), "bound-virtual"), ElementsAre("random", "two-phase"));
}

TEST_F(BrowserTest, LabelsNameEveryDifferingSetting) {
  const json others = {{"order", "rank"},      {"policy", "paced"},     {"size", {8, 16, 32}},
                       {"fabric", "ofi"},      {"threads", 3},          {"machine", "mine"},
                       {"seed", 99},           {"torus", "5x5"},        {"routing", "static"},
                       {"method", "slab"},     {"precision", "single"}, {"version", "1.1"},
                       {"git_hash", "abc123"}, {"unheard_of", "thing"}};
  std::vector<json> runs = {virtual_run(json::object())};
  for (const auto& [key, value] : others.items()) runs.push_back(virtual_run({{key, value}}));
  make_page(page_of(runs));
  const json page = seen();
  std::vector<std::string> labels = labels_of(page, "bound-virtual");
  const auto wall = page["plots"].value("/bound-wall/names"_json_pointer, json::array());
  labels.insert(labels.end(), wall.begin(), wall.end());
  EXPECT_EQ(std::set<std::string>(labels.begin(), labels.end()).size(), runs.size());
  const std::string all = json(labels).dump();
  for (const char* word : {"order rank", "paced", "8×16×32", "ofi", "3 threads", "machine mine",
                           "seed 99", "5×5", "routing static", "slab", "precision single",
                           "version 1.1", "git hash abc123", "unheard of thing"})
    EXPECT_THAT(all, HasSubstr(word));
}

TEST_F(BrowserTest, LabelsAreUniqueEvenIfAllSettingsAreEqual) {
  const json same = virtual_run(json::object());
  make_page(page_of({same, same, virtual_run({{"date", "2026-01-02T04:00:00Z"}}),
                     virtual_run({{"file", "x.json"}})}));
  const auto labels = labels_of(seen(), "bound-virtual");
  EXPECT_EQ(std::set<std::string>(labels.begin(), labels.end()).size(), 4u) << json(labels);
}

TEST_F(BrowserTest, KeepsWallClockAndVirtualTimeInSeparateFigures) {
  const Arguments fft = {"fft", "--size", "8", "--torus", "2x2x2"};
  run(fft + Arguments{"--json", "sim.json"});
  run(fft + kShm + kEstimate + Arguments{"--json", "shm.json"});
  run({"report", "sim.json", "shm.json", "-o", "r.html"});
  const json page = seen();
  for (const std::string figure : {"bound", "phases"}) {
    const json& of_model = page["plots"][figure + "-virtual"];
    const json& measured = page["plots"][figure + "-wall"];
    EXPECT_EQ(of_model["badge"], "virtual time");
    EXPECT_EQ(measured["badge"], "wall clock");
    EXPECT_THAT(of_model["names"], ElementsAre(HasSubstr("sim")));
    EXPECT_THAT(measured["names"], ElementsAre(HasSubstr("shm")));
    EXPECT_THAT(measured["texts"].dump(), Not(HasSubstr("cycles")));
  }
}

TEST_F(BrowserTest, ShowsTheOriginOfEachResult) {
  json data = page_of(
      {virtual_run({{"command", "toroid alltoall --torus 4x4x4"}}),
       virtual_run(
           {{"command", "toroid alltoall --seed 2"}, {"seed", 2}, {"machine", "mine.toml"}})});
  data["about"] = {{"version", "1.0"},
                   {"git_hash", "f00"},
                   {"date", "2026-01-03T00:00:00Z"},
                   {"command", "toroid report 'a b.json'"}};
  make_page(data);
  const json page = seen();
  EXPECT_THAT(page["made"].get<std::string>(),
              AllOf(HasSubstr("toroid report 'a b.json'"), HasSubstr("2026-01-03 00:00:00 UTC")));
  ASSERT_EQ(page["origins"].size(), 2u);
  EXPECT_THAT(
      page["origins"][0].get<std::string>(),
      AllOf(HasSubstr("toroid alltoall --torus 4x4x4"), HasSubstr("2026-01-02 03:04:05 UTC"),
            HasSubstr("seed 1"), HasSubstr("machine bgl")));
  EXPECT_THAT(page["origins"][1].get<std::string>(),
              AllOf(HasSubstr("toroid alltoall --seed 2"), HasSubstr("seed 2"),
                    HasSubstr("machine mine.toml")));
}

TEST_F(BrowserTest, ShowsDataAsPlainText) {
  const std::string evil = "<img src=x onerror=throw(1)></script><b>";
  json data = page_of({virtual_run({{"order", evil}}), virtual_run({{"order", "\"'&"}})});
  data["about"] = {{"command", evil}, {"version", evil}};
  const json failed = {{"name", evil}, {"error", evil}};
  data["failed"] = json::array({failed});
  make_page(data);
  const auto labels = labels_of(seen(), "bound-virtual");
  EXPECT_THAT(labels[0], HasSubstr(evil));
  EXPECT_THAT(labels[1], HasSubstr("\"'&"));
  EXPECT_THAT(document_, Not(HasSubstr("<img")));
}

TEST_F(BrowserTest, ShowsRunsWithMissingKeys) {
  make_page(json::parse(R"({
    "runs": [{"verb": "alltoall"}, {"verb": "fft", "percent_of_peak": 40, "cycles": 10},
             {"verb": "fft", "fabric": "shm", "time_s": 0.5, "percent_of_peak": 12,
              "phases": [{"name": "X"}]}],
    "sweeps": [{"axis": "nodes", "points": [{"x": 8, "cycles": 5}]}, {"axis": "load", "points": []},
               {"axis": "unknown", "points": [{"x": 1}]}],
    "benches": [{"rows": [{"bytes": 8}]}, {"head": {"verb": "bench"}}],
    "papers": [{"rows": [{"what": "nothing of ours", "seed": 3}]}]})"));
  const json page = seen();
  EXPECT_THAT(labels_of(page, "bound-virtual"), ::testing::SizeIs(1));
  EXPECT_THAT(labels_of(page, "bound-wall"), ::testing::SizeIs(1));
}

}  // namespace
}  // namespace toroid::testing
