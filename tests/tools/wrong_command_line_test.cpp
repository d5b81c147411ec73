// Typos are reported with the nearest existing name.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "tests/scale.hpp"
#include "tests/tools/refusal.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tools/command/command_line.hpp"
#include "tools/options/option_text.hpp"
#include "tools/run/ofi.hpp"
#include "tools/text/spelling.hpp"

namespace toroid::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Returns typos of the word: a letter dropped, two letters swapped, and a letter doubled. Each
/// typo is near the middle of the word, where two different letters meet.
std::vector<std::string> typos_of(const std::string& word) {
  std::size_t at = word.size() / 2;
  while (at + 1 < word.size() && word[at] == word[at - 1]) ++at;
  if (word.size() < 2 || word[at] == word[at - 1]) return {};
  std::string dropped = word;
  dropped.erase(at, 1);
  std::string swapped = word;
  std::swap(swapped[at - 1], swapped[at]);
  std::string doubled = word;
  doubled.insert(at, 1, word[at]);
  return scaled(std::vector{dropped, swapped, doubled});
}

std::string refusal_of(CommandLine& line, const Arguments& arguments) {
  try {
    line.parse(arguments);
  } catch (const BadInput& refusal) {
    return refusal.what();
  }
  return "accepted";
}

/// Returns the name that the message suggests, or an empty string.
std::string suggested_in(const std::string& message) {
  const std::string_view mark = "did you mean '";
  const std::size_t begin = message.find(mark);
  if (begin == std::string::npos) return {};
  const std::size_t end = message.find('\'', begin + mark.size());
  return message.substr(begin + mark.size(), end - begin - mark.size());
}

/// The suggestion must be one of `names` and within one edit of the typo.
void expect_nearest(const std::string& message, const std::string& typo,
                    const std::vector<std::string>& names) {
  const std::string suggested = suggested_in(message);
  EXPECT_EQ(std::ranges::count(names, suggested), 1) << message;
  EXPECT_LE(edit_distance(typo, suggested), 1u) << message;
}

std::vector<std::string> long_names_of(const std::vector<OptionText>& options) {
  std::vector<std::string> names;
  for (const OptionText& option : options)
    std::ranges::copy_if(option.names, std::back_inserter(names),
                         [](const std::string& name) { return name.starts_with("--"); });
  return names;
}

std::vector<std::string> all_commands() {
  return command_names(CommandLine().app());
}

TEST(WrongCommandLine, SuggestsTheNearestOptionForEveryTypo) {
  std::size_t wrong = 0;
  for (const std::string& command : all_commands()) {
    CommandLine line;
    const std::vector<std::string> options =
        long_names_of(option_texts(*find_command(line.app(), command)));
    for (const std::string& option : options)
      for (const std::string& typo : typos_of(option.substr(2))) {
        const std::string typed = "--" + typo;
        if (std::ranges::count(options, typed) > 0) continue;
        const std::string message = refusal_of(line, {command, typed, "2"});
        EXPECT_THAT(message, StartsWith("unknown option '" + typed + "' of " + command + ";"));
        expect_nearest(message, typed, options);
        ++wrong;
      }
  }
  EXPECT_GE(wrong, scaled(500u));
}

TEST(WrongCommandLine, SuggestsTheNearestCommandForEveryTypo) {
  CommandLine line;
  const std::vector<std::string> commands = all_commands();
  for (const std::string& command : commands)
    for (const std::string& typo : typos_of(command))
      for (const Arguments& arguments : {Arguments{typo}, Arguments{typo, "--torus", "2"},
                                         Arguments{typo, "--help"}, Arguments{"help", typo}}) {
        if (std::ranges::count(commands, typo) > 0) continue;
        const std::string message = refusal_of(line, arguments);
        EXPECT_THAT(message, StartsWith("unknown verb '" + typo + "';"));
        expect_nearest(message, typo, commands);
      }
}

/// Returns whether the option accepts values other than its choices: files, lists, or providers of
/// this host.
bool is_open(const OptionText& option) {
  return option.takes_file() || option.value == "KINDS" || option.value == "PROVIDER";
}

