// Manual pages and completion scripts, as man and the shells read them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tools/command/command_line.hpp"
#include "tools/options/builtin_names.hpp"
#include "tools/options/option_text.hpp"

namespace toroid::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

constexpr const char* kBash = "/bin/bash";

/// Path of a program; empty if it is not installed.
std::string installed(const std::string& program) {
  for (const std::string folder : {"/usr/bin/", "/bin/"})
    if (std::filesystem::exists(folder + program)) return folder + program;
  return {};
}

std::string document(const Arguments& arguments) {
  const Ended ended = run_command(arguments);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return ended.out;
}

class Documents : public ::testing::Test {
 protected:
  Ended run(const std::string& program, const Arguments& arguments) const {
    return run_process(arguments, {.directory = directory_.path(), .program = program.c_str()});
  }

  /// Completions that bash offers for the last of the words.
  std::vector<std::string> candidates(const Arguments& words) const {
    std::string line;
    for (const std::string& word : words) line += " '" + word + "'";
    const std::string script = "source ./completion; COMP_WORDS=(" + line +
                               "); COMP_CWORD=" + std::to_string(words.size() - 1) +
                               "; _toroid; printf '%s\\n' \"${COMPREPLY[@]}\"";
    directory_.save("completion", document({"completion", "bash"}));
    const Ended ended = run(kBash, {"-c", script});
    EXPECT_EQ(ended.err, "");
    std::istringstream in(ended.out);
    std::vector<std::string> lines;
    for (std::string one; std::getline(in, one);)
      if (!one.empty()) lines.push_back(one);
    return lines;
  }

  const TemporaryDirectory directory_;
};

TEST_F(Documents, BashCompletesVerbs) {
  EXPECT_THAT(candidates({"toroid", "swe"}), ElementsAre("sweep"));
  EXPECT_THAT(candidates({"toroid", ""}), IsSupersetOf(command_names(CommandLine().app())));
  EXPECT_THAT(candidates({"toroid", "help", "poi"}), ElementsAre("poisson"));
  EXPECT_THAT(candidates({"toroid", "completion", ""}), ElementsAre("bash", "zsh", "fish"));
  EXPECT_THAT(candidates({"toroid", "--v"}), ElementsAre("--version"));
}

TEST_F(Documents, BashCompletesOptions) {
  EXPECT_THAT(candidates({"toroid", "fft", "--me"}), UnorderedElementsAre("--mesh", "--method"));
  EXPECT_THAT(candidates({"toroid", "fft", "--size", "8", "--pla"}),
              UnorderedElementsAre("--planes", "--plan"));
  EXPECT_THAT(candidates({"toroid", "alltoall", "--me"}), ElementsAre("--mesh"));
  const CommandLine line;
  for (const CLI::App* command : commands_of(line.app())) {
    const std::string name = full_name(*command).substr(std::string("toroid ").size());
    const std::vector<std::string> offered = candidates({"toroid", name, "--"});
    for (const OptionText& option : option_texts(*command))
      if (!option.is_argument() && option.names.back().starts_with("--")) {
        EXPECT_THAT(offered, Contains(option.names.back())) << name;
      }
  }
}

TEST_F(Documents, BashCompletesValuesThatAreNames) {
  EXPECT_THAT(candidates({"toroid", "fft", "--method", ""}),
              ElementsAre("volumetric", "slab", "orbital", "rows"));
  EXPECT_THAT(candidates({"toroid", "fft", "--method", "=", "vo"}), ElementsAre("volumetric"));
  EXPECT_THAT(candidates({"toroid", "alltoall", "--policy", ""}),
              IsSupersetOf(std::vector<std::string>(policy_names().begin(), policy_names().end())));
  EXPECT_THAT(candidates({"toroid", "compare", "--policies", "random,shi"}),
              ElementsAre("random,shift"));
  EXPECT_THAT(candidates({"toroid", "bench", "lat"}), ElementsAre("latency"));
  EXPECT_THAT(candidates({"toroid", "alltoall", "--machine", "bgl-fi"}), ElementsAre("bgl-fitted"));
  EXPECT_THAT(candidates({"toroid", "fft", "--size", ""}), ElementsAre());
}

