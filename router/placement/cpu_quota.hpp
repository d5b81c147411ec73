// How much processor time the control groups of this process leave to it.
#pragma once

#include <filesystem>

namespace toroid {

/// The tightest bandwidth limit of the process's control group and its ancestors, in CPUs: cgroup
/// v2's cpu.max and v1's cpu.cfs_quota_us over cpu.cfs_period_us. Infinity without a limit; files
/// that are absent or make no sense set none. `root` holds /proc and /sys.
double cpu_quota(const std::filesystem::path& root = "/");

}  // namespace toroid
