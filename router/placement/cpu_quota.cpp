#include "router/placement/cpu_quota.hpp"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <limits>
#include <string>

namespace toroid {
namespace {

namespace fs = std::filesystem;

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// CPUs for `quota` per `period`, both in microseconds. cgroup v1 writes a quota of -1 for "no
/// limit".
double limit(double quota, double period) {
  return quota > 0 && period > 0 ? quota / period : kNoLimit;
}

/// The file contains "150000 100000" or "max 100000".
double limit_v2(const fs::path& group) {
  std::ifstream file(group / "cpu.max");
  double quota = 0, period = 0;
  return file >> quota >> period ? limit(quota, period) : kNoLimit;
}

double limit_v1(const fs::path& group) {
  std::ifstream quota_file(group / "cpu.cfs_quota_us"), period_file(group / "cpu.cfs_period_us");
  double quota = 0, period = 0;
  return quota_file >> quota && period_file >> period ? limit(quota, period) : kNoLimit;
}

/// The tightest limit of a group and its ancestors up to the mount point. In a container the path
/// may be the host's: then its last parts do not exist here, and the mount point is the process's
/// own group.
double tightest(const fs::path& mount, fs::path group, double (*limit_of)(const fs::path&)) {
  double least = limit_of(mount);
  for (; group.has_relative_path(); group = group.parent_path())
    least = std::min(least, limit_of(mount / group.relative_path()));
  return least;
}

bool names_cpu(const std::string& controllers) {
  return ("," + controllers + ",").find(",cpu,") != std::string::npos;
}

/// `line` is "hierarchy:controllers:path"; for the v2 hierarchy it is "0::path".
double limit_of_line(const fs::path& cgroups, const std::string& line) {
  const std::size_t first = line.find(':');
  const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
  if (second == std::string::npos) return kNoLimit;
  const std::string controllers = line.substr(first + 1, second - first - 1);
  // Normalised, so that a "/.." from outside our namespace stays at the mount point.
  const fs::path group = ("/" / fs::path(line.substr(second + 1))).lexically_normal();
  if (controllers.empty())
    return std::min(tightest(cgroups, group, limit_v2),
                    tightest(cgroups / "unified", group, limit_v2));
  if (!names_cpu(controllers)) return kNoLimit;
  return std::min(tightest(cgroups / "cpu", group, limit_v1),
                  tightest(cgroups / controllers, group, limit_v1));
}

}  // namespace

double cpu_quota(const fs::path& root) {
  std::ifstream groups(root / "proc/self/cgroup");
  double least = kNoLimit;
  for (std::string line; std::getline(groups, line);)
    least = std::min(least, limit_of_line(root / "sys/fs/cgroup", line));
  return least;
}

}  // namespace toroid
