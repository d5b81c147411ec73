#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <string>

#include "router/placement/cpu_quota.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// A temporary root directory, in which the tests save the files of control groups.
class CpuQuota : public ::testing::Test {
 protected:
  void save(const std::string& file, const std::string& content) {
    std::filesystem::create_directories(std::filesystem::path(root_ / file).parent_path());
    root_.save(file, content);
  }
  void member_of(const std::string& lines) { save("proc/self/cgroup", lines); }
  void set_v1(const std::string& group, const std::string& quota, const std::string& period) {
    save("sys/fs/cgroup/" + group + "/cpu.cfs_quota_us", quota + "\n");
    save("sys/fs/cgroup/" + group + "/cpu.cfs_period_us", period + "\n");
  }
  void set_v2(const std::string& group, const std::string& content) {
    save("sys/fs/cgroup/" + group + "/cpu.max", content);
  }
  double quota() const { return cpu_quota(root_.path()); }

 private:
  testing::TemporaryDirectory root_;
};

TEST_F(CpuQuota, IsInfiniteWithoutControlGroups) {
  EXPECT_EQ(quota(), kNoLimit);
  member_of("0::/a\n");
  EXPECT_EQ(quota(), kNoLimit);
}

TEST_F(CpuQuota, ForV2IsQuotaOverPeriod) {
  member_of("0::/a\n");
  set_v2("a", "150000 100000\n");
  EXPECT_EQ(quota(), 1.5);
}

TEST_F(CpuQuota, ForV2IsInfiniteAtMax) {
  member_of("0::/a\n");
  set_v2("a", "max 100000\n");
  EXPECT_EQ(quota(), kNoLimit);
}

TEST_F(CpuQuota, IsTheTightestOfTheGroupAndItsAncestors) {
  member_of("0::/a/b/c\n");
  set_v2("a/b/c", "800000 100000\n");
  set_v2("a/b", "max 100000\n");
  set_v2("a", "100000 50000\n");
  set_v2("a/other", "1000 100000\n");
  EXPECT_EQ(quota(), 2.0);
  set_v2("a/b/c", "50000 100000\n");
  EXPECT_EQ(quota(), 0.5);
}

TEST_F(CpuQuota, ForV1IsFoundUnderEitherMountName) {
  member_of("5:memory:/m\n4:cpu,cpuacct:/a\n1:name=systemd:/\n");
  set_v1("cpu,cpuacct/a", "250000", "100000");
  EXPECT_EQ(quota(), 2.5);
  set_v1("cpu/a", "100000", "100000");
  EXPECT_EQ(quota(), 1.0);
}

TEST_F(CpuQuota, ForV1IsUnlimitedAtMinusOne) {
  member_of("4:cpu:/a/b\n");
  set_v1("cpu/a/b", "-1", "100000");
  EXPECT_EQ(quota(), kNoLimit);
  set_v1("cpu/a", "300000", "100000");
  EXPECT_EQ(quota(), 3.0);
}

TEST_F(CpuQuota, InAContainerIsReadAtTheMountPoint) {
  member_of("4:cpu,cpuacct:/docker/0123456789abcdef\n");
  set_v1("cpu", "400000", "100000");
  EXPECT_EQ(quota(), 4.0);
}

TEST_F(CpuQuota, InAMixedHierarchyIsTheTighterLimit) {
  member_of("4:cpu:/a\n0::/b\n");
  set_v1("cpu/a", "400000", "100000");
  set_v2("unified/b", "300000 100000\n");
  EXPECT_EQ(quota(), 3.0);
}

TEST_F(CpuQuota, StaysWithinTheMountPointWhateverThePath) {
  member_of("0::/../../a\n");
  set_v2("a", "300000 100000\n");
  save("sys/cpu.max", "1000 100000\n");
  save("sys/a/cpu.max", "1000 100000\n");
  EXPECT_EQ(quota(), 3.0);
}

TEST_F(CpuQuota, TreatsNonsenseAsNoLimit) {
  for (const char* content : {"", "\n", "100000", "abc def", "100000 0", "0 100000", "-5 100000",
                              "100000 -100000", "max", "100000 x"}) {
    member_of("0::/a\n");
    set_v2("a", content);
    EXPECT_EQ(quota(), kNoLimit) << content;
  }
  for (const char* lines : {"", "a", "0:", "0::", "::::", "0:cpu", "\n\n", ":cpu:"}) {
    member_of(lines);
    EXPECT_EQ(quota(), kNoLimit) << lines;
  }
  set_v1("cpu/a", "x", "y");
  member_of("4:cpu:/a\n");
  EXPECT_EQ(quota(), kNoLimit);
}

TEST_F(CpuQuota, OfThisMachineIsPositive) {
  EXPECT_GT(cpu_quota(), 0.0);
}

}  // namespace
}  // namespace toroid
