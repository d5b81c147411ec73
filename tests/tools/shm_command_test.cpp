// toroid alltoall and fft on shm: rings and worker threads instead of the model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/tools/refusal.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

using nlohmann::json;

const Arguments kRingAllToAll = Arguments{"alltoall", "--torus", "4x4"} + kShm;
const Arguments kRingFft = Arguments{"fft", "--torus", "2x2x2", "--size", "12"} + kShm;
const std::vector<std::string> kThreads = {"1", "2", "3", "8"};
const std::vector<std::string> kRoutes = {"torus", "direct"};

TEST(ShmCommand, ExchangesAndReportsItsCounts) {
  for (const std::string& route : kRoutes) {
    const json report = json_of(kRingAllToAll + Arguments{"--threads", "3", "--route", route});
    EXPECT_EQ(report["fabric"], "shm");
    EXPECT_NE(report["time_kind"], "virtual");
    EXPECT_EQ(report["packets"], 16 * 15);
    EXPECT_EQ(report["nodes"], 16);
    EXPECT_FALSE(report.contains("bounds"));
  }
  EXPECT_EQ(json_of(kRingAllToAll + Arguments{"--route", "torus"})["packet_hops"], 16 * 32);
}

/// FIFOs become empty while the queues are visited. Code that relied on the state of a FIFO before
/// the visits would loop for ever.
TEST(ShmCommand, ExchangesWithManyQueues) {
  for (const std::string queues : {"33", "63"})
    EXPECT_EQ(json_of(Arguments{"alltoall", "--torus", "4x4x4", "--bytes", "960", "--queues",
                                queues, "--route", "torus", "--threads", "1"} +
                      kShm)["packets"],
              64 * 63 * 4);
}

TEST(ShmCommand, TransformsCorrectly) {
  for (const std::string& threads : kThreads)
    for (const std::string& route : kRoutes) {
      const json report =
          json_of(kRingFft + Arguments{"--check", "--threads", threads, "--route", route});
      EXPECT_LE(report["l2_error"].get<double>(), 1e-12);
      EXPECT_EQ(report["fabric"], "shm");
    }
}

TEST(ShmCommand, PrintsATable) {
  for (const Arguments& run : {kRingAllToAll, kRingFft}) {
    const Ended ended = run_command(run);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.err, "");
    EXPECT_GT(std::count(ended.out.begin(), ended.out.end(), '\n'), 4);
  }
}

void expect_one_hash(const Arguments& run) {
  const std::string first = json_of(run)["result_hash"];
  for (const std::string& threads : kThreads)
    for (int again = 0; again < 2; ++again)
      EXPECT_EQ(json_of(run + Arguments{"--threads", threads})["result_hash"], first)
          << ::testing::PrintToString(run) << ' ' << threads;
}

TEST(ShmCommand, ResultHashDoesNotDependOnThreads) {
  for (const std::string& route : kRoutes) {
    const Arguments routed = {"--route", route, "--seed", "7"};
    expect_one_hash(kRingAllToAll + routed);
    expect_one_hash(kRingFft + kEstimate + routed);
  }
}

TEST(ShmCommand, ResultHashDoesNotDependOnBindingOrStall) {
  const std::string plain = json_of(kRingFft + kEstimate)["result_hash"];
  for (const Arguments& more : {Arguments{"--bind", "none"}, {"--bind", "core"}, {"--stall", "60"}})
    EXPECT_EQ(json_of(kRingFft + kEstimate + more)["result_hash"], plain) << more.front();
}

TEST(ShmCommand, ResultHashDiffersBetweenSeedsOfATransform) {
  EXPECT_NE(json_of(kRingFft + kEstimate + Arguments{"--seed", "1"})["result_hash"],
            json_of(kRingFft + kEstimate + Arguments{"--seed", "2"})["result_hash"]);
}

