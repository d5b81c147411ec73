// Policies from shared libraries: refusals, and runs equal to those of built-in policies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include "hal/check.hpp"
#include "packet/policies/policy.hpp"
#include "tests/tools/policies/library_copies.hpp"
#include "tests/tools/refusal.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tools/options/policy_plugin.hpp"

namespace toroid::testing {
namespace {

using ::testing::HasSubstr;

class PolicyFromALibrary : public LibraryCopies {
 protected:
  Ended run(const Arguments& arguments) const {
    return run_command(arguments, {.directory = directory_.path()});
  }
  nlohmann::json json(const Arguments& arguments) const {
    return json_of(arguments, {.directory = directory_.path()});
  }
  void expect_refused(const std::string& policy, const std::vector<std::string>& words) const {
    expect_refusal(directory_, with_outputs(kLibraryRun) + Arguments{"--policy", policy}, words);
  }
};

TEST_F(PolicyFromALibrary, IsRefusedIfTheFileIsNotAPolicy) {
  expect_refused("./none.so", {"./none.so", "No such file"});
  directory_.save("text.so", "no library");
  expect_refused("./text.so", {"./text.so", "cannot be loaded"});
  expect_refused(copied("no_entry"), {"./mine.so", "TOROID_POLICY(Class)"});
  copied("shift_copy", "half.so");
  std::filesystem::resize_file(directory_ / "half.so",
                               std::filesystem::file_size(directory_ / "half.so") / 4);
  expect_refused("./half.so", {"./half.so", "the file is truncated"});
}

TEST_F(PolicyFromALibrary, IsRefusedIfCompiledForAnotherToroid) {
  expect_refused(copied("other_version", "a.so"), {"./a.so", "version 2", "recompile it"});
  expect_refused(copied("other_layout", "b.so"), {"./b.so", "Machine has 1 bytes"});
}

TEST_F(PolicyFromALibrary, IsRefusedWithoutANameOfItsOwn) {
  expect_refused(copied("empty_name", "empty.so"), {"./empty.so", "its name is empty"});
  expect_refused(copied("built_in_name", "shift.so"),
                 {"./shift.so", "its name shift is taken by a built-in policy"});
}

TEST_F(PolicyFromALibrary, RefusesAMissingInvalidOrUnexpectedParameter) {
  const std::string with = copied("with_parameter", "with.so");
  EXPECT_EQ(json(kLibraryRun + Arguments{"--policy", with + ":3"})["policy"], "in-order");
  expect_refused(with, {"./with.so", "needs a parameter"});
  expect_refused(with + ":0", {"./with.so:0", "a step of 0 leads nowhere"});
  expect_refused(with + ":x", {"./with.so:x", "whole number", "'x'"});
  expect_refused(with + ":", {"./with.so:", "whole number"});
  expect_refused(copied("shift_copy") + ":1", {"./mine.so:1", "no parameter"});
}

TEST_F(PolicyFromALibrary, RunsLikeTheSameBuiltInPolicy) {
  copied("shift_copy");
  nlohmann::json mine = json(kLibraryRun + Arguments{"--policy", "mine.so"});
  nlohmann::json built_in = json(kLibraryRun + Arguments{"--policy", "shift"});
  EXPECT_EQ(mine["policy"], "shift-copy");
  for (nlohmann::json* one : {&mine, &built_in})
    for (const char* key : {"policy", "order", "result_hash", "command", "date", "wall_s", "cpu_s",
                            "packet_hops_per_cpu_s"})
      one->erase(key);
  EXPECT_EQ(mine, built_in);
}

TEST_F(PolicyFromALibrary, RunsOnShmAndInTransforms) {
  const std::string mine = copied("shift_copy");
  EXPECT_EQ(json(Arguments{"alltoall", "--torus", "3x2x2", "--policy", mine} + kShm)["policy"],
            "shift-copy");
  EXPECT_EQ(run(Arguments{"fft", "--size", "8", "--torus", "2x2x2", "--check", "--policy", mine} +
                kEstimate)
                .exit_code,
            0);
}

TEST_F(PolicyFromALibrary, CanBeListedAfterOtherPoliciesInCompareAndSweep) {
  const std::string mine = copied("shift_copy");
  const nlohmann::json all = json({"compare", "--torus", "3x3", "--policies", "all," + mine});
  const nlohmann::json& last = all["rows"].back();
  EXPECT_EQ(last["policy"], mine);
  EXPECT_GT(all["rows"].size(), 15u);
  expect_refusal(directory_, {"compare", "--torus", "3x3", "--policies", "all,rank"},
                 {"all and rank"});
  expect_refusal(directory_, {"compare", "--torus", "3x3", "--policies", mine + ",mine.so"},
                 {"names mine.so twice"});
  EXPECT_EQ(run({"sweep", "--torus", "3x3", "--axis", "bytes", "--bytes", "64,240", "--policies",
                 "shift," + mine})
                .exit_code,
            0);
}

TEST_F(PolicyFromALibrary, IsRefusedIfReplacedSinceItWasLoaded) {
  copied("shift_copy");
  const std::string path = directory_ / "mine.so";
  EXPECT_EQ(policy_from_library(path).name(), "shift-copy");
  copied("other_order", "new.so");
  std::filesystem::rename(directory_ / "new.so", path);
  EXPECT_THROW(
      try { (void)policy_from_library(path); } catch (const BadInput& refusal) {
        EXPECT_THAT(refusal.what(), HasSubstr("has changed since this process loaded it"));
        throw;
      },
      BadInput);
}

TEST(PolicyNew, RefusesBadNamesAndExistingFiles) {
  const TemporaryDirectory directory;
  for (const char* name : {"a/b", "9lives", "..", "two words", "random"})
    expect_refusal(directory, {"policy", "new", name}, {name});
  directory.save("mine", "mine");
  expect_refusal(directory, {"policy", "new", "mine"}, {"mine: already exists"});
  expect_refusal(directory, {"policy", "new", "other", "nowhere"}, {"nowhere/other"});
}

}  // namespace
}  // namespace toroid::testing
