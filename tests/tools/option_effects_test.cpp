// The table that says where options have an effect. The options and verbs in it exist, and each row
// refuses and accepts what it states.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstddef>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "hal/machine.hpp"
#include "tests/tools/refusal.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tools/command/command_line.hpp"
#include "tools/options/option_effects.hpp"

namespace toroid::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// Returns the verbs to which the row applies and that have the option.
std::vector<const CLI::App*> verbs_with(const CLI::App& app, const OptionEffect& effect,
                                        const std::string& option) {
  const std::vector<std::string> named = words_of(effect.verbs);
  std::vector<const CLI::App*> verbs;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    const bool is_meant =
        named.empty() || std::ranges::find(named, verb->get_name()) != named.end();
    if (is_meant && verb->get_option_no_throw(option.substr(0, option.find('='))) != nullptr)
      verbs.push_back(verb);
  }
  return verbs;
}

TEST(OptionEffects, NameExistingOptionsAndVerbs) {
  const CommandLine line;
  std::set<std::string> verbs;
  for (const CLI::App* verb : line.app().get_subcommands([](const CLI::App*) { return true; }))
    verbs.insert(verb->get_name());
  for (const OptionEffect& effect : option_effects()) {
    for (const std::string& verb : words_of(effect.verbs))
      EXPECT_TRUE(verbs.contains(verb)) << verb;
    for (const std::string& option : words_of(effect.options)) {
      const auto having = verbs_with(line.app(), effect, option);
      EXPECT_FALSE(having.empty()) << option << " of " << effect.verbs;
      EXPECT_TRUE(effect.verbs.empty() || having.size() == words_of(effect.verbs).size()) << option;
    }
  }
}

/// Each row is tried on settings that meet none of its requirements.
TEST(OptionEffects, EachRowRefusesAndProposesAnAlternative) {
  for (const OptionEffect& effect : option_effects())
    for (const std::string& option : words_of(effect.options)) {
      const std::string verb = effect.verbs.empty() ? "alltoall" : words_of(effect.verbs).front();
      SCOPED_TRACE(option + " where " + std::string(effect.where));
      RunSetting nothing(verb);
      const std::vector<std::string> words = words_of(effect.where);
      for (std::size_t w = 0; w < words.size(); ++w)
        if (words[w] == "no") nothing.set(words[w + 1], "x");
      const std::string refusal = without_effect(option, verb, nothing);
      std::string shown = option;
      std::ranges::replace(shown, '=', ' ');
      EXPECT_THAT(refusal, StartsWith(shown + " has no effect on " + verb));
      EXPECT_THAT(refusal, HasSubstr(" (it works with"));
    }
}

/// Checks the full text of some refusals.
TEST(OptionEffects, RefusalsNameTheCauseAndWhatWorks) {
  RunSetting rings("fft --method volumetric");
  rings.set("--fabric", "shm").set("--route", "direct").set("--method", "volumetric");
  rings.set("sends", "exchanges");
  EXPECT_EQ(without_effect("--drain", "fft", rings),
            "--drain has no effect on fft --method volumetric with --fabric shm --route direct (it "
            "works with --route torus)");
  EXPECT_EQ(without_effect("--cores", "fft", rings),
            "--cores has no effect on fft --method volumetric with --fabric shm (it works with "
            "--method slab --fabric sim)");
  EXPECT_EQ(without_effect("--frames", "fft", rings),
            "--frames has no effect on fft --method volumetric with --fabric shm (it works with "
            "--fabric ofi)");
  EXPECT_EQ(without_effect("--inverse", "fft", rings.set("--loop", "3")),
            "--inverse has no effect on fft --method volumetric with --loop 3 (it works without "
            "--loop)");
  EXPECT_EQ(without_effect("--order", "fft", rings), "");
  EXPECT_EQ(without_effect("--order", "hello", RunSetting("hello").set("sends", "streams")),
            "--order has no effect on hello (it works with exchanges such as alltoall)");
}

TEST(OptionEffects, DirectRouteIgnoresMostMachineNumbers) {
  RunSetting direct("alltoall");
  direct.set("--fabric", "shm").set("--route", "direct");
  std::set<std::string> read;
  for (const MachineField& field : machine_fields())
    if (has_effect("--machine=" + std::string(field.key), "", direct))
      read.insert(std::string(field.key));
  // The clock turns wall-clock time into cycles; FIFOs determine the buffers of the direct route.
  // link_error_rate is not in the table, because a run checks it like --link-error.
  EXPECT_EQ(read,
            (std::set<std::string>{"clock_hz", "injection_fifo_chunks", "injection_fifos",
                                   "link_error_rate", "reception_fifo_chunks", "reception_fifos"}));
}

