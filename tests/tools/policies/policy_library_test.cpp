// Policies from shared libraries: refusals, and runs equal to those of built-in policies.
#include <fmt/core.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "hal/check.hpp"
#include "packet/policies/policy.hpp"
#include "tests/tools/policies/libraries/acts.hpp"
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

/// Functions that are called when the library is loaded; the others are called during a run.
bool is_called_at_load(std::string_view function) {
  return function.ends_with("constructor") || function.ends_with("name()") ||
         function.ends_with("source()") || function.ends_with("result()") ||
         function == "changes_order()" || function == "combines()" || function == "has_releases()";
}

/// The text that names an exception from `function`; its act is 0, a number, or 1, an exception.
std::string thrown_text(std::string_view function, unsigned act) {
  if (act == 1) return "not today";
  return function == "its constructor"
             ? "its constructor threw something other than a std::exception"
             : fmt::format("{} threw something that is not a std::exception", function);
}

TEST_F(PolicyFromALibrary, NamesTheFunctionThatThrowsWhateverItThrows) {
  const std::string library = copied("misbehaves");
  for (unsigned function = 0; function < std::size(kFunctions); ++function)
    for (const unsigned act : {0U, 1U}) {
      const std::string policy = fmt::format("{}:{}", library, parameter_of(function, act));
      const bool is_of_large = kFunctions[function] == "the function of order()";
      for (const Arguments& fabric :
           {Arguments{"--threads", "1"}, Arguments{"--threads", "3"}, kShm}) {
        if (kFunctions[function] == "release()" && fabric == kShm) continue;  // refused there
        const Ended ended = run(Arguments{"alltoall", "--torus", is_of_large ? "32x33" : "4x2",
                                          "--policy", policy, "--quiet"} +
                                fabric);
        SCOPED_TRACE(fmt::format("{} {} {}", kFunctions[function], policy, fmt::join(fabric, " ")));
        EXPECT_EQ(ended.exit_code, is_called_at_load(kFunctions[function]) ? 2 : 1);
        EXPECT_EQ(ended.err_lines(), 1) << ended.err;
        EXPECT_THAT(ended.err, HasSubstr(policy));
        EXPECT_THAT(ended.err, HasSubstr(thrown_text(kFunctions[function], act)));
      }
    }
}

TEST_F(PolicyFromALibrary, ThatThrowsIsNamedByComparisonsAndTheCheck) {
  const std::string library = copied("misbehaves");
  const auto named = [&](std::string_view function) {
    const auto at = std::ranges::find(kFunctions, function) - std::begin(kFunctions);
    return fmt::format("{}:{}", library, parameter_of(static_cast<unsigned>(at), 0));
  };
  for (const char* function : {"settings()", "order()"}) {
    const Ended compared = run(
        {"compare", "--torus", "4x2", "--threads", "2", "--policies", "rank," + named(function)});
    EXPECT_EQ(compared.exit_code, 1) << compared.out;
    EXPECT_THAT(compared.err,
                HasSubstr(fmt::format("policy misbehaves ({}): {} threw something that "
                                      "is not a std::exception",
                                      named(function), function)));
    const Ended checked = run({"policy", "check", named(function), "--json", "-"});
    EXPECT_EQ(checked.exit_code, 1);
    EXPECT_EQ(checked.json()["parts"].back()["breaks"][0]["kind"], "throws") << checked.out;
  }
}

TEST_F(PolicyFromALibrary, IsRefusedIfItThrowsWhileItIsLoaded) {
  expect_refused(copied("while_loading", "entry throws a number.so"),
                 {"entry throws a number.so: toroid_policy_library threw something"});
  expect_refused(copied("while_loading", "entry throws an exception.so"), {"not today"});
  expect_refused(copied("while_loading", "entry null.so"),
                 {"toroid_policy_library() returned null"});
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
