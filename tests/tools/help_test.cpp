// Help of the program and of each verb, in lines of at most 80 columns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tools/command/command_line.hpp"
#include "tools/command/help_man_completion.hpp"
#include "tools/options/option_text.hpp"
#include "tools/options/option_values.hpp"
#include "tools/text/split_and_wrap.hpp"

namespace toroid::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> help_lines(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string printed(const Arguments& arguments) {
  const Ended ended = run_command(arguments);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  return ended.out;
}

TEST(Help, FitsEightyColumns) {
  const CommandLine line;
  std::string all = help_text(line.app());
  for (const CLI::App* command : commands_of(line.app()))
    all += help_text(*command, HelpDetail::all) + help_text(*command);
  EXPECT_GT(help_lines(all).size(), 300u);
  for (const std::string& line : help_lines(all)) EXPECT_LE(line.size(), 80u) << line;
}

TEST(Help, ListsEveryOptionInAGroupWithADescription) {
  const CommandLine line;
  for (const CLI::App* command : commands_of(line.app())) {
    const std::string help = help_text(*command, HelpDetail::all);
    SCOPED_TRACE(help.substr(0, help.find('\n')));
    for (const OptionText& option : option_texts(*command)) {
      EXPECT_THAT(help, HasSubstr("\n  " + option.heading()));
      EXPECT_FALSE(option.description.empty()) << option.heading();
      if (option.is_argument()) continue;
      EXPECT_NE(option.group, "Options") << option.heading();
      EXPECT_THAT(help, HasSubstr("\n" + option.group + ":\n"));
    }
  }
}

/// Counts the options shown, because an option that is misspelt in the list of usual options would
/// not be shown.
TEST(Help, ShowsTheUsualOptionsFirst) {
  const std::string help = printed({"help", "fft"});
  for (const char* option : {"--size", "--in", "--torus", "--fabric", "--method", "--real",
                             "--inverse", "--check", "--out", "--report"})
    EXPECT_THAT(help, HasSubstr("\n  " + std::string(option))) << option;
  EXPECT_THAT(help, Not(HasSubstr("--tying")));
  EXPECT_THAT(help, HasSubstr("'toroid help fft --all' shows all "));
  EXPECT_THAT(printed({"help", "launch"}), Not(HasSubstr("--all")));
  for (const auto& [verb, options] :
       {std::pair("alltoall", 9), std::pair("compare", 9), std::pair("sweep", 9),
        std::pair("poisson", 10), std::pair("redistribute", 9), std::pair("replay", 7),
        std::pair("hello", 5), std::pair("bench", 7)}) {
    const std::vector<std::string> lines = help_lines(printed({"help", verb}));
    EXPECT_EQ(std::ranges::count_if(
                  lines, [](const std::string& line) { return line.starts_with("  -"); }),
              options)
        << verb;
  }
}

TEST(Help, IsShownWithoutAVerb) {
  EXPECT_EQ(printed({}), printed({"help"}));
  EXPECT_EQ(printed({"version"}), printed({"--version"}));
}

TEST(Help, HasValidExamplesForEveryVerb) {
  const CommandLine line;
  for (const CLI::App* command : commands_of(line.app())) {
    const std::vector<Example> examples = examples_of(*command);
    EXPECT_FALSE(examples.empty()) << full_name(*command);
    for (const Example& example : examples) {
      EXPECT_THAT(help_text(*command), HasSubstr("\n  " + example.command + "\n"));
      std::istringstream in(example.command.substr(0, example.command.find(" |")));
      Arguments words;
      for (std::string word; in >> word;) words.push_back(word);
      if (words.front() != "toroid") continue;
      words.erase(words.begin());
      EXPECT_NO_THROW(CommandLine().parse(words)) << example.command;
    }
  }
}

TEST(Help, IsTheSameByVerbAndByOption) {
  for (const std::string command : {"fft", "launch", "help", "completion"}) {
    const std::string help = printed({"help", command});
    EXPECT_THAT(help, HasSubstr("Usage: toroid " + command));
    EXPECT_EQ(printed({command, "--help"}), help);
    EXPECT_EQ(printed({command, "-h"}), help);
  }
  EXPECT_EQ(printed({"--help"}), printed({"help"}));
  EXPECT_THAT(printed({"help"}), HasSubstr("Usage: toroid VERB [OPTIONS]\n"));
}

TEST(Help, StatesChoicesRangesDefaultsAndRequiredOptions) {
  const std::string help = printed({"help", "alltoall", "--all"});
  EXPECT_THAT(help, HasSubstr("--torus SHAPE"));
  EXPECT_THAT(help, HasSubstr("X by 4 (required)"));
  EXPECT_THAT(help, HasSubstr("order in which a node visits its peers (default: the\n"
                              "                          policy's): random, rank,"));
  EXPECT_THAT(help, HasSubstr("output queues per node, the patent's L; default: the\n"
                              "                          policy's, usually 1 (1 to"));
  EXPECT_THAT(printed({"help", "bench"}), HasSubstr("Usage: toroid bench [OPTIONS] KIND\n"));
  EXPECT_THAT(printed({"help", "bench", "--all"}),
              HasSubstr("1,8,64,512; only with bench\n"
                        "                          overlap)"));  // a list
}

TEST(Help, VersionIsOneLine) {
  const std::string version = printed({"--version"});
  EXPECT_EQ(help_lines(version).size(), 1u);
  EXPECT_THAT(version, ::testing::MatchesRegex("toroid [0-9.]+ \\(.+\\)\n"));
  EXPECT_EQ(printed({"-V"}), version);
}

TEST(Wrap, BreaksAtBlanks) {
  EXPECT_THAT(word_wrapped("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(word_wrapped("one two three", 6), ElementsAre("one", "two", "three"));
  EXPECT_THAT(word_wrapped("immeasurable one", 5), ElementsAre("immeasurable", "one"));
  EXPECT_THAT(word_wrapped("", 5), ElementsAre(""));
}

TEST(Wrap, PutsTextBesideItsHeadingIfItFits) {
  EXPECT_EQ(list_entry("-n N", "processes", 2, 8), "  -n N  processes\n");
  EXPECT_EQ(list_entry("-nn N", "processes", 2, 8), "  -nn N processes\n");
  EXPECT_EQ(list_entry("-nnn N", "processes", 2, 8), "  -nnn N\n        processes\n");
  EXPECT_EQ(list_entry("-q", "", 2, 8), "  -q\n");
}

}  // namespace
}  // namespace toroid::testing
