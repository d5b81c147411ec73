// toroid info: every number of a machine with its source, and machine files on the command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

#include "tests/tools/refusal.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr const char* kPaper = "volumetric FFT paper";
constexpr const char* kIbm = "IBM, published";
constexpr const char* kAssumed = "assumed";

struct Number {
  std::string key;
  double value;
  std::string source;
};

/// Numbers of the Blue Gene/L with their sources. Those marked assumed were never published.
const std::vector<Number> kBlueGene = {
    {"clock_hz", 700e6, kPaper},
    {"link_bits_per_cycle", 2, kPaper},
    {"wire_overhead_bytes", 14, kIbm},
    {"hop_latency_cycles", 69, kAssumed},
    {"dynamic_vc_chunks", 32, kAssumed},
    {"bubble_vc_chunks", 32, kAssumed},
    {"priority_vc_chunks", 32, kAssumed},
    {"bubble_reserve_chunks", 8, kAssumed},
    {"injection_fifos", 6, kIbm},
    {"priority_injection_fifos", 2, kIbm},
    {"injection_fifo_chunks", 32, kIbm},
    {"reception_fifos", 12, kIbm},
    {"priority_reception_fifos", 2, kIbm},
    {"reception_fifo_chunks", 32, kIbm},
    {"arbitration_period", 210, kIbm},
    {"arbitration_fullest", 157, kIbm},
    {"both_hints", 0, kIbm},
    {"tie_choice", 6, kAssumed},
    {"arbitration_choice", 1, kAssumed},
    {"input_reads", 4, kAssumed},
    {"token_return_cycles", 0, kAssumed},
    {"escape_wait_cycles", 0, kAssumed},
    {"inject_cycles", 150, kAssumed},
    {"receive_cycles", 200, kAssumed},
    {"fft_cycles_factor", 2, kPaper},
    {"transpose_cycles", 0, kAssumed},
    {"fma_cycles", 1, kAssumed},
    {"coprocessor", 0, kAssumed},
    {"memory_packet_cycles", 100, kAssumed},
    {"dma_descriptor_cycles", 0, kAssumed},
    {"dma_inject_cycles", 0, kAssumed},
    {"dma_receive_cycles", 0, kAssumed},
    {"message_cycles", 0, kAssumed},
    {"message_packet_cycles", 0, kAssumed},
    {"collective_cycles", 0, kAssumed},
    {"copy_cycles_per_byte", 0, kAssumed},
    {"eager_bytes", 1000, kAssumed},
    {"link_error_rate", 0, kAssumed},
    {"link_timeout_cycles", 0, kAssumed},
    {"ring_slots", 0, kAssumed},
};

/// The JSON of a run of info, without its command line and date.
json info_of(const std::string& machine) {
  json info = json_of({"info", "--machine", machine});
  for (const char* key : {"command", "date"}) EXPECT_EQ(info.erase(key), 1u) << key;
  return info;
}

TEST(Info, ListsTheKernelLibraries) {
  EXPECT_EQ(json_of({"info"})["kernels"], (json{"fftw", "kissfft"}));
  EXPECT_THAT(run_command({"info"}).out, ::testing::HasSubstr(", kernels: fftw, kissfft\n"));
}

TEST(Info, GivesEveryNumberOfTheMachineWithItsSource) {
  const json numbers = json_of({"info"})["numbers"];
  ASSERT_EQ(numbers.size(), kBlueGene.size());
  for (const Number& expected : kBlueGene) {
    const auto found = std::find_if(numbers.begin(), numbers.end(), [&](const json& number) {
      return number["key"] == expected.key;
    });
    ASSERT_NE(found, numbers.end()) << expected.key;
    EXPECT_EQ((*found)["value"], expected.value) << expected.key;
    EXPECT_EQ((*found)["source"], expected.source) << expected.key;
    EXPECT_FALSE((*found)["meaning"].get<std::string>().empty()) << expected.key;
  }
}

TEST(Info, MarksAssumedNumbersInTheText) {
  std::istringstream text(run_command({"info"}).out);
  std::size_t found = 0;
  for (std::string line; std::getline(text, line);) {
    for (const Number& expected : kBlueGene) {
      if (!line.starts_with(expected.key + " ")) continue;
      ++found;
      EXPECT_THAT(line, HasSubstr(expected.source));
      EXPECT_EQ(line.find("assumed") != std::string::npos, expected.source == kAssumed) << line;
    }
  }
  EXPECT_EQ(found, kBlueGene.size());
}

TEST(Info, GivesTheBoundsOfATorus) {
  const json info = json_of({"info", "--torus", "8x8x16"});
  EXPECT_EQ(info["torus"], "8x8x16");
  EXPECT_EQ(info["nodes"], 1024);
  EXPECT_EQ(info["links_per_node"], 6);
  EXPECT_EQ(info["diameter"], 16);
  EXPECT_EQ(info["hottest_link_messages"], 2048);
}

