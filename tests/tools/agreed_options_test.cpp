// The options that all processes of a run must have alike.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tools/command/command_line.hpp"
#include "tools/options/agreed_options.hpp"
#include "tools/options/option_effects.hpp"

namespace toroid::testing {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::Not;
using ::testing::StartsWith;

std::vector<std::string> agreed(std::vector<std::string> words) {
  CommandLine line;
  line.parse(words);
  return agreed_options(*line.app().get_subcommands().front());
}

TEST(AgreedOptions, AreTypedValuesAndDefaults) {
  const auto texts = agreed({"alltoall", "--torus", "4", "--bytes=99"});
  EXPECT_EQ(texts.front(), "verb alltoall");
  for (const char* text : {"--torus 4", "--bytes 99", "--seed 1", "no --provider", "no --export"})
    EXPECT_THAT(texts, Contains(text));
  EXPECT_EQ(texts, agreed({"alltoall", "--bytes", "99", "--seed", "1", "--torus", "4"}));
}

TEST(AgreedOptions, LeaveOutOutputsThreadsBindingAndWisdom) {
  const auto texts = agreed({"fft", "--torus", "4", "--size", "4", "--out", "a.npy", "--json", "-",
                             "--threads", "3", "--bind", "none", "--wisdom", "w", "--quiet"});
  EXPECT_EQ(texts,
            agreed({"fft", "--torus", "4", "--size", "4", "--out", "b.npy", "--json", "b.json"}));
  for (const std::string_view own : own_options())
    EXPECT_THAT(texts, Each(Not(StartsWith(std::string(own) + " "))));
}

/// A process other than process 0 writes no file, so its option alone would do nothing.
TEST(AgreedOptions, HaveOutputsButNotTheirPaths) {
  for (const std::string output : {"--export", "--json", "--record", "--trace", "--report"}) {
    const auto texts = agreed({"alltoall", "--torus", "4", output, "a"});
    EXPECT_THAT(texts, Contains(output));
    EXPECT_EQ(texts, agreed({"alltoall", "--torus", "4", output, "b"}));
    EXPECT_THAT(agreed({"alltoall", "--torus", "4"}), Contains("no " + output));
  }
}

TEST(AgreedOptions, LeaveOutOnlyOptionsThatExist) {
  const CommandLine line;
  std::vector<std::string> known;
  for (const CLI::App* const verb :
       line.app().get_subcommands([](const CLI::App*) { return true; }))
    for (const CLI::Option* const option : verb->get_options()) known.push_back(key_of(*option));
  for (const std::string_view own : own_options())
    EXPECT_NE(std::ranges::find(known, own), known.end()) << own;
}

}  // namespace
}  // namespace toroid::testing
