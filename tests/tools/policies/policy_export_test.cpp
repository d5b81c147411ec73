// A built-in policy exported as data runs like the original.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "hal/check.hpp"
#include "hal/shape.hpp"
#include "packet/policies/policies.hpp"
#include "packet/policies/policy.hpp"
#include "tests/tools/policies/policy_run.hpp"
#include "tests/tools/refusal.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tools/options/policy_export.hpp"

namespace toroid::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

class ExportedPolicy : public ::testing::TestWithParam<std::string> {};

/// The result without measured times.
json result_of(const TemporaryDirectory& at, const std::string& policy, const std::string& torus) {
  json result = all_to_all(at, policy, torus, {"--seed", "7"});
  for (const char* key : {"wall_s", "cpu_s", "packet_hops_per_cpu_s", "packet_hops_per_s"})
    result.erase(key);
  return result;
}

TEST_P(ExportedPolicy, RunsLikeTheBuiltInPolicy) {
  const TemporaryDirectory at;
  const std::string torus = GetParam();
  for (const Policy* policy : built_in_policies()) {
    const std::string name(policy->name());
    (void)export_policy({name, at.path(), 7}, {Shape::parse(torus)});
    std::string file = name;
    if (const std::size_t colon = file.find(':'); colon != std::string::npos) file[colon] = '-';
    const json expected = result_of(at, name, torus);
    const json result = result_of(at, file + ".toml", torus);
    EXPECT_EQ(result["result_hash"], expected["result_hash"]) << name;
    for (const char* key : {"policy", "order", "output_queues", "drain", "tying", "routing", "tie",
                            "throttle", "cycles", "bound_cycles", "forwarded", "links"})
      EXPECT_EQ(result[key], expected[key]) << name << " " << key;
  }
}
INSTANTIATE_TEST_SUITE_P(Shapes, ExportedPolicy,
                         ::testing::Values("4x4x4", "8", "3x5", "2x3x4m", "8x4@YX4", "1x2x7"));

TEST(PolicyExport, IsWrittenByTheCommand) {
  const TemporaryDirectory at;
  const Ended ended =
      run_command({"policy", "export", "two-phase", "mine", "--torus", "4x2", "--seed", "3"},
                  {.directory = at.path()});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.out,
            "mine/two-phase-order.npy: 8 x 7 nodes\n"
            "mine/two-phase-relays.npy: 8 x 8 nodes\n"
            "mine/two-phase.toml: names the policy and its tables\n");
  EXPECT_THAT(at.content_of("mine/two-phase.toml"), HasSubstr("relays = \"two-phase-relays.npy\""));
  expect_refusal(at, {"policy", "export", "two-phase"}, {"policy export needs --torus"});
  expect_refusal(at, {"policy", "export", "mine.toml", "--torus", "4x4"},
                 {"unknown policy 'mine.toml'"});
  expect_refusal(at, {"policy", "export", "random", "--torus", "32x32x32"},
                 {"32768 nodes; expected at most 8192"});
}

TEST(PolicyExport, WritesOneFileForSeveralTori) {
  const TemporaryDirectory at;
  const Ended ended = run_command({"policy", "export", "two-phase", "--torus", "4x2,3", "--mesh"},
                                  {.directory = at.path()});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.out,
            "two-phase-4mx2m-order.npy: 8 x 7 nodes\n"
            "two-phase-4mx2m-relays.npy: 8 x 8 nodes\n"
            "two-phase-3m-order.npy: 3 x 2 nodes\n"
            "two-phase-3m-relays.npy: 3 x 3 nodes\n"
            "two-phase.toml: names the policy and its tables\n");
  EXPECT_THAT(at.content_of("two-phase.toml"),
              AllOf(HasSubstr("on tori 4mx2m, 3m.\n"), HasSubstr("settings on torus 4mx2m."),
                    HasSubstr("[[tables]]\ntorus = \"3m\"\norder = \"two-phase-3m-order.npy\"")));
}

