// Command lines that toroid refuses.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "tests/tools/refusal.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

using ::testing::HasSubstr;

struct Case {
  Arguments arguments;
  std::vector<std::string> words;
};

void expect_refusals(const std::vector<Case>& cases) {
  const TemporaryDirectory directory;
  for (const Case& one : cases) expect_refusal(directory, with_outputs(one.arguments), one.words);
}

const Arguments kAllToAll = {"alltoall", "--torus", "2x2"};
const Arguments kFft = {"fft", "--torus", "2x2"};
const Arguments kSmallFft = kFft + Arguments{"--size", "4"};

TEST(BadInput, MalformedShapeIsRefused) {
  const std::string expected = "expected 1 to 6 extents of 1 to 256";
  for (const std::string torus :
       {"", "x", "8x", "x8", "8xx8", "8x8y8", "8 x8", "-8", "+8", "8.0", "8e1", "m", "8mm", "0x8m8",
        "8X", "99999999999999999999", "eight", "8\n8", "8x8x8,"}) {
    for (const std::string command : {"alltoall", "fft"})
      expect_refusals({{{command, "--torus=" + torus, "--json=-"}, {}}});
    if (torus.empty()) continue;
    const TemporaryDirectory directory;
    expect_refusal(directory, {"alltoall", "--torus=" + torus}, {"is not a torus", expected});
  }
}

TEST(BadInput, LongInputIsRefusedInAShortLine) {
  const TemporaryDirectory directory;
  for (std::size_t length = 700; length < 1000; length += 20) {
    const Ended ended = run_command({"info", "--machine", std::string(length, 'x')});
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_LE(ended.err.size(), 920u) << length;
  }
  const std::string endless(3000, 'x');
  for (const Arguments& more :
       {Arguments{"--machine", endless}, Arguments{"--machine", "bgl:inject_cycles=" + endless},
        Arguments{"--policy", endless}, Arguments{"--" + endless}, Arguments{endless}}) {
    expect_refusal(directory, kAllToAll + more, {"xxx"});
    const Ended ended = run_command(kAllToAll + more, {.directory = directory.path()});
    EXPECT_LE(ended.err.size(), 920u) << ended.err;
  }
}