TEST(WrongCommandLine, SuggestsTheNearestChoiceForEveryTypoOfAValue) {
  std::size_t wrong = 0;
  for (const std::string& command : all_commands()) {
    CommandLine line;
    for (const OptionText& option : option_texts(*find_command(line.app(), command))) {
      if (is_open(option)) continue;
      for (const std::string& choice : option.choices)
        for (const std::string& typo : typos_of(choice)) {
          if (std::ranges::count(option.choices, typo) > 0) continue;
          const Arguments value =
              option.is_argument() ? Arguments{typo} : Arguments{option.names.back(), typo};
          const std::string message = refusal_of(line, Arguments{command} + value);
          EXPECT_THAT(message, HasSubstr("'" + typo + "';")) << command;
          expect_nearest(message, typo, option.choices);
          ++wrong;
        }
    }
  }
  EXPECT_GE(wrong, scaled(500u));
}

struct WrongLine {
  Arguments arguments;
  std::vector<std::string> words;
};

const std::vector<WrongLine> kWrongLines = {
    // Verbs.
    {{"nosuch", "--help"}, {"unknown verb 'nosuch'; known: "}},
    {{"nosuch"}, {"unknown verb 'nosuch'; known: "}},
    {{"FFT", "--size", "4"}, {"unknown verb 'FFT'; did you mean 'fft'?"}},
    {{"all-to-all"}, {"unknown verb 'all-to-all'; did you mean 'alltoall'?"}},
    {{"help", "nosuch"}, {"unknown verb 'nosuch'; known: "}},
    {{"help", "poison"}, {"unknown verb 'poison'; did you mean 'poisson'?"}},
    {{"help", "fft", "alltoall"}, {"unexpected 'alltoall' after help"}},
    {{"man", "sweeep"}, {"unknown verb 'sweeep'; did you mean 'sweep'?"}},
    {{"completion"}, {"completion needs SHELL", "bash, zsh, fish"}},
    {{"completion", "tcsh"}, {"unknown shell 'tcsh'", "known: bash, zsh, fish"}},
    {{"completion", "bsh"}, {"unknown shell 'bsh'; did you mean 'bash'?"}},
    {{"fft", "alltoall", "--torus", "2"}, {"unexpected 'alltoall' after fft; give one verb only"}},
    {{"--verison"}, {"unknown option '--verison' of toroid; did you mean '--version'?"}},
    {{"--torus", "2", "fft"},
     {"unknown option '--torus' of toroid; '--torus' is an option of fft, "}},
    {{"-v"}, {"unknown option '-v' of toroid; did you mean '-V'?"}},
    // Options.
    {{"alltoall", "--polcy", "random"},
     {"unknown option '--polcy' of alltoall; did you mean '--policy'?"}},
    {{"alltoall", "--torus", "2", "--policies", "random"},
     {"'--policies' of alltoall; did you mean '--policy'? '--policies' is an option of compare, "}},
    {{"alltoall", "--size", "4"},
     {"unknown option '--size' of alltoall", "is an option of fft, poisson"}},
    {{"hello", "--method", "slab"},
     {"unknown option '--method' of hello", "is an option of fft, poisson"}},
    {{"paper", "--torus", "2"},
     {"unknown option '--torus' of paper", "is an option of fft, alltoall"}},
    {{"fft", "-size", "4"}, {"unknown option '-size' of fft; did you mean '--size'?"}},
    {{"fft", "--frobnicate"}, {"unknown option '--frobnicate' of fft; see 'toroid help fft'"}},
    {{"fft", "--meth=slab"}, {"unknown option '--meth' of fft; did you mean '--method'?"}},
    {{"fft", "--hlep"}, {"unknown option '--hlep' of fft; did you mean '--help'?"}},
    {{"fft", "--frob", "--help"}, {"unknown option '--frob' of fft"}},
    {{"replay", "--tors", "2", "file.goal"},
     {"unknown option '--tors' of replay; did you mean '--torus'?"}},
    {{"report", "a.json", "--ot", "b.html"}, {"'--ot' of report; did you mean '--out'?"}},
    {{"launch", "-m", "2", "hello"}, {"unknown option '-m' of launch; did you mean '-n'?"}},
    {{"bench", "--kind", "latency"}, {"unknown option '--kind' of bench"}},
    {{"alltoall", "torus", "2"}, {"unexpected 'torus' after alltoall; did you mean '--torus'?"}},
    {{"alltoall", "--torus", "2", "extra"}, {"unexpected 'extra' after alltoall"}},
    {{"alltoall", "--torus", "2", "--bytes", "1", "KiB"}, {"unexpected 'KiB' after alltoall"}},
    // Missing and surplus values.
    {{"alltoall", "--torus"}, {"option '--torus' of alltoall needs a value"}},
    {{"fft", "--torus", "--mesh"}, {"option '--torus' of fft needs a value, but '--mesh' follows"}},
    {{"fft", "--torus", "2", "--size"}, {"option '--size' of fft needs a value"}},
    {{"launch", "-n"}, {"option '-n' of launch needs a value"}},
    {{"fft", "--size", "4"}, {"fft needs --torus SHAPE"}},
    {{"sweep", "--torus", "2"}, {"sweep needs --axis", "load, bytes, nodes"}},
    {{"bench"}, {"bench needs KIND", "latency, "}},
    {{"replay", "--torus", "2"}, {"replay needs FILE"}},
    {{"report"}, {"report needs FILES..."}},
    {{"launch", "-n", "2"}, {"launch needs a command"}},
    {{"fft", "--torus", "2", "--torus", "3"}, {"'--torus' of fft is given more than once"}},
    {{"hello", "--torus=", "--mesh"}, {"option '--torus' of hello needs a value"}},
    {{"fft", "--mesh=yes"}, {"option '--mesh' of fft takes no value"}},
    {{"alltoall", "--torus", "2", "--trace-limit", "3"}, {"--trace-limit", "--trace"}},
    {{"alltoall", "--torus", "2", "--json", "--"}, {"option '--json' of alltoall needs a value"}},
    {{"compare", "--torus", "4", "--policies", "random,,rank"},
     {"--policies: an item of 'random,,rank' is empty"}},
    {{"compare", "--torus", "4", "--policies="}, {"'--policies' of compare needs a value"}},
    {{"sweep", "--axis", "bytes", "--torus", "4", "--bytes", ",8"}, {"an item of ',8' is empty"}},
    {{"alltoall", "--torus", "4x4", "--peers", "16"},
     {"--peers 16: a node of torus 4x4 has 15 peers"}},
    {{"alltoall", "--torus", "2", "--trace", "x", "--trace-limit", "0"},
     {"--trace-limit: '0' is not a size from 1MB to 4096MB"}},
    // Names.
    {{"alltoall", "--torus", "2", "--order", "randm"},
     {"--order: unknown order 'randm'; did you mean 'random'? known: random, rank, shift"}},
    {{"alltoall", "--torus", "2", "--policy", "bruk:4"},
     {"unknown policy 'bruk'; did you mean 'bruck'?"}},
    {{"compare", "--torus", "2", "--policies", "random,thre-phase"},
     {"unknown policy 'thre-phase'; did you mean 'three-phase'?"}},
    {{"compare", "--torus", "2", "--traffic", "al2all"}, {"unknown traffic 'al2all'"}},
    {{"compare", "--torus", "2", "--traffic", "zpif:1.2"},
     {"unknown traffic 'zpif'; did you mean 'zipf'?"}},
    {{"fft", "--torus", "2", "--size", "4", "--method", "slabs"},
     {"unknown method 'slabs'; did you mean 'slab'?"}},
    {{"fft", "--torus", "2", "--size", "4", "--transform", "dtf"},
     {"unknown transform 'dtf'; did you mean 'dft'?"}},
    {{"fft", "--torus", "2", "--size", "4", "--fabric", "smh"},
     {"unknown fabric 'smh'; did you mean 'shm'?"}},
    {{"info", "--machine", "bgl-fited"}, {"machine 'bgl-fited'", "did you mean 'bgl-fitted'?"}},
    {{"paper", "--rows", "patnt"}, {"unknown rows 'patnt'; did you mean 'patent'?"}},
    // Units, numbers and ranges.
    {{"alltoall", "--torus", "2", "--bytes", "1KB"},
     {"--bytes: '1KB': unknown unit 'KB'; did you mean 'kB'? known: B, kB, KiB, "}},
    {{"alltoall", "--torus", "2", "--bytes", "1kib"}, {"'1kib'", "did you mean 'KiB'?"}},
    {{"alltoall", "--torus", "2", "--bytes", "1.5"}, {"'1.5' is not a whole number"}},
    {{"alltoall", "--torus", "2", "--bytes", "100GiB"}, {"'100GiB'", "0 to 4294967296"}},
    {{"alltoall", "--torus", "2", "--seed", "1KiB"}, {"--seed: '1KiB' is not a whole number"}},
    {{"alltoall", "--torus", "2", "--stall", "10s"}, {"--stall: '10s' is not a number from 0.1"}},
    {{"bench", "latency", "--sizes", "8,16kb"}, {"'16kb'", "did you mean 'kB'?"}},
    {{"compare", "--torus", "2", "--bytes", "1KiB:4KiB"}, {"'1KiB:4KiB'", "step is missing"}},
    {{"sweep", "--axis", "load", "--torus", "2", "--load", "0.1:1.0:0"},
     {"--load: range '0.1:1.0:0'", "step is not a number above 0"}},
    {{"sweep", "--axis", "load", "--torus", "2", "--load", "1:0.1:0.1"},
     {"'1:0.1:0.1'", "FROM is above TO"}},
    {{"sweep", "--axis", "bytes", "--torus", "2", "--bytes", "8:64:2x"}, {"'2x'", "unit 'x'"}},
    // Words and numbers of other programs.
    {{"alltoall", "4x4", "--bytes", "1K"}, {"'1K': write 1kB (powers of 1000) or 1KiB"}},
    {{"alltoall", "4x4", "--bytes", "1k"}, {"'1k': write 1kB (powers of 1000) or 1KiB"}},
    {{"alltoall", "4x4", "--bytes", "2M"}, {"'2M': write 2MB (powers of 1000) or 2MiB"}},
    {{"alltoall", "4x4", "--bytes", "1,024"}, {"'1,024': write the number without commas"}},
    {{"compare", "--torus", "4x4", "--bytes", "1,024"},
     {"'1,024': write 1024 without commas, which separate items of a list"}},
    {{"hello", "2", "--fabric", "tcp"},
     {"'tcp' is a provider of libfabric; write --fabric ofi --provider 'tcp;ofi_rxm'"}},
    {{"hello", "2", "--fabric", "verbs;ofi_rxm"}, {"--fabric ofi --provider 'verbs;ofi_rxm'"}},
    {{"hello", "2", "--fabric", "mpi"},
     {"there is no fabric 'mpi'; between processes use --fabric ofi"}},
    {{"alltoall", "4x4", "--policy", "./mine.py"},
     {"'./mine.py': a Python program passes its policies itself", "toroid.compare(policies="}},
    {{"compare", "--torus", "4x4", "--policies", "random,./mine.py"},
     {"'./mine.py': a Python program passes its policies itself"}},
    {{"alltoall", "4x4", "--policy", "rand"}, {"'rand'; did you mean 'random'?"}},
    {{"compare", "--torus", "4x4", "--policies", "rand"}, {"'rand'; did you mean 'random'?"}},
    {{"alltoall", "4x4", "--pattern", "tornado"},
     {"unknown option '--pattern' of alltoall; did you mean '--traffic'?"}},
    {{"alltoall", "--topology", "4x4"}, {"'--topology'", "did you mean '--torus'?"}},
    {{"alltoall", "--dims", "4x4"}, {"'--dims'", "did you mean '--torus'?"}},
    {{"alltoall", "4x4", "--message-size", "8"}, {"did you mean '--bytes'?"}},
    {{"alltoall", "4x4", "--scheduler", "rank"}, {"did you mean '--policy'?"}},
    {{"fft", "--size", "4", "--torus", "2", "--iterations", "3"}, {"did you mean '--repeat'?"}},
    {{"fft", "--size", "4", "--torus", "2", "--verify"}, {"did you mean '--check'?"}},
    {{"fft", "--torus", "2", "--input", "a.npy"}, {"did you mean '--in'?"}},
    {{"fft", "--size", "4", "--torus", "2", "--algorithm", "slab"}, {"did you mean '--method'?"}},
    {{"fft", "8x8"}, {"write --torus 8x8 for the shape of the machine, --size 8x8 for that of"}},
    {{"alltoall", "4x4", "4x4"}, {"unexpected '4x4' after alltoall; write --torus 4x4"}},
    {{"sweep", "--axis", "load", "--torus", "4x4", "--load", "10:100:10"},
     {"--load 10: 1.0 is the hottest link's bound", "for 10 percent write 0.1"}},
    // Files and places that do not exist.
    {{"fft", "--torus", "2", "--in", "no.npy"}, {"no.npy: cannot be read: No such file"}},
    {{"fft", "--torus", "2", "--size", "4", "--in-boxes", "no.csv"},
     {"no.csv: cannot be read: No such file"}},
    {{"replay", "no.goal", "--torus", "2"}, {"no.goal: cannot be read: No such file"}},
    {{"report", "no.json"}, {"no.json: cannot be read: No such file"}},
    {{"alltoall", "4x4", "--policy", "no.toml"}, {"no.toml: cannot be read: No such file"}},
    {{"alltoall", "4x4", "--machine", "no.toml"},
     {"machine 'no.toml' is neither a preset (bgl, ", "nor a readable file (No such file"}},
    {{"alltoall", "4x4", "--fail-node", "(9,9)"},
     {"'(9,9)' is not a node of torus 4x4; expected coordinates from (0,0) to (3,3)"}},
    {{"alltoall", "4x4", "--fail-link", "(0,0)"},
     {"expected a node and a direction as in (3,3)X-"}},
    {{"redistribute", "--size", "8", "--torus", "2", "--from", "blocks:2@0,7", "--to", "blocks"},
     {"node 7 does not exist; torus 2 has nodes 0 to 1"}},
    // Launched commands.
    {{"launch", "-n", "2", "helo", "--torus", "2"},
     {"'helo' is neither a toroid verb nor a program", "did you mean 'hello'?"}},
    {{"launch", "-n", "2", "hello", "--tors", "2"},
     {"unknown option '--tors' of hello; did you mean '--torus'?"}},
    {{"launch", "-n", "2", "toroid", "helo"}, {"unknown verb 'helo'; did you mean 'hello'?"}},
    {{"launch", "-n", "2", "launch", "-n", "2", "hello"}, {"launch cannot launch itself"}},
    {{"launch", "-n", "2", "hello", "--torus", "2", "--fabric", "sim"},
     {"hello --fabric sim is for one process", "--fabric ofi"}},
    {{"launch", "-n", "2", "report", "x.json", "-o", "y.html"}, {"report is for one process"}},
    {{"launch", "-n", "2", "bench", "idle", "--fabric", "ofi"}, {"bench idle is for one process"}},
};

