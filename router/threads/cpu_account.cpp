#include "router/threads/cpu_account.hpp"

#include <ctime>

namespace toroid {

double thread_cpu_seconds() {
  timespec taken{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &taken);
  return static_cast<double>(taken.tv_sec) + static_cast<double>(taken.tv_nsec) * 1e-9;
}

}  // namespace toroid