TEST(PolicyExport, TakesTheFolderAfterTheTori) {
  const TemporaryDirectory at;
  const Ended ended = run_command({"policy", "export", "shift", "--torus", "4x2,3", "mine"},
                                  {.directory = at.path()});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("mine/shift-4x2-order.npy: 8 x 7 nodes\n"));
  EXPECT_THAT(ended.out, HasSubstr("mine/shift-3-order.npy: 3 x 2 nodes\n"));
  const Ended repeated =
      run_command({"policy", "export", "shift", "--torus", "4x2", "--torus", "3", "again"},
                  {.directory = at.path()});
  EXPECT_THAT(repeated.out, HasSubstr("again/shift-3-order.npy: 3 x 2 nodes\n")) << repeated.err;
  expect_refusal(at, {"policy", "export", "shift", "--torus", "4x4", "6x6"},
                 {"DIR is 6x6, a torus; expected a folder. Several tori: --torus 4x4,6x6"});
}

TEST(PolicyExport, RefusesATorusTwiceAndWritesNothingIfItRefusesOne) {
  const TemporaryDirectory at;
  expect_refusal(at, {"policy", "export", "random", "--torus", "4x4,2,4x4"},
                 {"--torus names 4x4 twice"});
  expect_refusal(at, {"policy", "export", "random", "--torus", "4mx1,4mx1m"},
                 {"--torus names 4mx1m twice"});
  expect_refusal(at, {"policy", "export", "virtual-mesh:2", "--torus", "4x4,3"},
                 {"virtual-mesh:2"});
}

TEST(PolicyExport, LeavesNoTablesIfAFileCannotBeWritten) {
  const TemporaryDirectory at;
  std::filesystem::create_directory(at / "shift.toml");
  expect_refusal(at, {"policy", "export", "shift", "--torus", "4x4"}, {"shift.toml"});
  EXPECT_THROW((void)export_policy({"shift", at.path(), 1}, {Shape::parse("2x2")}), BadInput);
  EXPECT_EQ(at.entries(), (std::vector<std::string>{"shift.toml"}));
}

TEST(PolicyExport, SaysThatItReplacesAFile) {
  const TemporaryDirectory at;
  const auto exported = [&](const char* torus) {
    return export_policy({"shift", at.path(), 1}, {Shape::parse(torus)});
  };
  EXPECT_THAT(exported("4"), ::testing::Not(HasSubstr("replaces")));
  const std::string again = exported("6");
  EXPECT_THAT(again, HasSubstr("shift-order.npy: 6 x 5 nodes (replaces a file)\n"));
  EXPECT_THAT(again, HasSubstr("names the policy and its tables (replaces a file)\n"));
  EXPECT_THAT(at.content_of("shift.toml"), HasSubstr("torus = \"6\""));
}

/// Cycles of each policy on each torus, in the order of the rows.
std::vector<json> cycles_of(const json& result) {
  std::vector<json> cycles;
  for (const json& row : result["rows"]) cycles.push_back(row["cycles"]);
  return cycles;
}

TEST(PolicyExport, OneFileServesACampaignOverSeveralTori) {
  const TemporaryDirectory at;
  (void)export_policy({"two-phase", at.path(), 1}, {Shape::parse("4x2"), Shape::parse("3x5")});
  const auto cycles = [&](const Arguments& verb, const char* policy) {
    return cycles_of(json_of(
        verb + Arguments{"--torus", "4x2,3x5", "--policies", policy, "--bytes", "300", "--quiet"},
        {.directory = at.path()}));
  };
  for (const Arguments& verb : {Arguments{"compare"}, Arguments{"sweep", "--axis", "bytes"}}) {
    const std::vector<json> mine = cycles(verb, "two-phase.toml");
    EXPECT_EQ(mine.size(), 2);
    EXPECT_EQ(mine, cycles(verb, "two-phase"));
  }
  expect_refusal(at, {"compare", "--torus", "4x2,3x3", "--policies", "two-phase.toml"},
                 {"two-phase.toml are for tori 4x2, 3x5; this exchange is on 3x3"});
}

TEST(PolicyExport, OneFileServesTheLinesAndPlanesOfATransform) {
  const TemporaryDirectory at;
  std::vector<Shape> shapes;
  for (const char* torus : {"2x2x2", "2x2x1", "1x2x2", "2x1x1", "1x2x1", "1x1x2"})
    shapes.push_back(Shape::parse(torus));
  (void)export_policy({"rank", at.path(), 1}, shapes);
  const auto result = [&](const char* policy) {
    return json_of({"fft", "--size", "8", "--torus", "2x2x2", "--policy", policy, "--quiet"},
                   {.directory = at.path()});
  };
  EXPECT_EQ(result("rank.toml")["cycles"], result("rank")["cycles"]);
}

}  // namespace
}  // namespace toroid::testing
