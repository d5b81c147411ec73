// The flowchart profile in the output of the commands.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <vector>

#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"

namespace toroid::testing {
namespace {

using nlohmann::json;

std::uint64_t sum_of(const json& counts) {
  std::uint64_t sum = 0;
  for (const auto& count : counts) sum += count.get<std::uint64_t>();
  return sum;
}

/// Checks relations that hold after every run, when all queues are empty.
void expect_consistent(const json& profile) {
  const json& fill = profile["fill"];
  const json& drain = profile["drain"];
  EXPECT_EQ(fill["packets"], drain["packets"]);
  EXPECT_LE(fill["descriptors"], fill["packets"]);
  EXPECT_LE(fill["empty_visits"], fill["visits"]);
  const auto count = [&](const char* key) { return drain[key].get<std::uint64_t>(); };
  EXPECT_EQ(count("heads"), count("packets") + count("stuck_heads"));
  EXPECT_LE(count("idle_turns") + count("full_turns") + count("stuck_turns"), count("turns"));
  EXPECT_GE(sum_of(drain["stuck_on"]),
            count("stuck_heads"));  // each counts in at least one direction
}

// 27 nodes send 3 packets to each of 26 others, one per visit: 3 rounds of 26 visits.
TEST(Profile, CountsRoundsVisitsAndPackets) {
  const json report = json_of({"alltoall", "--torus", "3x3x3", "--bytes", "720"});
  const json& profile = report["profile"];
  expect_consistent(profile);
  EXPECT_EQ(profile["fill"]["rounds"], 27 * 3);
  EXPECT_EQ(profile["fill"]["visits"], 27 * 26 * 3);
  EXPECT_EQ(profile["fill"]["empty_visits"], 0);
  EXPECT_EQ(profile["fill"]["packets"], 27 * 26 * 3);
  EXPECT_EQ(profile["drain"]["stuck_on"].size(), 6u);
  EXPECT_TRUE(profile["drain"]["stuck_on"].contains("Z-"));
}

TEST(Profile, IsTheSameForAnyThreadCountOnSim) {
  const Arguments run = {"alltoall", "--torus", "4x4x4", "--bytes", "1000", "--queues", "5"};
  const json once = json_of(run + Arguments{"--threads", "1"});
  const json again = json_of(run + Arguments{"--threads", "2"});
  EXPECT_EQ(once["profile"], again["profile"]);
  EXPECT_EQ(once["result_hash"], again["result_hash"]);
}

// With more queues, packets can pass a stuck head. So with one queue per peer, fewer turns end
// because all heads are stuck.
TEST(Profile, CountsEachOfManyQueues) {
  const Arguments run = {"alltoall", "--torus", "4x4x4", "--bytes", "1200"};
  const json one = json_of(run)["profile"];
  const json many = json_of(run + Arguments{"--queues", "63"})["profile"];
  expect_consistent(one);
  expect_consistent(many);
  EXPECT_EQ(one["fill"]["packets"], many["fill"]["packets"]);
  EXPECT_EQ(one["drain"]["skipped_queues"], 0);  // in a stuck turn the only queue has a packet
  const json& drain = many["drain"];
  EXPECT_EQ(
      drain["skipped_queues"].get<std::uint64_t>() + drain["stuck_heads"].get<std::uint64_t>(),
      63 * drain["stuck_turns"].get<std::uint64_t>());
}

TEST(Profile, IsInEveryReportAndNotInTheHashOfWallClockRuns) {
  for (const Arguments& run : {Arguments{"alltoall", "--torus", "3x4", "--bytes", "500"},
                               Arguments{"fft", "--torus", "2x3", "--size", "6x5x7"}}) {
    expect_consistent(json_of(run)["profile"]);
    const json once = json_of(run + kShm);
    const json again = json_of(run + kShm);
    expect_consistent(once["profile"]);
    EXPECT_EQ(once["result_hash"], again["result_hash"]);
  }
}

TEST(Profile, IsInEveryRowOfACampaign) {
  const json report = json_of({"compare", "--policies", "random,rank", "--torus", "3x3", "--bytes",
                               "480", "--traffic", "all-to-all"});
  for (const json& row : report["rows"]) expect_consistent(row["profile"]);
}

}  // namespace
}  // namespace toroid::testing