/// The options of all commands that take lists, as Arguments{verb, option}.
std::vector<Arguments> list_options() {
  CommandLine line;
  std::vector<Arguments> lists;
  for (const std::string& command : all_commands())
    for (const OptionText& option : option_texts(*find_command(line.app(), command)))
      if (option.is_list) lists.push_back({command, option.names.back()});
  return lists;
}

TEST(WrongCommandLine, RefusesEmptyListItemsInBothFormsOfEveryOption) {
  const std::vector<Arguments> lists = list_options();
  EXPECT_GE(lists.size(), 10u);
  CommandLine line;
  for (const Arguments& list : lists)
    for (const std::string& items : scaled(std::vector<std::string>{"2,,3", ",2", "2,", ",", ""})) {
      const std::string refusal = fmt::format("{}: an item of '{}' is empty", list.back(), items);
      EXPECT_EQ(refusal_of(line, list + Arguments{items}), refusal) << list.front();
      if (items.empty()) continue;  // "--torus=" lacks its value
      EXPECT_EQ(refusal_of(line, {list.front(), list.back() + "=" + items}), refusal)
          << list.front();
    }
}

TEST(WrongCommandLine, ListsTheKnownProviders) {
  if (!has_ofi()) GTEST_SKIP() << "built without ofi";
  const TemporaryDirectory directory;
  const Arguments provider = {"hello", "--torus", "2", "--fabric", "ofi", "--provider"};
  expect_refusal(directory, provider + Arguments{"tpc"},
                 {"unknown provider 'tpc'; did you mean 'tcp;ofi_rxm'? known: shm, "});
  expect_refusal(directory, provider + Arguments{"smoke signals"},
                 {"unknown provider 'smoke signals'; known: shm, "});
}