TEST(ShmCommand, ReportsTheMedianOfRepeatedExchanges) {
  const Arguments repeated = kRingAllToAll + Arguments{"--repeat", "5"};
  const json report = json_of(repeated);
  const json& times = report["repetitions"];
  EXPECT_EQ(times["count"], 5);
  EXPECT_EQ(times["median_s"], report["time_s"]);
  EXPECT_LT(times["least_s"], times["most_s"]);
  EXPECT_EQ(report["packets"], 16 * 15);
  EXPECT_EQ(report["result_hash"], json_of(kRingAllToAll)["result_hash"]);
  EXPECT_THAT(run_command(repeated).out, ::testing::HasSubstr("    5 times       median "));
  EXPECT_EQ(json_of(kRingAllToAll)["repetitions"]["count"], 1);
}

/// Equal runs in virtual time take equal times.
TEST(ShmCommand, ModelRefusesRepetitions) {
  const TemporaryDirectory directory;
  const Arguments redistribute = {"redistribute", "--torus", "2",    "--size", "4",
                                  "--from",       "slabs:x", "--to", "slabs:y"};
  for (const Arguments& run : {Arguments{"alltoall", "--torus", "2"},
                               {"fft", "--torus", "2", "--size", "4"},
                               redistribute})
    expect_refusal(directory, run + Arguments{"--repeat", "2"},
                   {"--repeat has no effect", "(it works with --fabric shm or ofi)"});
}

TEST(ShmCommand, WritesTheArrayThatTheModelWrites) {
  const TemporaryDirectory directory;
  for (const std::string fabric : {"sim", "shm"}) {
    const Arguments run = {"fft",  "--torus", "2x3",  "--size", "6x5x7",   "--fabric",
                           fabric, "--out",   fabric, "--plan", "estimate"};
    EXPECT_EQ(run_command(run, {.directory = directory.path()}).exit_code, 0);
  }
  EXPECT_EQ(directory.content_of("shm"), directory.content_of("sim"));
}

TEST(ShmCommand, ReportsADeadlockWithoutTheBubbleRule) {
  // A deadlock depends on timing; without one the run completes.
  const Arguments run =
      Arguments{"alltoall",  "--torus",
                "8x8",       "--bytes",
                "4800",      "--no-bubble",
                "--routing", "deterministic",
                "--queues",  "6",
                "--stall",   "0.3",
                "--machine", TOROID_SOURCE_DIR "/tools/machines/smallest-buffers.toml"} +
      kShm;
  const Ended ended = run_command(run);
  if (ended.exit_code == 0) GTEST_SKIP() << "no deadlock this time";
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(ended.err_lines(), 1) << ended.err;
  EXPECT_THAT(ended.err, ::testing::HasSubstr("the cycle of buffers: "));
}

void expect_refusal_by_both(const Arguments& more, const std::vector<std::string>& words) {
  const TemporaryDirectory directory;
  for (const Arguments& run : {kRingAllToAll, kRingFft})
    expect_refusal(directory, with_outputs(run + more), words);
}

TEST(ShmCommand, RefusesInvalidBindingsRoutesLimitsAndThreads) {
  for (const std::string bind : {"cores", "", "Core", "numa"})
    expect_refusal_by_both({"--bind", bind}, {"binding", "none"});
  for (const std::string route : {"switch", "", "TORUS", "torus "})
    expect_refusal_by_both({"--route", route}, {"route", "torus"});
  for (const std::string stall : {"0", "-1", "0.09", "1e7", "inf", "soon", ""})
    expect_refusal_by_both({"--stall=" + stall}, {"--stall"});
  for (const std::string threads : {"-1", "1025", "two", "1.5", "", "99999999999999999999"})
    expect_refusal_by_both({"--threads=" + threads}, {"--threads"});
}

TEST(ShmCommand, RefusesALimitThatIsNotANumber) {
  expect_refusal_by_both({"--stall=nan"}, {"--stall"});
}

TEST(ShmCommand, RefusesASampleOfPeers) {
  const TemporaryDirectory directory;
  expect_refusal(directory, with_outputs(kRingAllToAll + Arguments{"--peers", "3"}), {"--peers"});
}

}  // namespace
}  // namespace toroid::testing