TEST(Info, NamesTheLinksThatShareAnInjectionFifo) {
  const Arguments plain = {"info", "--machine", "bgp", "--torus", "4x4x4"};
  const Arguments shared = {"info", "--machine", "bgp", "--torus", "3x3x3x3"};
  EXPECT_EQ(json_of(plain)["shared_injection_fifos"], json::array());
  EXPECT_EQ(json_of(shared)["shared_injection_fifos"],
            json::parse(R"([["X+", "U+"], ["X-", "U-"]])"));
  EXPECT_THAT(run_command(plain).out, ::testing::Not(HasSubstr("share one")));
  EXPECT_THAT(run_command(shared).out, HasSubstr("share one: X+ with U+, X- with U-."));
}

TEST(Info, PrintsAMachineFileThatGivesTheSameMachine) {
  const TemporaryDirectory directory;
  directory.save("own.toml", "name = \"own\"\nhop_latency_cycles = 70\nclock_hz = 123456789.125\n");
  const std::string printed = run_command({"info", "--machine", directory / "own.toml"}).out;
  directory.save("printed.toml", printed);
  EXPECT_EQ(info_of(directory / "own.toml"), info_of(directory / "printed.toml"));
}

TEST(Info, GivesTheSourceOfEveryNumberOfEveryPreset) {
  for (const std::string name :
       {"bgl-fft-text", "bgl-fitted", "bgp", "bgq", "tpu-v4-like", "smallest-buffers"}) {
    const TemporaryDirectory directory;
    directory.save("printed.toml", run_command({"info", "--machine", name, "--torus", "4x4"}).out);
    const json info = info_of(name);
    EXPECT_EQ(info["machine"], name);
    EXPECT_EQ(info, info_of(directory / "printed.toml"));
    for (const json& number : info["numbers"])
      EXPECT_FALSE(number["source"].get<std::string>().empty()) << number;
  }
}

TEST(Info, ListsAllNamesInLinesOfEightyColumns) {
  const json info = json_of({"info"});
  const std::string text = run_command({"info"}).out;
  for (const char* list : {"presets", "policies", "traffics", "orders"})
    for (const json& one : info[list]) {
      EXPECT_FALSE(one["about"].get<std::string>().empty()) << one;
      EXPECT_THAT(text, HasSubstr("\n# " + one["name"].get<std::string>()));
    }
  EXPECT_EQ(info["orders"].size(), 3u);
  EXPECT_GE(info["policies"].size(), 20u);
  EXPECT_GE(info["traffics"].size(), 15u);
  for (const json& preset : info["presets"]) {
    const auto name = preset["name"].get<std::string>();
    EXPECT_EQ(json_of({"info", "--machine", name})["machine"], name);
  }
  std::istringstream lines(text.substr(text.find("# machines")));
  for (std::string line; std::getline(lines, line) && line.starts_with("#");)
    EXPECT_LE(line.size(), 80u) << line;
}

TEST(Info, DescribesEveryPolicy) {
  const json policies = json_of({"info", "--policies"})["policies"];
  const std::string text = run_command({"info", "--policies"}).out;
  EXPECT_GE(policies.size(), 20u);
  for (const json& policy : policies)
    for (const char* key : {"name", "definition", "source", "known_result"}) {
      const auto words = policy[key].get<std::string>();
      EXPECT_FALSE(words.empty());
      EXPECT_THAT(text, HasSubstr(words));
    }
  EXPECT_THAT(text, HasSubstr("parameter:    radix"));
}

TEST(Info, RefusesOptionsOfRuns) {
  const TemporaryDirectory directory;
  for (const Arguments& option : {Arguments{"--fabric", "shm"},
                                  {"--route", "torus"},
                                  {"--stall", "5"},
                                  {"--provider", "tcp"},
                                  {"--seed", "2"}})
    expect_refusal(directory, Arguments{"info", "--torus", "2x2"} + option, {option[0]});
}

TEST(Info, RefusesTorusOptionsWithoutATorus) {
  const TemporaryDirectory directory;
  for (const Arguments& option : {Arguments{"--mesh"}, {"--threads", "2"}, {"--bind", "none"}}) {
    expect_refusal(directory, Arguments{"info"} + option, {option[0], "--torus"});
    EXPECT_EQ(run_command(Arguments{"info", "--torus", "2x2"} + option).exit_code, 0) << option[0];
  }
}

TEST(Info, RefusesABadMachineFileAndNamesTheLine) {
  const TemporaryDirectory directory;
  directory.save("unknown.toml", "\nfrob = 1\n");
  directory.save("range.toml", "\n\nhop_latency_cycles = 0\n");
  directory.save("type.toml", "hop_latency_cycles = \"fast\"\n");
  directory.save("syntax.toml", "clock_hz = 1e9\nhop_latency_cycles\n");
  for (const std::string command : {"info", "alltoall"}) {
    const auto refused = [&](const std::string& machine, const std::vector<std::string>& words) {
      expect_refusal(directory, {command, "--torus", "2", "--json", "r", "--machine", machine},
                     words);
    };
    refused("unknown.toml", {"unknown.toml:2: unknown key 'frob'"});
    refused("range.toml", {"range.toml:3: hop_latency_cycles", "out of range", "expected"});
    refused("type.toml", {"type.toml:1: hop_latency_cycles must be a number"});
    refused("syntax.toml", {"syntax.toml:2: "});
    refused("none.toml", {"'none.toml'", "nor a readable file"});
    refused(".", {"'.'", "nor a readable file"});
    refused("/dev/zero", {"/dev/zero", "at most"});
  }
}

}  // namespace
}  // namespace toroid::testing
