// Output of toroid bench. No test here depends on measured speed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/scale.hpp"
#include "tests/tools/refusal.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Arguments bench(const std::string& kind) {
  return {"bench", kind,      "--torus",  "2x2",       "--threads",
          "2",     "--sizes", "1,8,1000", "--batches", "2"};
}

void expect_positive(const json& size, const std::vector<const char*>& keys) {
  for (const char* key : keys) {
    ASSERT_TRUE(size.contains(key)) << key;
    EXPECT_GT(size[key].get<double>(), 0) << key;
  }
}

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    longest = std::max(longest, end - begin);
    begin = end + 1;
  }
  return longest;
}

// The format of the OSU benchmarks: 10 characters for the size, 18 for each figure.
TEST(BenchCommand, PrintsTheHeadersOfOsuBenchmarks) {
  for (const auto& [kind, header] : std::vector<std::pair<std::string, std::string>>{
           {"latency", "# toroid Latency Test, one way\n# Size          Latency (us) "},
           {"bw", "# toroid Bandwidth Test\n# Size      Bandwidth (MB/s) "},
           {"bibw", "# toroid Bi-Directional Bandwidth Test\n# Size      Bandwidth (MB/s) "},
           {"rate",
            "# toroid Multiple Bandwidth / Message Rate Test\n# [ pairs: 2 ]\n"
            "# Size                  MB/s        Messages/s "},
           {"alltoall",
            "# toroid All-to-All Personalized Exchange Latency Test\n"
            "# [ policy: random, samples: 2 ]\n"
            "# Size       Avg Latency(us)   +- (us) "}}) {
    const Ended ended = run_command(bench(kind));
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.err, "");
    EXPECT_TRUE(ended.out.starts_with(header)) << ended.out;
    for (const char* size : {"\n1 ", "\n8 ", "\n1000 "}) EXPECT_THAT(ended.out, HasSubstr(size));
    EXPECT_THAT(ended.out, ::testing::ContainsRegex("\n1000 {6,}[0-9. ]{17}[0-9] "));
    EXPECT_THAT(longest_line(ended.out), ::testing::Le(80u));
  }
}

TEST(BenchCommand, NamesThePolicyAndTheSpreadOfAllToAll) {
  const Arguments run = bench("alltoall") + Arguments{"--policy", "bruck:2"};
  EXPECT_THAT(run_command(run).out, HasSubstr("# [ policy: bruck:2, samples: 2 ]\n"));
  const json report = json_of(run);
  EXPECT_EQ(report["policy"], "bruck:2");
  for (const json& size : report["sizes"]) {  // of two samples
    const double apart = size["most_s"].get<double>() - size["least_s"].get<double>();
    EXPECT_NEAR(size["spread_s"], apart / std::sqrt(2), 1e-9);
  }
}

TEST(BenchCommand, FullPrintsMinAndMaxLatencyOfAllToAll) {
  const Ended ended = run_command(bench("alltoall") + Arguments{"--full"});
  EXPECT_TRUE(ended.out.starts_with(
      "# toroid All-to-All Personalized Exchange Latency Test\n"
      "# [ policy: random, samples: 2 ]\n"
      "# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations"))
      << ended.out;
}

std::vector<std::uint64_t> sizes_of(const Arguments& more) {
  const Arguments run = {"bench", "latency", "--fabric", "sim", "-i", "1", "-x", "0"};
  std::vector<std::uint64_t> sizes;
  const json report = json_of(run + more);
  for (const json& size : report["sizes"]) sizes.push_back(size["bytes"]);
  return sizes;
}

TEST(BenchCommand, DoublesMessageSizeFromMinToMax) {
  EXPECT_THAT(sizes_of({"-m", "4:64"}), ElementsAre(4, 8, 16, 32, 64));
  EXPECT_THAT(sizes_of({"-m", "3:20"}), ElementsAre(3, 6, 12));
  EXPECT_THAT(sizes_of({"-m", "0:4"}), ElementsAre(0, 1, 2, 4));
  EXPECT_THAT(sizes_of({"-m", "7:7"}), ElementsAre(7));
  EXPECT_THAT(sizes_of({"-m", "32"}), ElementsAre(8, 16, 32));
  EXPECT_THAT(sizes_of({"-m", "32KiB:"}), ElementsAre(32768, 65536));
  EXPECT_THAT(sizes_of({"--message-size", "1KiB:4KiB"}), ElementsAre(1024, 2048, 4096));
}

