// toroid policy check on policies that are broken on purpose, each in its own way, and on policies
// as data.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <ios>
#include <string>
#include <vector>

#include "hal/shape.hpp"
#include "packet/policies/policies.hpp"
#include "packet/policies/policy.hpp"
#include "tests/tools/refusal.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tools/files/npy.hpp"
#include "tools/lab/policy_check/policy_queries.hpp"
#include "tools/options/policy_export.hpp"

namespace toroid::testing {
namespace {

std::string library(const std::string& name) {
  return std::string(TOROID_POLICY_LIBRARIES) + "/" + name + ".so";
}

struct BrokenPolicy {
  const char* library;
  const char* kind;
};

class PolicyCheck : public ::testing::TestWithParam<BrokenPolicy> {};

TEST_P(PolicyCheck, NamesTheDefectAndNothingElse) {
  const auto [name, kind] = GetParam();
  const bool hangs = std::string(kind) == "hangs";
  const Ended ended = run_command(
      {"policy", "check", library(name), "--json", "-", "--limit", hangs ? "2" : "120"});
  ASSERT_EQ(ended.exit_code, 1) << ended.err;
  const nlohmann::json result = ended.json();
  EXPECT_EQ(result["good"], false);
  const nlohmann::json& breaks = result["parts"].back()["breaks"];
  ASSERT_EQ(breaks.size(), 1u) << breaks;
  EXPECT_EQ(breaks[0]["kind"], kind) << breaks;
}

INSTANTIATE_TEST_SUITE_P(
    OnPurpose, PolicyCheck,
    ::testing::Values(BrokenPolicy{"leaves_out", "never sent"}, BrokenPolicy{"doubles", "doubled"},
                      BrokenPolicy{"sends_to_itself", "sent to itself"},
                      BrokenPolicy{"out_of_range", "out of range"},
                      BrokenPolicy{"whole_machine", "sent to itself"},
                      BrokenPolicy{"relay_nowhere", "relay leads nowhere"},
                      BrokenPolicy{"not_shortest", "not a shortest way"},
                      BrokenPolicy{"counts_calls", "depends on call order"},
                      BrokenPolicy{"remembers_the_first", "depends on call order"},
                      BrokenPolicy{"knows_its_process", "differs between processes"},
                      BrokenPolicy{"shares_scratch", "not thread-safe"},
                      BrokenPolicy{"throws", "throws"}, BrokenPolicy{"crashes", "crashes"},
                      BrokenPolicy{"crashes_while_loading", "crashes"},
                      BrokenPolicy{"exits", "crashes"}, BrokenPolicy{"hangs", "hangs"},
                      BrokenPolicy{"no_queues", "bad settings"},
                      BrokenPolicy{"no_stages", "bad settings"}),
    [](const auto& info) { return std::string(info.param.library); });

TEST(PolicyCheckLimit, IsAtLeastASecond) {
  const TemporaryDirectory at;
  expect_refusal(at, {"policy", "check", "rank", "--limit", "0.9"},
                 {"'0.9' is not a number from 1 to 3600"});
}

TEST(PolicyCheckOfData, RunsOnTheToriOfItsTables) {
  const TemporaryDirectory at;
  (void)export_policy({"two-phase", at.path(), 1}, {Shape::parse("2x3"), Shape::parse("4m")});
  const Ended ended =
      run_command({"policy", "check", "two-phase.toml", "--json", "-", "--limit", "120"},
                  {.directory = at.path()});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  const nlohmann::json result = ended.json();
  EXPECT_EQ(result["good"], true) << result["parts"];
  for (const nlohmann::json& part : result["parts"]) EXPECT_GT(part["cases"], 0) << part;
  std::vector<std::string> tori;
  for (const nlohmann::json& one : result["distances"]) {
    tori.push_back(one["torus"]);
    EXPECT_GT(one["percent_of_bound"], 0) << one;
  }
  EXPECT_EQ(tori, (std::vector<std::string>{"2x3", "4m"}));
}

TEST(PolicyCheckOfData, HasNoFaultForReleaseTimesAndLargeTori) {
  const TemporaryDirectory at;
  std::ofstream table(at / "late.npy", std::ios::binary);
  write_npy(table, std::vector<std::size_t>{4, 4}, std::vector<std::int64_t>(16, 70));
  table.close();
  at.save("t.toml",
          "policy = \"rank\"\n[[tables]]\ntorus = \"4\"\nrelease = \"late.npy\"\n"
          "[[tables]]\ntorus = \"16x64\"\n");
  const Ended ended =
      run_command({"policy", "check", "t.toml", "--limit", "120"}, {.directory = at.path()});
  EXPECT_EQ(ended.exit_code, 0) << ended.out;
  EXPECT_THAT(ended.out,
              ::testing::HasSubstr("16x64: 1024 nodes; runs are checked up to 512 nodes"));
}

TEST(PolicyCheckOfData, NotesARefusedTransformAndDoesNotCountIt) {
  const TemporaryDirectory at;
  const auto result = [&](const char* tables) {
    at.save("t.toml", std::string("policy = \"rank\"\n") + tables);
    return json_of({"policy", "check", "t.toml", "--limit", "120"}, {.directory = at.path()});
  };
  const auto workloads = [](const nlohmann::json& checked) {
    for (const nlohmann::json& part : checked["parts"])
      if (part["part"] == "workloads on the model") return part;
    return nlohmann::json();
  };
  const nlohmann::json lacking = result("[tables]\ntorus = \"2x2\"\n");
  EXPECT_EQ(lacking["good"], true);
  EXPECT_THAT(
      lacking["notes"].dump(),
      ::testing::HasSubstr("refuses fft:8:volumetric, 2x2: policy t: the tables of t.toml"));
  EXPECT_GT(workloads(lacking)["refused"], 0);
  const nlohmann::json complete = result("");
  EXPECT_EQ(complete["notes"], nlohmann::json::array());
  EXPECT_EQ(workloads(complete)["refused"], 0);
  EXPECT_GT(workloads(complete)["cases"], workloads(lacking)["cases"]);
}

TEST(PolicyCheckOfData, AsksQuestionsWithoutRunsOnLargeTori) {
  const TemporaryDirectory at;
  at.save("t.toml",
          "policy = \"rank\"\n[[tables]]\ntorus = \"24x24\"\n[[tables]]\ntorus = \"256x256\"\n");
  const nlohmann::json result =
      json_of({"policy", "check", "t.toml", "--limit", "120"}, {.directory = at.path()});
  EXPECT_EQ(result["good"], true) << result["parts"];
  ASSERT_EQ(result["parts"].size(), 4u) << result["parts"];
  for (const nlohmann::json& part : result["parts"]) EXPECT_EQ(part["cases"], 1) << part;
  EXPECT_EQ(result["notes"], (std::vector<std::string>{
                                 "24x24: 576 nodes; runs are checked up to 512 nodes",
                                 "256x256: 65536 nodes; tables are checked up to 32768 nodes"}));
}

TEST(PolicyCheckOfData, SaysThatThereIsNothingToCheckIfAllToriAreTooLarge) {
  const TemporaryDirectory at;
  at.save("t.toml", "policy = \"rank\"\n[tables]\ntorus = \"256x256\"\n");
  expect_refusal(at, {"policy", "check", "t.toml"},
                 {"nothing to check: 256x256: 65536 nodes; tables are checked up to 32768 nodes"});
}

TEST(PolicyCheckOfData, AsksAboutSomeNodesOfAVeryLargeTorus) {
  const Policy& policy = policy_by_name("rank");
  EXPECT_EQ(questions(policy, Shape::parse("24x24")).size(), 1 + 2 * 576);
  const std::vector<Question> all = questions(policy, Shape::parse("32x32x32"));
  EXPECT_EQ(all.size(), 1 + 2 * 128);
  EXPECT_EQ(all.back().self, 127 * 256);
}

}  // namespace
}  // namespace toroid::testing
