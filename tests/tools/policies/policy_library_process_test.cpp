// Policies from shared libraries that crash, that change between runs, or that the test compiles.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/comes_true.hpp"
#include "tests/tools/policies/libraries/acts.hpp"
#include "tests/tools/policies/library_copies.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tools/run/ofi.hpp"

namespace toroid::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Each run is a process of its own, so that it loads its libraries anew, and may crash.
class PolicyOfAProcess : public LibraryCopies {
 protected:
  /// AddressSanitizer would end a process that receives SIGSEGV by itself, with an exit code.
  static void SetUpTestSuite() {
    const char* const given = std::getenv("ASAN_OPTIONS");
    const std::string options = fmt::format("{}:handle_segv=0", given == nullptr ? "" : given);
    ::setenv("ASAN_OPTIONS", options.c_str(), 1);
  }
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

/// Expects that a run of its own process fails with one line that contains `text`. If `signal` is
/// not 0, the run must end by this signal instead.
void expect_failed(const Ended& ended, int code, const std::string& text, int signal = 0) {
  EXPECT_EQ(ended.signal, signal);
  EXPECT_EQ(ended.exit_code, signal == 0 ? code : -1);
  EXPECT_TRUE(signal != 0 || ended.err_lines() == 1) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr(text));
}

/// How a run ends in which a function of a policy does something.
struct EndOfRun {
  unsigned act;
  int signal;
  bool names_function;  ///< otherwise only the file is known
};
constexpr EndOfRun kEnds[] = {{2, 0, true},  {3, 0, true},        {4, 0, false},
                              {5, 0, false}, {6, SIGABRT, false}, {7, SIGSEGV, false},
                              {8, 0, false}};

TEST_F(PolicyOfAProcess, CannotEndTheRunUnnoticed) {
  const std::string library = copied("misbehaves");
  const auto functions = static_cast<unsigned>(std::size(kFunctions));
  for (unsigned function = 0; function + 1 < functions; ++function)
    for (const auto& [act, signal, names_function] : kEnds) {
      if (act > 3 && function != 0 && kFunctions[function] != "order()") continue;
      const std::string policy = fmt::format("{}:{}", library, parameter_of(function, act));
      SCOPED_TRACE(fmt::format("{} in {}", kActs[act], kFunctions[function]));
      const std::string text =
          act == 8      ? "interrupted"
          : signal != 0 ? ""
          : names_function
              ? fmt::format("exit() was called in {}\n", kFunctions[function])
              : fmt::format("policy {}: its library ended the process with exit code", policy);
      expect_failed(run({"alltoall", "--torus", "4x2", "--json", "r.json", "--policy", policy}), 1,
                    text, signal);
      EXPECT_THAT(directory_.entries(), ::testing::ElementsAre("mine.so"));
    }
}

TEST_F(PolicyOfAProcess, CannotEndTheRunWhileItIsLoaded) {
  for (const auto& [place, function] :
       {std::pair{"initialization", "the initialization of its static objects"},
        std::pair{"entry", "toroid_policy_library"}}) {
    const auto end = [&](const std::string& act) {
      return run(kLibraryRun + Arguments{"--policy", copied("while_loading",
                                                            fmt::format("{} {}.so", place, act))});
    };
    for (const char* act : {"exit", "quick_exit"})
      expect_failed(end(act), 1, fmt::format("exit() was called in {}", function));
    expect_failed(end("_Exit"), 1, "its library ended the process with exit code 0 before");
    expect_failed(end("_exit 1"), 1, "its library ended the process with exit code 1 before");
    expect_failed(end("raise SIGSEGV"), 1, "so was ended by signal 11 (Seg", SIGSEGV);
    expect_failed(end("raise SIGKILL"), 1, "so was ended by signal 9 (Killed", SIGKILL);
  }
}