TEST(BenchCommand, RunsTheRequestedWarmUpAndIterations) {
  for (const std::string kind : {"latency", "bw", "bibw", "rate", "alltoall"}) {
    const json size = json_of(bench(kind) + Arguments{"-i", "7", "-x", "3"})["sizes"][0];
    EXPECT_EQ(size["iterations"], 7) << kind;
    EXPECT_EQ(size["warm_up"], 3) << kind;
  }
  const json none = json_of(bench("rate") + Arguments{"-i", "1", "-x", "0"})["sizes"][0];
  EXPECT_EQ(none["iterations"], 1);
  EXPECT_EQ(none["warm_up"], 0);
}

// In virtual time all iterations are alike, so their number does not matter.
TEST(BenchCommand, VirtualTimeDoesNotDependOnIterationCount) {
  for (const std::string kind : {"latency", "bw", "bibw"}) {
    const Arguments run = {"bench", kind, "--fabric", "sim", "--torus", "4", "-m", "240:960"};
    const json many = json_of(run + Arguments{"-i", "12", "-x", "4"})["sizes"];
    const json few = json_of(run + Arguments{"-i", "5", "-x", "1", "--batches", "2"})["sizes"];
    for (std::size_t s = 0; s < many.size(); ++s)
      EXPECT_NEAR(many[s]["time_s"].get<double>() / few[s]["time_s"].get<double>(), 1, 0.02)
          << kind << ' ' << many[s]["bytes"];
  }
}

TEST(BenchCommand, BandwidthIsBytesOfAWindowOverItsTime) {
  for (const auto& [kind, ways] : {std::pair{"bw", 1}, {"bibw", 2}}) {
    const json report = json_of(bench(kind) + Arguments{"-W", "5"});
    EXPECT_EQ(report["window"], 5);
    for (const json& size : report["sizes"]) {
      const double bytes = 5.0 * ways * size["bytes"].get<double>();
      EXPECT_NEAR(size["bytes_per_s"].get<double>(), bytes / size["time_s"].get<double>(),
                  1e-9 * size["bytes_per_s"].get<double>());
    }
  }
  EXPECT_EQ(json_of(bench("bw"))["window"], 64);
}

// Each node sends to its neighbour over both links of a ring of two. The two directions share only
// the processors, so together they carry more than one direction but at most twice as much.
TEST(BenchCommand, LargerWindowsAndBothDirectionsMoveMore) {
  const Arguments sim = {"--fabric", "sim", "-m", "64KiB:64KiB", "-i", "2", "-x", "1"};
  const auto rate_of = [&](const std::string& kind, const std::string& window) {
    return json_of(Arguments{"bench", kind} + sim + Arguments{"-W", window})["sizes"][0]
        .at("bytes_per_s")
        .get<double>();
  };
  const double one_way = rate_of("bw", "16");
  EXPECT_GT(one_way, rate_of("bw", "1"));
  EXPECT_GT(rate_of("bibw", "16"), one_way);
  EXPECT_LE(rate_of("bibw", "16"), 2 * one_way * 1.001);
}

TEST(BenchCommand, VirtualTimeIsNotBelowItsBound) {
  const Arguments sim = {"--fabric", "sim", "--sizes", "0,1,240,5000", "-i", "3", "-x", "1"};
  for (const std::string torus : full_or(std::vector{"2", "5", "3x2", "4x4m"}, {"3x2"}))
    for (const std::string kind : {"latency", "bw", "bibw", "rate", "alltoall"}) {
      const Arguments run =
          Arguments{"bench", kind, "--torus", torus} +
          (kind == "alltoall" ? Arguments{"--fabric", "sim", "--sizes", "1,5000"} : sim);
      const json report = json_of(run);
      for (const json& size : report["sizes"]) {
        const double percent = size["percent_of_bound"].get<double>();
        EXPECT_LE(percent, 100.01) << kind << ' ' << torus << ' ' << size["bytes"];
        EXPECT_GT(percent, 5) << kind << ' ' << torus << ' ' << size["bytes"];
        EXPECT_NEAR(percent, 100 * size["bound_s"].get<double>() / size["time_s"].get<double>(),
                    1e-9);
        EXPECT_THAT(size["bound_by"].get<std::string>(),
                    ::testing::AnyOf("link", "processor", "latency"));
      }
    }
}

