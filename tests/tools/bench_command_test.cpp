// toroid bench: what it prints and writes. Nothing here is about how fast anything is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/refusal.hpp"

namespace toroid::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

Arguments bench(const std::string& kind) {
  return {"bench", kind,      "--torus",  "2x2",       "--threads",
          "2",     "--sizes", "1,8,1000", "--batches", "2"};
}

TEST(BenchCommand, PrintsTheHeadersThatUsersKnow) {
  for (const auto& [kind, header] : std::vector<std::pair<std::string, std::string>>{
           {"latency", "# toroid Latency Test, one way\n# Size          Latency (us)\n"},
           {"rate", "# toroid Multiple Bandwidth / Message Rate Test\n# [ pairs: 2 ]\n# Size"},
           {"alltoall", "# toroid All-to-All Personalized Exchange Latency Test\n# Size"}}) {
    const Ended ended = run_command(bench(kind));
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.err, "");
    EXPECT_TRUE(ended.out.starts_with(header)) << ended.out;
    for (const char* size : {"\n1 ", "\n8 ", "\n1000 "}) EXPECT_THAT(ended.out, HasSubstr(size));
  }
}

void expect_positive(const json& size, const std::vector<const char*>& keys) {
  for (const char* key : keys) {
    ASSERT_TRUE(size.contains(key)) << key;
    EXPECT_GT(size[key].get<double>(), 0) << key;
  }
}

TEST(BenchCommand, WritesEverySizeWithItsKeys) {
  for (const std::string kind : {"latency", "rate", "alltoall"}) {
    const json report = json_of(bench(kind));
    EXPECT_EQ(report["verb"], "bench");
    EXPECT_EQ(report["bench"], kind);
    EXPECT_EQ(report["fabric"], "shm");
    ASSERT_EQ(report["sizes"].size(), 3u);
    for (const json& size : report["sizes"]) {
      expect_positive(size, {"time_s", "least_s", "most_s", "iterations"});
      EXPECT_LE(size["least_s"], size["time_s"]);
      EXPECT_LE(size["time_s"], size["most_s"]);
      if (kind == "rate") expect_positive(size, {"messages_per_s", "packets_per_s"});
    }
    EXPECT_EQ(report["sizes"][2]["bytes"], 1000);
  }
}

TEST(BenchCommand, MeasuresAnIdleTurn) {
  const json report = json_of({"bench", "idle", "--torus", "4x4", "--batches", "1"});
  EXPECT_EQ(report["bench"], "idle");
  EXPECT_TRUE(report["turn_s"].is_number());
}

TEST(BenchCommand, MeasuresOnTheModelAndOverASwitchToo) {
  for (const std::string kind : {"latency", "rate", "alltoall"})
    for (const Arguments& more : {Arguments{"--fabric", "sim"}, {"--route", "direct"}}) {
      const Arguments run = {"bench", kind, "--torus", "3", "--sizes", "240", "--batches", "1"};
      EXPECT_EQ(json_of(run + more)["sizes"].size(), 1u) << kind << ' ' << more.back();
    }
}

TEST(BenchCommand, RefusesWhatItCannotMeasure) {
  const TemporaryDirectory directory;
  const auto refuse = [&](const Arguments& run, const std::vector<std::string>& words) {
    expect_refusal(directory, run + Arguments{"--json", "r.json"}, words);
  };
  for (const std::string kind : {"latency", "rate", "alltoall", "idle"})
    refuse({"bench", kind, "--torus", "1"}, {"at least two nodes"});
  refuse({"bench"}, {"kind"});
  refuse({"bench", "speed"}, {"benchmark", "latency"});
  refuse({"bench", "latency", "--sizes", "-8"}, {"--sizes"});
  refuse({"bench", "alltoall", "--sizes", "0"}, {"0 bytes"});
  refuse({"bench", "latency", "--batches", "0"}, {"--batches"});
}

}  // namespace
}  // namespace toroid::testing
