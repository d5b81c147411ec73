// toroid policy check on policies that are broken on purpose, each in its own way.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"

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

}  // namespace
}  // namespace toroid::testing
