// The affinity mask of the calling thread.
#pragma once

#include <sched.h>

#include <thread>
#include <vector>

namespace toroid::testing {

inline std::vector<unsigned> affinity() {
  cpu_set_t set;
  std::vector<unsigned> pus;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return pus;
  for (unsigned pu = 0; pu < CPU_SETSIZE; ++pu)
    if (CPU_ISSET(pu, &set)) pus.push_back(pu);
  return pus;
}

inline bool set_affinity(const std::vector<unsigned>& pus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const unsigned pu : pus) CPU_SET(pu, &set);
  return ::sched_setaffinity(0, sizeof set, &set) == 0;
}

/// Runs `body` in its own thread, so that the test thread's mask stays unchanged.
inline void in_a_thread(auto&& body) {
  std::thread(body).join();
}

}  // namespace toroid::testing