TEST(WrongCommandLine, SaysWhyAProviderIsUnsafe) {
  if (!has_ofi()) GTEST_SKIP() << "built without ofi";
  const TemporaryDirectory directory;
  const Arguments hello = {"hello", "--torus", "2", "--fabric", "ofi"};
  for (const std::string name : {"udp;ofi_rxd", "sockets"})
    for (const Arguments& start : {Arguments{}, Arguments{"launch", "-n", "2"}})
      expect_refusal(
          directory, start + hello + Arguments{"--provider", name},
          {"provider '" + name + "' needs --unsafe-provider: ", "from a stranger can end the "});
  expect_refusal(directory, hello + Arguments{"--unsafe-provider"}, {"--provider"});
}

TEST(WrongCommandLine, RefusesFramesWithoutOfiAndUnknownFrames) {
  const TemporaryDirectory directory;
  const Arguments hello = {"hello", "--torus", "2"};
  expect_refusal(
      directory, hello + Arguments{"--frames", "writes"},
      {"--frames has no effect on hello with --fabric sim (it works with --fabric ofi)"});
  expect_refusal(directory, hello + Arguments{"--fabric", "ofi", "--frames", "pigeons"},
                 {"unknown frames 'pigeons'", "auto, messages, writes"});
}

TEST(WrongCommandLine, GetsOneLineWithTheTypoAndKnownNames) {
  EXPECT_GE(kWrongLines.size(), 100u);
  const TemporaryDirectory directory;
  for (const WrongLine& line : scaled(kWrongLines))
    expect_refusal(directory, line.arguments, line.words);
}

