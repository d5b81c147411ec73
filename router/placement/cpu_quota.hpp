// The processor time that the control groups allow to this process.
#pragma once

#include <filesystem>

namespace toroid {

/// The tightest bandwidth limit of the process's control group and its ancestors, in CPUs: from
/// cgroup v2's cpu.max, or v1's cpu.cfs_quota_us divided by cpu.cfs_period_us. Infinity if there is
/// no limit; missing or invalid files set no limit. `root` holds /proc and /sys.
double cpu_quota(const std::filesystem::path& root = "/");

}  // namespace toroid
