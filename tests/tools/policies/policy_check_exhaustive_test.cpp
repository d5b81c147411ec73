// toroid policy check on good policies: every part of the check tries all its cases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"

namespace toroid::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(PolicyCheckOfGoodPolicies, ReportsDistanceToBoundBesideTheBestBuiltIn) {
  const nlohmann::json result =
      json_of({"policy", "check", std::string(TOROID_POLICY_LIBRARIES) + "/shift_copy.so",
               "--limit", "120"});
  EXPECT_EQ(result["good"], true);
  for (const nlohmann::json& part : result["parts"]) {
    EXPECT_GT(part["cases"], 0) << part;
    EXPECT_THAT(part["breaks"], IsEmpty());
  }
  ASSERT_FALSE(result["distances"].empty());
  for (const nlohmann::json& one : result["distances"]) {
    EXPECT_GT(one["percent_of_bound"], 10) << one;
    EXPECT_LE(one["percent_of_bound"], one["best_percent_of_bound"]) << one;
  }
}

TEST(PolicyCheckOfGoodPolicies, AcceptsBuiltInPoliciesThatRelayOrCombine) {
  for (const char* name : {"three-phase", "valiant"}) {
    const Ended ended = run_command({"policy", "check", name, "--limit", "120"});
    EXPECT_EQ(ended.exit_code, 0) << ended.out;
    EXPECT_THAT(ended.out, HasSubstr("nothing is broken"));
  }
}

}  // namespace
}  // namespace toroid::testing