TEST(CommandLine, AcceptsTypesAsNumPySpellsThem) {
  const Arguments move = {"redistribute", "--torus", "2",    "--size", "4x4",
                          "--from",       "blocks",  "--to", "slabs:x"};
  for (const auto& [typed, type] : {std::pair{"float32", "f4"},
                                    {"<f4", "f4"},
                                    {"float64", "f8"},
                                    {"<f8", "f8"},
                                    {"complex64", "c8"},
                                    {"<c8", "c8"},
                                    {"complex128", "c16"},
                                    {"|f8", "f8"},
                                    {"f8", "f8"}})
    EXPECT_EQ(json_of(move + Arguments{"--type", typed})["type"], type) << typed;
  const Arguments transform = {"fft", "--torus", "2", "--size", "4"};
  for (const auto& [typed, precision] : {std::pair{"float32", "single"},
                                         {"complex64", "single"},
                                         {"<f4", "single"},
                                         {"float64", "double"},
                                         {"complex128", "double"},
                                         {"c16", "double"},
                                         {"single", "single"}})
    EXPECT_EQ(json_of(transform + Arguments{"--precision=" + std::string(typed)})["precision"],
              precision)
        << typed;
  const TemporaryDirectory directory;
  for (const std::string type : {">f8", "int8", "float16", "d", "text"})
    expect_refusal(directory, move + Arguments{"--type", type}, {"type '" + type + "'", "f4"});
  for (const std::string type : {"float", "d", "float16", "i4", "32"})
    expect_refusal(directory, transform + Arguments{"--precision", type},
                   {"precision '" + type + "'", "single"});
}

