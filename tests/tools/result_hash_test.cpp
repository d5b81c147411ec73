// result_hash covers all computed values and no wall-clock times.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <string>

#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

const Arguments kHashedAllToAll = {"alltoall", "--torus", "4x4x4"};
const Arguments kHashedFft = {"fft", "--torus", "2x2x2", "--size", "8"};

std::string hash_of(const Arguments& run, const Arguments& more = {}) {
  return json_of(run + more)["result_hash"];
}

TEST(ResultHash, IsEqualForEqualSeeds) {
  for (const Arguments& run : {kHashedAllToAll, kHashedFft})
    for (const std::string seed : {"0", "1", "18446744073709551615"})
      EXPECT_EQ(hash_of(run, {"--seed", seed}), hash_of(run, {"--seed", seed}));
}

TEST(ResultHash, DoesNotDependOnTheSpellingOfTheSeed) {
  EXPECT_EQ(hash_of(kHashedAllToAll, {"--seed", "010"}),
            hash_of(kHashedAllToAll, {"--seed", "10"}));
}

TEST(ResultHash, DiffersBetweenSeeds) {
  for (const Arguments& run : {kHashedAllToAll, kHashedFft})
    EXPECT_NE(hash_of(run, {"--seed", "1"}), hash_of(run, {"--seed", "2"}));
}

TEST(ResultHash, DoesNotDependOnThreads) {
  for (const Arguments& run : {kHashedAllToAll, kHashedFft})
    for (const std::string threads : {"2", "7", "1024"})
      EXPECT_EQ(hash_of(run, {"--threads", threads}), hash_of(run));
}

TEST(ResultHash, DoesNotDependOnOutputs) {
  const TemporaryDirectory directory;
  for (const Arguments& more :
       {Arguments{"--quiet"}, {"--check"}, {"--out", directory / "out.npy"}})
    EXPECT_EQ(hash_of(kHashedFft, more), hash_of(kHashedFft));
}

TEST(ResultHash, DoesNotCoverWallClockFigures) {
  nlohmann::json first = json_of(kHashedAllToAll);
  nlohmann::json second = json_of(kHashedAllToAll);
  for (nlohmann::json* report : {&first, &second})
    for (const char* key : {"wall_s", "packet_hops_per_cpu_s", "date"})
      EXPECT_EQ(report->erase(key), 1U);
  EXPECT_EQ(first, second);
}

TEST(ResultHash, DiffersBetweenMachinesAndPolicies) {
  const TemporaryDirectory directory;
  directory.save("slow.toml", "hop_latency_cycles = 700\n");
  const std::string plain = hash_of(kHashedAllToAll);
  for (const Arguments& more : {Arguments{"--machine", directory / "slow.toml"},
                                {"--order", "rank"},
                                {"--routing", "deterministic"},
                                {"--tie", "plus"},
                                {"--mesh"},
                                {"--bytes", "241"},
                                {"--no-transit-first"}})
    EXPECT_NE(hash_of(kHashedAllToAll, more), plain) << more.front();
}

TEST(ResultHash, CoversTheTransformsValues) {
  const std::string forward = hash_of(kHashedFft);
  EXPECT_NE(hash_of(kHashedFft, {"--inverse"}), forward);
}

TEST(ResultHash, DoesNotDependOnTheLocale) {
  const std::string plain = hash_of(kHashedFft);
  ::setenv("LC_ALL", "de_DE.UTF-8", 1);
  EXPECT_EQ(json_by(run_process, kHashedFft)["result_hash"], plain);
  ::unsetenv("LC_ALL");
}

}  // namespace
}  // namespace toroid::testing