TEST(OptionEffects, UnusedMachineNumbersAreRefusedByName) {
  const TemporaryDirectory directory;
  const Arguments rings = {"alltoall", "--torus", "2x2", "--fabric", "shm", "--route", "direct"};
  expect_refusal(directory, rings + Arguments{"--machine", "bgl:bubble_vc_chunks=16"},
                 {"--machine bubble_vc_chunks has no effect on alltoall with --fabric shm --route "
                  "direct (it works with --route torus)"});
  expect_refusal(directory, rings + Arguments{"--machine", "bgl:hop_latency=100 ns"},
                 {"--machine hop_latency_cycles", "(it works with --fabric sim)"});
  expect_refusal(
      directory,
      {"compare", "--torus", "2x2", "--fabric", "shm", "--machine", "bgl,bgl:inject_cycles=9"},
      {"--machine inject_cycles has no effect on compare"});
  EXPECT_EQ(run_command({"alltoall", "--torus", "2x2", "--fabric", "shm", "--route", "torus",
                         "--machine", "bgl:bubble_vc_chunks=16", "--quiet"})
                .exit_code,
            0);
}

/// The direct route uses injection_fifos: its one FIFO is as large as all FIFOs of a node together.
/// A throttle uses parameters of the links, on which its interval depends. --validate uses
/// ring_slots, because it also runs hop by hop over rings.
TEST(OptionEffects, MachineNumbersUsedByOnlyOnePathAreAccepted) {
  const Arguments two = {"--torus", "2x2", "--quiet"};
  const Arguments rings = Arguments{"alltoall", "--fabric", "shm"} + two;
  for (const Arguments& run :
       {rings + Arguments{"--machine", "bgl:injection_fifos=4"},
        rings + Arguments{"--policy", "throttled:10", "--machine", "bgl:link_bits_per_cycle=4"},
        Arguments{"compare", "--policies", "random,throttled", "--fabric", "shm", "--machine",
                  "bgl:wire_overhead_bytes=20"} +
            two,
        Arguments{"compare", "--policies", "random", "--validate", "--machine",
                  "bgl:ring_slots=64"} +
            two})
    EXPECT_EQ(run_command(run).exit_code, 0) << run.front();
}

/// Changes numbers for computing, message passing and link errors, in runs that do not use them.
TEST(OptionEffects, MachineNumbersUnusedByTheVerbAreRefused) {
  const TemporaryDirectory directory;
  const Arguments two = {"--torus", "2x2x2", "--quiet"};
  const Arguments alltoall = Arguments{"alltoall"} + two;
  const Arguments fft = Arguments{"fft", "--size", "8"} + two;
  const auto machine = [](const char* key) {
    return Arguments{"--machine", std::string("bgl:") + key + "=7"};
  };
  expect_refusal(directory, alltoall + machine("fft_cycles_factor"),
                 {"(it works with fft or poisson)"});
  expect_refusal(directory, alltoall + machine("eager_bytes"), {"(it works with fft --layer mpi)"});
  expect_refusal(directory, fft + Arguments{"--method", "orbital"} + machine("eager_bytes"),
                 {"(it works with --layer mpi --method volumetric, slab or rows)"});
  expect_refusal(directory, fft + machine("fma_cycles"), {"(it works with --method orbital)"});
  expect_refusal(directory, fft + machine("message_cycles"), {"(it works with --layer mpi)"});
  expect_refusal(directory, fft + machine("link_timeout_cycles"), {"(it works with --link-error)"});
  expect_refusal(directory, Arguments{"compare", "--torus", "2x2"} + machine("transpose_cycles"),
                 {"(it works with --workload fft:volumetric, fft:slab, fft:rows or "
                  "fft:orbital:fft)"});
  const Arguments orbital = {"compare", "--torus", "2x2x2", "--workload", "fft:8:orbital"};
  expect_refusal(directory, orbital + machine("transpose_cycles"),
                 {"has no effect on fft:8:orbital (it works with --workload fft:volumetric, "});
  expect_refusal(
      directory,
      Arguments{"compare", "--torus", "2x2", "--workload", "fft:8"} + machine("fma_cycles"),
      {"has no effect on fft:8 (it works with --workload fft:orbital or fft:orbital:fft)"});
  expect_refusal(directory,
                 Arguments{"bench", "latency", "--torus", "2x2"} + machine("fft_cycles_factor"),
                 {"bench latency with --fabric shm (it works with bench overlap --fabric sim)"});
  for (const Arguments& run :
       {fft + machine("transpose_cycles"),
        fft + Arguments{"--layer", "mpi"} + machine("eager_bytes"),
        orbital + Arguments{"--quiet"} + machine("fma_cycles"),
        Arguments{"compare", "--torus", "2x2x2", "--workload", "fft:8:orbital:fft", "--quiet"} +
            machine("fma_cycles"),
        fft + Arguments{"--method", "orbital"} + machine("fma_cycles"),
        fft + Arguments{"--method", "orbital", "--transform", "fft"} + machine("transpose_cycles"),
        alltoall + Arguments{"--link-error", "1e-9"} + machine("link_timeout_cycles")})
    EXPECT_EQ(run_command(run).exit_code, 0) << run.back();
}