TEST(RunFailed, ReportsALongDeadlockCycleInFull) {
  const Ended ended = run_command({"alltoall", "--torus", "96", "--bytes", "4800", "--no-bubble",
                                   "--no-transit-first", "--machine",
                                   TOROID_SOURCE_DIR "/tools/machines/smallest-buffers.toml"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.err, HasSubstr("deadlock"));
  for (int node = 0; node < 96; ++node)
    EXPECT_THAT(ended.err, HasSubstr(fmt::format("({}) X", node)));
}

TEST(BadInput, TransferByPutIsRefusedIfImpossible) {
  const Arguments put{"--transfer", "put"};
  const Arguments direct{"--fabric", "shm", "--route", "direct"};
  expect_refusals({
      {kAllToAll + put,
       {"--transfer put on sim needs a DMA engine, which machine bgl lacks", "bgq",
        "dma_inject_cycles"}},
      {kSmallFft + put, {"--transfer put on sim needs a DMA engine"}},
      {Arguments{"compare", "--torus", "4x4", "--policies", "random,rank", "--machine", "bgq,bgl"} +
           put,
       {"machine bgl lacks"}},
      {Arguments{"sweep", "--torus", "4x4", "--axis", "load", "--policies", "random", "--machine",
                 "bgq"} +
           put,
       {"--transfer put has no effect on sweep with --axis load"}},
      {Arguments{"alltoall", "--torus", "4x4", "--policy", "two-phase", "--machine", "bgp"} + put,
       {"policy two-phase", "cannot be put"}},
      {Arguments{"bench", "latency", "--torus", "2", "--fabric", "sim", "--machine", "bgp"} + put,
       {"--transfer has no effect on bench latency"}},
      {kSmallFft + put + Arguments{"--fabric", "shm", "--route", "torus"},
       {"--transfer put needs --route direct"}},
      {kAllToAll + put + Arguments{"--fabric", "ofi", "--route", "torus"},
       {"--transfer put needs --route direct"}},
      {kAllToAll + direct + Arguments{"--transfer", "puts"}, {"unknown transfer 'puts'", "put"}},
      {{"alltoall", "--torus", "4x4", "--policy", "two-phase", "--fabric", "shm", "--route",
        "direct", "--transfer", "put"},
       {"policy two-phase", "cannot be put"}},
      {Arguments{"compare", "--torus", "4x4", "--policies", "random,two-phase", "--transfer",
                 "put"} +
           direct,
       {"--transfer put: policy two-phase", "cannot be put"}},
      {Arguments{"hello", "--torus", "2x2"} + direct + Arguments{"--transfer", "packets"},
       {"--transfer has no effect on hello"}},
      {Arguments{"bench", "latency", "--torus", "2"} + direct + Arguments{"--transfer", "auto"},
       {"--transfer has no effect on bench latency"}},
  });
}

TEST(BadInput, ShapeOutOfRangeIsRefused) {
  expect_refusals({
      {{"alltoall", "--torus", "0"}, {"'0' is not a torus", "extent of 0"}},
      {{"alltoall", "--torus", "8x0x8"}, {"'8x0x8' is not a torus", "extent of 0"}},
      {{"alltoall", "--torus", "257"}, {"extent 257 is too large", "1 to 256"}},
      {{"alltoall", "--torus", "8x8x4294967297"}, {"'8x8x4294967297' is not a torus"}},
      {{"alltoall", "--torus", "1x1x1x1x1x1x1"}, {"too many dimensions", "1 to 6"}},
      {{"alltoall", "--torus", "256x256x256x256"}, {"more than 16777216 nodes"}},
      {{"info", "--torus", "2x2x2x2x2x2x2"}, {"too many dimensions"}},
  });
}

TEST(BadInput, MoreNodesThanPlanesAreRefused) {
  expect_refusals({
      {{"fft", "--torus", "8x8x8", "--size", "4", "--method", "slab"}, {"4 planes", "512 nodes"}},
      {{"fft", "--torus", "2", "--size", "1", "--method", "slab"}, {"1 planes", "2 nodes"}},
  });
}

TEST(BadInput, InvalidSizeIsRefused) {
  for (const std::string size : {"8", "8x8", "8x8x8x8"}) {
    const Arguments chosen = kFft + Arguments{"--method", "volumetric"};
    const std::string typed = size == "8" ? "8x" : size;
    expect_refusals({{chosen + Arguments{"--size=" + typed}, {"3 axes", size + " has"}}});
  }
  expect_refusals({{kFft + Arguments{"--size=8x8x8x8"}, {"3 axes"}}});
  for (const std::string size : {"8x8x8x8x8x8x8", "8x8x8x", "x", "x8", "8xx", "x8x", "abc",
                                 "8x8x8 ", "+8", "8,,8", "99999999999999999999", "0x10", "8.5"})
    expect_refusals({{kFft + Arguments{"--size=" + size}, {"size", size}}});
  expect_refusals({
      {kFft + Arguments{"--size", "0"}, {"size '0'", "extent"}},
      {kFft + Arguments{"--size", "8x0x8"}, {"size '8x0x8'", "extent"}},
      {kFft + Arguments{"--size=-8"}, {"size '-8'", "extent"}},
      {kFft + Arguments{"--size", "3000000000"}, {"more than 2147483648 elements"}},
      {kFft + Arguments{"--size", "2147483648x2147483648x2147483648"}, {"more than 2147483648"}},
      {kFft + Arguments{"--size", ""}, {"--size", "empty"}},
      {kFft, {"nothing to transform", "--in", "--size"}},
  });
}

TEST(BadInput, UnknownNameOrTieRuleWithoutEffectIsRefused) {
  expect_refusals({
      {kAllToAll + Arguments{"--order", "none"}, {"order 'none'", "random", "rank", "shift"}},
      {kAllToAll + Arguments{"--routing", "none"}, {"routing 'none'", "adaptive", "determin"}},
      {kAllToAll + Arguments{"--tie", "both", "--routing", "deterministic"},
       {"--tie both has no effect", "--routing deterministic"}},
      {kAllToAll + Arguments{"--tie", "both", "--fail-link", "(0,0)X+"},
       {"--tie both has no effect", "without --fail-link"}},
      {kAllToAll + Arguments{"--tie", "both", "--link-error", "1e-7", "--link-error-limit", "9"},
       {"--tie both has no effect", "without --link-error-limit"}},
      {Arguments{"alltoall", "--torus", "4x8@XY4", "--tie", "both"},
       {"--tie both has no effect", "without twist"}},
      {kAllToAll + Arguments{"--tie", "both"},
       {"tie both", "machine 'bgl'", "both_hints = 0", "alternate"}},
      {kAllToAll + Arguments{"--tie", "none"}, {"tie rule 'none'", "parity", "split", "plus"}},
      {kAllToAll + Arguments{"--tying", "none"}, {"tying 'none'", "per-direction", "any"}},
      {kAllToAll + Arguments{"--fabric", "none"}, {"fabric 'none'", "sim"}},
      {kAllToAll + Arguments{"--order", ""}, {"order ''", "random"}},
      {kAllToAll + Arguments{"--order", "Random"}, {"order 'Random'"}},
      {kSmallFft + Arguments{"--routing", "none"}, {"routing 'none'", "adaptive"}},
      {kSmallFft + Arguments{"--fabric", "none"}, {"fabric 'none'", "sim"}},
      {kSmallFft + Arguments{"--method", "none"}, {"method 'none'", "volumetric"}},
      {kSmallFft + Arguments{"--transform", "none"}, {"transform 'none'", "dft"}},
  });
}

TEST(BadInput, MalformedNumberIsRefused) {
  for (const std::string number : {"abc", "-1", "", "1.5", "1e3", "0x10", " 1", "1 ", "+1", "nan",
                                   "99999999999999999999", "-18446744073709551615"}) {
    for (const std::string option : {"--seed", "--threads", "--queues"})
      expect_refusals({{kAllToAll + Arguments{option + "=" + number}, {option, number}}});
    expect_refusals({{kAllToAll + Arguments{"--bytes=" + number}, {"--bytes", number}}});
    expect_refusals({{kSmallFft + Arguments{"--repeat=" + number}, {"--repeat", number}}});
  }
}

TEST(BadInput, NumberOutOfRangeIsRefused) {
  expect_refusals({
      {kAllToAll + Arguments{"--bytes", "4294967297"}, {"--bytes", "0 to 4294967296"}},
      {kAllToAll + Arguments{"--threads", "0"}, {"--threads", "'0'"}},
      {kAllToAll + Arguments{"--threads", "4294967297"}, {"--threads"}},
      {kAllToAll + Arguments{"--queues", "0"}, {"--queues", "'0'"}},
      {kAllToAll + Arguments{"--per-visit", "0"}, {"--per-visit", "'0'"}},
      {kAllToAll + Arguments{"--peers", "0"}, {"--peers", "'0'"}},
      {kSmallFft + Arguments{"--repeat", "0"}, {"--repeat", "'0'"}},
  });
}

TEST(BadInput, RunBeyondMemoryIsRefused) {
  expect_refusals({{kFft + Arguments{"--size", "1290"}, {"needs at least", "GB", "this host"}}});
}

TEST(BadInput, TimeBeyondVirtualTimeIsRefused) {
  const TemporaryDirectory directory;
  directory.save("slow.toml", "inject_cycles = 1000000000\n");
  expect_refusal(directory,
                 {"sweep", "--axis", "load", "--torus", "3x3", "--policies", "random", "--machine",
                  "slow.toml"},
                 {"latencies are only counted up to 4294967295"});
  directory.save("fast.toml", "clock_hz = 1e12\n");
  directory.save("long.goal", "num_ranks 1\nrank 0 {\nl: calc 9007199254740992\n}\n");
  expect_refusal(directory, {"replay", "long.goal", "--torus", "1", "--machine", "fast.toml"},
                 {"clock_hz", "more than the limit of virtual time"});
}

TEST(BadInput, LongInputIsShortenedInMessages) {
  const TemporaryDirectory directory;
  const std::string endless(50000, '7');
  directory.save("m.toml", "hop_latency = \"" + endless + "\"\n");
  directory.save("p.toml", endless + " = 1\n");
  for (const Arguments& arguments :
       {Arguments{"alltoall", "--torus", endless}, Arguments{"alltoall", "--" + endless},
        kAllToAll + Arguments{"--bytes", endless}, kAllToAll + Arguments{"--order", endless},
        kAllToAll + Arguments{"--threads", endless}, kAllToAll + Arguments{"--fail-link", endless},
        kAllToAll + Arguments{"--machine", "m.toml"}, kAllToAll + Arguments{"--policy", "p.toml"},
        kFft + Arguments{"--size", "x" + endless}, kAllToAll + Arguments{endless}}) {
    const Ended ended = run_command(arguments, {.directory = directory.path()});
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_LT(ended.err.size(), 1000u) << ended.err.substr(0, 200);
  }
}

}  // namespace
}  // namespace toroid::testing
