// A built-in policy exported as data runs like the original.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>

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
    (void)export_policy({name, at.path(), 7}, Shape::parse(torus));
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

}  // namespace
}  // namespace toroid::testing