TEST_F(PolicyOfAProcess, IsNamedIfItNeverReturnsAnOrder) {
  constexpr unsigned kOrder = 5, kNeverReturns = 9;
  const std::string policy =
      fmt::format("{}:{}", copied("misbehaves"), parameter_of(kOrder, kNeverReturns));
  for (const Arguments& fabric : {Arguments{}, kShm}) {
    const Ended ended =
        run(Arguments{"alltoall", "--torus", "4x2", "--quiet", "--limit", "1", "--policy", policy} +
            fabric);
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_THAT(ended.err, HasSubstr("the run did not"));
  }
}

TEST_F(PolicyOfAProcess, IsNamedIfItsInitializationThrows) {
  for (const char* act : {"throws a number", "throws an exception"})
    expect_failed(
        run(kLibraryRun + Arguments{"--policy", copied("while_loading",
                                                       fmt::format("initialization {}.so", act))}),
        1,
        fmt::format("toroid: policy ./initialization {}.so: an exception that nothing can catch "
                    "was thrown in the initialization of its static objects",
                    act));
}

TEST_F(PolicyOfAProcess, OnWorkerThreadsCannotEndTheRunUnnoticed) {
  const std::string library = copied("misbehaves");
  for (const unsigned act : {2U, 4U})
    for (const Arguments& fabric : {Arguments{"--threads", "3"}, kShm})
      expect_failed(run(Arguments{"compare", "--torus", "4x2", "--policies",
                                  fmt::format("rank,{}:{}", library, parameter_of(5, act))} +
                        fabric),
                    1, library);
}

TEST_F(PolicyOfAProcess, CannotEndALaunchedRunUnnoticed) {
  if (!has_ofi()) GTEST_SKIP() << "built without ofi";
  const std::string library = copied("misbehaves");
  const auto ended = [&](const Arguments& program, unsigned function) {
    const std::string policy = fmt::format("{}:{}", library, parameter_of(function, 4));
    return run(Arguments{"launch", "-n", "2"} + program +
               Arguments{"alltoall", "--torus", "4x2", "--fabric", "ofi", "--policy", policy});
  };
  for (const unsigned function : {0U, 5U}) {
    const Ended own = ended({}, function);
    EXPECT_EQ(own.exit_code, 1) << own.out;
    EXPECT_THAT(own.err, HasSubstr("ended with exit code 0 in the middle of the run"));
    const Ended other = ended({"--", TOROID_COMMAND}, function);
    EXPECT_EQ(other.exit_code, 1) << other.out;
    EXPECT_THAT(other.err, HasSubstr("its library ended the process with exit code 0"));
  }
}

/// The process that runs the command for `parent`, or 0.
pid_t child_of(pid_t parent) {
  pid_t child = 0;
  std::ifstream(fmt::format("/proc/{0}/task/{0}/children", parent)) >> child;
  return child;
}

const Arguments kLong = {"alltoall", "--torus", "16x16x16", "--bytes",  "240000",
                         "--quiet",  "--json",  "r.json",   "--policy", "./mine.so"};

TEST_F(PolicyOfAProcess, LetsASignalToItsRunOrToBothProcessesEndTheRunOnce) {
  copied("shift_copy");
  for (const bool both : {false, true})
    for (const int signal : {SIGINT, SIGTERM}) {
      RunningCommand command(kLong, {.directory = directory_.path()});
      ASSERT_TRUE(comes_true([&] { return child_of(command.pid()) != 0; }));
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      if (both) ::kill(child_of(command.pid()), signal);
      command.signal(signal);
      expect_failed(command.wait(), 1, "toroid: interrupted\n");
    }
}

TEST_F(PolicyOfAProcess, EndsWithItsParent) {
  copied("shift_copy");
  RunningCommand command(kLong, {.directory = directory_.path()});
  ASSERT_TRUE(comes_true([&] { return child_of(command.pid()) != 0; }));
  const pid_t child = child_of(command.pid());
  command.signal(SIGKILL);
  EXPECT_EQ(command.wait().signal, SIGKILL);
  EXPECT_TRUE(comes_true([&] { return ::kill(child, 0) != 0; }));
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