TEST(OptionEffects, ErrorRateZeroMeansNoErrors) {
  const TemporaryDirectory directory;
  const Arguments none = {"alltoall", "--torus", "2", "--quiet", "--link-error", "0"};
  EXPECT_EQ(run_command(none).exit_code, 0);
  expect_refusal(directory, none + Arguments{"--link-burst", "5"},
                 {"--link-burst has no effect on alltoall", "(it works with --link-error)"});
}

TEST(OptionEffects, BlockingExchangesHaveNoWindow) {
  const TemporaryDirectory directory;
  expect_refusal(directory,
                 {"fft", "--size", "8", "--torus", "2x2x2", "--method", "slab", "--planes", "0",
                  "--window", "3"},
                 {"--window has no effect on fft --method slab with --planes 0"});
}

/// A refusal never proposes an option that another row of the table refuses. It names all missing
/// options, and only options that the verb has.
TEST(OptionEffects, RefusalsNameAllMissingAndOnlyExistingOptions) {
  const TemporaryDirectory directory;
  expect_refusal(
      directory,
      {"fft", "--size", "8", "--torus", "2x2", "--fabric", "shm", "--link-error-limit", "5"},
      {"(it works with --link-error --fabric sim)"});
  expect_refusal(
      directory,
      {"poisson", "--torus", "2x2", "--size", "8", "--method", "orbital", "--kernel", "fftw"},
      {"(it works with --method volumetric, slab or rows)"});
  expect_refusal(directory,
                 {"fft", "--size", "8", "--torus", "2x2x2", "--method", "orbital", "--fabric",
                  "shm", "--route", "torus", "--transfer", "put"},
                 {"(it works with --route direct)"});
  expect_refusal(directory, {"fft", "--size", "8", "--torus", "4x4@YX2", "--tie", "both"},
                 {"with twist 4x4@YX2 (it works without twist)"});
}

TEST(OptionEffects, HelpNotesWhereAnOptionHasAnEffect) {
  const CommandLine line;
  const auto note = [&](const char* verb) {
    const CLI::App* app = line.app().get_subcommand(verb);
    return effect_note(*app->get_option("--fail-node"), *app);
  };
  EXPECT_THAT(note("fft"), HasSubstr("with alltoall or replay"));
  EXPECT_EQ(note("alltoall"), "only with --fabric sim or with --route torus");
  const auto order = [&](const char* verb) {
    const CLI::App* app = line.app().get_subcommand(verb);
    return effect_note(*app->get_option("--order"), *app);
  };
  EXPECT_EQ(order("hello"), "only with exchanges such as alltoall");
  EXPECT_EQ(order("alltoall"), "");
}

/// Which options have an effect on every fabric, route and kind of message. JSON has null for the
/// others.
TEST(OptionEffects, DependOnFabricRouteAndKindOfMessage) {
  for (const std::string fabric : {"sim", "shm", "ofi"})
    for (const std::string route : {"torus", "direct"})
      for (const std::string sends : {"exchanges", "messages", "streams", "shifts"}) {
        RunSetting setting("run");
        setting.set("--fabric", fabric).set("--route", route).set("sends", sends);
        const auto reads = [&](const char* option) { return has_effect(option, "", setting); };
        const bool is_sim = fabric == "sim";
        const bool goes_by_links = is_sim || route == "torus";
        EXPECT_EQ(reads("--order"), sends == "exchanges");
        EXPECT_EQ(reads("--per-visit"), sends == "exchanges" || sends == "messages");
        EXPECT_EQ(reads("--transfer"),
                  sends == "exchanges" || (sends == "shifts" && !goes_by_links));
        for (const char* option : {"--drain", "--tying", "--fifo-links", "--routing", "--tie",
                                   "--no-bubble", "--no-transit-first", "--fail-link"})
          EXPECT_EQ(reads(option), goes_by_links) << option;
        for (const char* option : {"--route", "--bind", "--stall"})
          EXPECT_EQ(reads(option), !is_sim) << option;
        for (const char* option : {"--provider", "--frames"})
          EXPECT_EQ(reads(option), fabric == "ofi") << option;
        for (const char* option : {"--record", "--trace"}) EXPECT_EQ(reads(option), is_sim);
        for (const char* option : {"--torus", "--bytes", "--queues", "--seed"})
          EXPECT_TRUE(reads(option)) << option;
      }
}

}  // namespace
}  // namespace toroid::testing