TEST_F(Documents, BashCompletesFilesForFileOptions) {
  directory_.save("density.npy", "");
  EXPECT_THAT(candidates({"toroid", "fft", "--in", "den"}), ElementsAre("density.npy"));
  EXPECT_THAT(candidates({"toroid", "report", "den"}), ElementsAre("density.npy"));
  EXPECT_THAT(candidates({"toroid", "alltoall", "--machine", "den"}), ElementsAre("density.npy"));
  EXPECT_THAT(candidates({"toroid", "alltoall", "--order", "den"}), ElementsAre());
}

TEST_F(Documents, BashCompletesCommandsAfterLaunch) {
  EXPECT_THAT(candidates({"toroid", "launch", "-n", "4", "hel"}), ElementsAre("hello", "help"));
  EXPECT_THAT(candidates({"toroid", "launch", "-n", "4", "fft", "--me"}),
              UnorderedElementsAre("--mesh", "--method"));
  EXPECT_THAT(candidates({"toroid", "launch", "-n", "4", "toroid", "bench", "ra"}),
              ElementsAre("rate"));
  EXPECT_THAT(candidates({"toroid", "launch", "--ho"}), ElementsAre("--hosts"));
}

TEST_F(Documents, CompletionScriptsParseInTheirShells) {
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const std::string script = document({"completion", shell});
    EXPECT_THAT(script, HasSubstr("toroid"));
    directory_.save("script", script);
    const std::string program = installed(shell);
    if (program.empty()) {
      std::cout << shell << " is not installed: its script is not checked\n";
      continue;
    }
    const Ended ended = run(program, {"-n", "script"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.err, "");
  }
}

TEST_F(Documents, HaveAManualPageForTheCommandAndEachVerb) {
  EXPECT_EQ(
      run_command({"man", "--directory", "pages"}, {.directory = directory_.path()}).exit_code, 0);
  std::vector<std::string> expected{"toroid.1"};
  for (const std::string& command : command_names(CommandLine().app()))
    expected.push_back("toroid-" + command + ".1");
  std::ranges::sort(expected);
  std::vector<std::string> written;
  for (const auto& entry : std::filesystem::directory_iterator(directory_.path() / "pages"))
    written.push_back(entry.path().filename());
  std::ranges::sort(written);
  EXPECT_EQ(written, expected);
  EXPECT_EQ(directory_.content_of("pages/toroid-fft.1"), document({"man", "fft"}));
  EXPECT_EQ(directory_.content_of("pages/toroid.1"), document({"man"}));
}

TEST_F(Documents, ManualPagesFormatWithoutWarnings) {
  const std::string groff = installed("groff");
  if (groff.empty()) GTEST_SKIP() << "groff is not installed";
  run_command({"man", "--directory", "pages"}, {.directory = directory_.path()});
  for (const auto& entry : std::filesystem::directory_iterator(directory_.path() / "pages")) {
    const Ended ended = run(groff, {"-man", "-ww", "-Tascii", "-P-cbou", entry.path()});
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_EQ(ended.err, "") << entry.path();
    for (const char* heading : {"NAME", "SYNOPSIS", "OPTIONS", "EXAMPLES", "EXIT STATUS"})
      EXPECT_THAT(ended.out, HasSubstr(heading)) << entry.path();
    EXPECT_THAT(ended.out, Not(HasSubstr("\\")));
  }
}

TEST_F(Documents, ManualPagesListEveryOption) {
  const std::string groff = installed("groff");
  if (groff.empty()) GTEST_SKIP() << "groff is not installed";
  directory_.save("fft.1", document({"man", "fft"}));
  const std::string page = run(groff, {"-man", "-Tascii", "-P-cbou", "-rLL=200n", "fft.1"}).out;
  const CommandLine line;
  for (const OptionText& option : option_texts(*find_command(line.app(), "fft")))
    EXPECT_THAT(page, HasSubstr(option.heading()));
  EXPECT_THAT(page, HasSubstr("--transform KINDS"));
  EXPECT_THAT(page, HasSubstr("toroid fft --size 64 --torus 4x4x4"));
}

}  // namespace
}  // namespace toroid::testing
