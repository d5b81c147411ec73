// How a campaign's cases are dealt to shards, and how shards are named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include "hal/check.hpp"
#include "tools/lab/campaign/case.hpp"
#include "tools/lab/campaign/shard.hpp"
#include "tools/lab/campaign/shared_settings.hpp"
#include "tools/lab/campaign/workload.hpp"

namespace toroid {
namespace {

std::vector<CampaignCase> seven_cases() {
  CampaignLists lists;
  lists.policies = {"random"};
  lists.toruses = {"2x2"};
  lists.seeds = {1, 2, 3, 4, 5, 6, 7};
  ScheduleFiles files;
  return make_cases(lists, campaign_settings({}), files);
}

TEST(Shard, EveryCaseIsInExactlyOneShard) {
  std::vector<CampaignCase> cases = seven_cases();
  ASSERT_EQ(cases.size(), 7u);
  for (std::size_t count = 1; count <= 9; ++count) {
    std::vector<unsigned> times(cases.size());
    for (std::size_t index = 1; index <= count; ++index) {
      const std::vector<CampaignCase> mine = dealt(cases, {index, count});
      EXPECT_GE(mine.size(), cases.size() / count);
      EXPECT_LE(mine.size(), cases.size() / count + 1);
      for (const CampaignCase& one : mine) {
        EXPECT_EQ(one.place % count, index - 1);
        EXPECT_EQ(one.key(), cases.at(one.place).key());
        ++times.at(one.place);
      }
    }
    EXPECT_EQ(times, std::vector<unsigned>(cases.size(), 1)) << count << " shards";
  }
}

TEST(Shard, IsNamedByItsIndexFromOneAndTheCount) {
  EXPECT_EQ(parse_shard("2/4").index, 2u);
  EXPECT_EQ(parse_shard("2/4").count, 4u);
  EXPECT_EQ(parse_shard("2/4").text(), "2/4");
  EXPECT_TRUE(parse_shard("1/1").is_whole());
  for (const char* bad : {"", "/", "4", "0/4", "5/4", "1/0", "-1/4", "a/4", "1/4/2", "1/4 ", "1/"})
    EXPECT_THROW((void)parse_shard(bad), BadInput) << bad;
}

TEST(Shard, IsInsertedInFileNames) {
  EXPECT_EQ(with_shard("run-{shard}.journal", {3, 8}), "run-3.journal");
  EXPECT_EQ(with_shard("{shard}/{shard}", {12, 20}), "12/12");
  EXPECT_EQ(with_shard("run.journal", {3, 8}), "run.journal");
}

/// Sets the variables of a Slurm array task. An empty value means unset.
class SlurmTask {
 public:
  SlurmTask(const char* id, const char* count, const char* min, const char* step) {
    set("ID", id), set("COUNT", count), set("MIN", min), set("STEP", step);
  }
  ~SlurmTask() {
    for (const char* name : {"ID", "COUNT", "MIN", "STEP"}) set(name, "");
  }
  SlurmTask(const SlurmTask&) = delete;
  SlurmTask& operator=(const SlurmTask&) = delete;

 private:
  static void set(const std::string& name, const char* value) {
    const std::string variable = "SLURM_ARRAY_TASK_" + name;
    if (*value == '\0')
      ::unsetenv(variable.c_str());
    else
      ::setenv(variable.c_str(), value, 1);
  }
};

std::string shard_of_task(const char* id, const char* count, const char* min, const char* step) {
  const SlurmTask task(id, count, min, step);
  const auto shard = slurm_shard();
  return shard ? shard->text() : "none";
}

TEST(Shard, SlurmTasksCountFromTheLeastId) {
  EXPECT_EQ(shard_of_task("", "", "", ""), "none");
  EXPECT_EQ(shard_of_task("3", "", "", ""), "none");
  EXPECT_EQ(shard_of_task("0", "4", "0", "1"), "1/4");
  EXPECT_EQ(shard_of_task("3", "4", "0", "1"), "4/4");
  EXPECT_EQ(shard_of_task("1", "4", "1", ""), "1/4");
  EXPECT_EQ(shard_of_task("4", "4", "1", "1"), "4/4");
  EXPECT_EQ(shard_of_task("9", "3", "5", "2"), "3/3");
}

TEST(Shard, SlurmTasksWithoutALeastIdAreDistinct) {
  for (const char* first : {"0", "1"}) {
    std::string all;
    for (int id = std::atoi(first); id < std::atoi(first) + 3; ++id)
      all += shard_of_task(std::to_string(id).c_str(), "3", "", "") + " ";
    for (const char* shard : {"1/3", "2/3", "3/3"}) EXPECT_THAT(all, ::testing::HasSubstr(shard));
  }
}

TEST(Shard, SlurmArrayWithGapsIsRefused) {
  for (const char* id : {"8", "9", "0"})
    EXPECT_THROW((void)shard_of_task(id, "3", "1", "2"), BadInput) << id;
  EXPECT_THROW((void)shard_of_task("x", "3", "1", "1"), BadInput);
}

}  // namespace
}  // namespace toroid
