// Policies from shared libraries that crash, that change between runs, or that the test compiles.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/tools/policies/library_copies.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Each run is a process of its own, so that it loads its libraries anew, and may crash.
class PolicyOfAProcess : public LibraryCopies {
 protected:
  Ended run(const Arguments& arguments) const {
    return run_process(arguments, {.directory = directory_.path()});
  }
  nlohmann::json json(const Arguments& arguments) const {
    return json_by(run_process, arguments, {.directory = directory_.path()});
  }
};

TEST_F(PolicyOfAProcess, IsRunAgainIfItsFileChangedSinceTheJournal) {
  const Arguments compare = {"compare",         "--torus",  "3x3",    "--policies",
                             "shift,./mine.so", "--resume", "journal"};
  const auto cycles = [&] { return json(compare)["rows"][1]["cycles"]; };
  const auto lines = [&] {
    std::string text = directory_.content_of("journal");
    return std::count(text.begin(), text.end(), '\n');
  };
  copied("shift_copy");
  const nlohmann::json before = cycles();
  const auto first = lines();
  EXPECT_EQ(cycles(), before);
  EXPECT_EQ(lines(), first);  // nothing was run again
  copied("other_order");
  EXPECT_NE(cycles(), before);
  EXPECT_EQ(lines(), first + 1);
}

TEST_F(PolicyOfAProcess, ACrashLeavesNoNewFiles) {
  copied("crashes_while_loading", "loading.so");
  copied("crashes", "asked.so");
  directory_.save("result.json", "old");
  const std::vector<std::string> before = directory_.entries();
  for (const char* policy : {"./loading.so", "./asked.so"})
    for (const Arguments& verb :
         {kLibraryRun + Arguments{"--record", "record.json", "--trace", "trace.json"},
          Arguments{"fft", "--size", "8", "--torus", "4x4", "--out", "out.npy"}}) {
      const Ended ended = run(verb + Arguments{"--policy", policy, "--json", "result.json"});
      EXPECT_NE(ended.exit_code, 0) << ended.out;
      EXPECT_EQ(directory_.entries(), before);
      EXPECT_EQ(directory_.content_of("result.json"), "old");
    }
}

TEST(PolicyNew, LeadsToAComparisonInThreeCommands) {
  const TemporaryDirectory directory;
  const auto typed = [&](const Arguments& arguments, const char* program = TOROID_COMMAND) {
    const Ended ended = run_process(arguments, {.directory = directory.path(), .program = program});
    EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
    return ended.out;
  };
  EXPECT_THAT(typed({"policy", "new", "nearest"}), HasSubstr("cmake -P nearest/CMakeLists.txt"));
  typed({"-P", "nearest/CMakeLists.txt"}, TOROID_CMAKE);
  const std::string table =
      typed({"compare", "--torus", "4x4x4", "--policies", "all,nearest/nearest.so"});
  EXPECT_THAT(table, HasSubstr("\nrandom "));
  EXPECT_THAT(table, HasSubstr("\nnearest/nearest.so "));
}

TEST(PolicyNew, BuildsWithoutShowingCompilerWarnings) {
  const TemporaryDirectory directory;
  const Ended written = run_process({"policy", "new", "mine"}, {.directory = directory.path()});
  ASSERT_EQ(written.exit_code, 0) << written.err;
  directory.save("mine/mine.cpp",
                 directory.content_of("mine/mine.cpp") + "static void nobody_calls_it() {}\n");
  const Ended built = run_process({"-P", "mine/CMakeLists.txt"},
                                  {.directory = directory.path(), .program = TOROID_CMAKE});
  EXPECT_EQ(built.exit_code, 0) << built.out << built.err;
  EXPECT_THAT(built.out + built.err, Not(HasSubstr("nobody_calls_it")));
}

}  // namespace
}  // namespace toroid::testing