TEST(CommandLine, AcceptsSpellingsOfOtherPrograms) {
  const Arguments rest = {"--bytes", "8"};
  const auto result = [&](const Arguments& arguments) { return json_of(arguments + rest); };
  const auto hash = result({"alltoall", "--torus", "4x4"})["result_hash"];
  for (const Arguments& same :
       {Arguments{"alltoall", "4x4"}, Arguments{"alltoall", "4X4"}, Arguments{"alltoall", "4,4"},
        Arguments{"alltoall", "--torus", "4X4"}, Arguments{"alltoall", "--torus=4,4"},
        Arguments{"alltoall", "4x4", "--traffic", "alltoall"}})
    EXPECT_EQ(result(same)["result_hash"], hash) << same.back();
  EXPECT_EQ(result({"alltoall", "4"})["torus"], "4");
  EXPECT_EQ(result({"alltoall", "4X4@XY2"})["torus"], "4x4@XY2");
  for (const char* name : {"neighbor", "nearest-neighbour", "nearest-neighbor"})
    EXPECT_EQ(result({"alltoall", "4x4", "--traffic", name})["traffic"], "neighbour");
  CommandLine line;
  EXPECT_TRUE(line.parse({"launch", "-np", "2", "hello", "--torus", "2", "--fabric", "ofi"}));
  CommandLine list;  // three tori of one dimension
  EXPECT_TRUE(list.parse({"compare", "--torus", "4,4,4"}));
  EXPECT_TRUE(list.parse({"compare", "--torus", "4x4, 2x2", "--policies", "random, rank"}));
}

}  // namespace
}  // namespace toroid::testing
