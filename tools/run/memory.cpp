#include "tools/run/memory.hpp"

#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "hal/check.hpp"

namespace toroid {
namespace {

/// What `ulimit -v` allows.
double address_space() {
  rlimit own{};
  const bool is_limited = ::getrlimit(RLIMIT_AS, &own) == 0 && own.rlim_cur != RLIM_INFINITY;
  return is_limited ? static_cast<double>(own.rlim_cur) : std::numeric_limits<double>::infinity();
}

}  // namespace

double present_memory() {
  const double host =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  double group = 0;  // the file says "max" where there is no limit
  const bool is_limited = !!(std::ifstream("/sys/fs/cgroup/memory.max") >> group);
  return std::min({host, is_limited ? group : host, address_space()});
}

std::string memory_text(double bytes) {
  return bytes < 1e9 ? fmt::format("{:.0f} MB", std::max(1.0, bytes / 1e6))
                     : fmt::format("{:.1f} GB", bytes / 1e9);
}

void check_memory(double bytes, std::string_view remedy) {
  const double present = present_memory();
  if (bytes > present)
    throw BadInput(fmt::format("needs at least {} of memory; this host has {}{}{}",
                               memory_text(bytes), memory_text(present),
                               present == address_space() ? " under ulimit -v" : "", remedy));
}

void check_memory(const Shape& shape, double array_bytes) {
  constexpr double kBytesPerNode = 2000;  // a little less than a node takes that does nothing
  check_memory(kBytesPerNode * shape.size() + array_bytes);
}

}  // namespace toroid