TEST(BenchCommand, WallClockTimeIsBoundedByCopying) {
  for (const std::string kind : {"latency", "bw", "bibw", "rate", "alltoall"})
    for (const json report = json_of(bench(kind)); const json& size : report["sizes"]) {
      expect_positive(size, {"bound_s", "percent_of_bound"});
      EXPECT_EQ(size["bound_by"], "copy");
    }
  // Nothing is copied, so there is no bound.
  const json empty = json_of({"bench", "latency", "--sizes", "0", "-i", "10"})["sizes"][0];
  EXPECT_FALSE(empty.contains("bound_s"));
}

TEST(BenchCommand, WritesAllKeysForEverySize) {
  for (const std::string kind : {"latency", "bw", "bibw", "rate", "alltoall"}) {
    const json report = json_of(bench(kind));
    EXPECT_EQ(report["verb"], "bench");
    EXPECT_EQ(report["bench"], kind);
    EXPECT_EQ(report["fabric"], "shm");
    ASSERT_EQ(report["sizes"].size(), 3u);
    for (const json& size : report["sizes"]) {
      expect_positive(size, {"time_s", "least_s", "most_s", "iterations"});
      EXPECT_LE(size["least_s"], size["time_s"]);
      EXPECT_LE(size["time_s"], size["most_s"]);
      if (kind != "latency" && kind != "alltoall")
        expect_positive(size, {"messages_per_s", "packets_per_s", "bytes_per_s"});
    }
    EXPECT_EQ(report["sizes"][2]["bytes"], 1000);
  }
}

TEST(BenchCommand, MeasuresAnIdleTurn) {
  const json report = json_of({"bench", "idle", "--torus", "4x4", "--batches", "1"});
  EXPECT_EQ(report["bench"], "idle");
  EXPECT_TRUE(report["turn_s"].is_number());
}

TEST(BenchCommand, RunsOnSimAndOnTheDirectRoute) {
  for (const std::string kind : {"latency", "bw", "bibw", "rate", "alltoall"})
    for (const Arguments& more : {Arguments{"--fabric", "sim"}, {"--route", "direct"}}) {
      const Arguments run = {"bench", kind, "--torus", "3", "--sizes", "240", "--batches", "1"};
      EXPECT_EQ(json_of(run + more)["sizes"].size(), 1u) << kind << ' ' << more.back();
    }
}

TEST(BenchCommand, RefusesInvalidSettings) {
  const TemporaryDirectory directory;
  const auto refuse = [&](const Arguments& run, const std::vector<std::string>& words) {
    expect_refusal(directory, run + Arguments{"--json", "r.json"}, words);
  };
  for (const std::string kind : {"latency", "bw", "bibw", "rate", "alltoall", "idle"})
    refuse({"bench", kind, "--torus", "1"}, {"at least two nodes"});
  refuse({"bench"}, {"KIND"});
  refuse({"bench", "speed"}, {"benchmark", "latency"});
  refuse({"bench", "latency", "--sizes", "-8"}, {"--sizes"});
  refuse({"bench", "alltoall", "--sizes", "0"},
         {"expected at least 1 byte per pair of nodes, found 0"});
  refuse({"bench", "latency", "--batches", "0"}, {"--batches"});
  refuse({"bench", "latency", "-i", "0"}, {"--iterations", "0"});
  refuse({"bench", "latency", "-x", "-1"}, {"--warmup", "-1"});
  refuse({"bench", "bw", "-W", "0"}, {"--window-size", "0"});
  for (const std::string sizes : {"64:8", ":", "x:8", "8:y", "-8:8", "1:2GiB", "8.5"})
    refuse({"bench", "latency", "-m", sizes}, {sizes.substr(0, 1)});
  refuse({"bench", "latency", "-m", "8:16:32"}, {"16:32"});
  refuse({"bench", "latency", "-m", "8:64", "--sizes", "8"}, {"--sizes", "--message-size"});
}

TEST(BenchCommand, RefusesOptionsWithoutEffect) {
  const TemporaryDirectory directory;
  for (const std::string kind : {"latency", "rate", "alltoall"})
    expect_refusal(directory, {"bench", kind, "-W", "8"}, {"--window-size", "bw or bibw", kind});
  expect_refusal(directory, {"bench", "bw", "--full"}, {"--full", "alltoall"});
  for (const std::string option : {"--message-size", "--iterations", "--warmup", "--sizes"})
    expect_refusal(directory, {"bench", "idle", option, "8"}, {option, "idle"});
}

}  // namespace
}  // namespace toroid::testing
