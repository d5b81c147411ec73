// Pins threads to separate cores.
#pragma once

#include <sched.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace baseline {

inline std::vector<int> allowed_cores() {
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof allowed, &allowed);
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &allowed)) cores.push_back(core);
  return cores;
}

inline std::vector<int> two_cores() {
  std::vector<int> cores = allowed_cores();
  if (cores.size() >= 2) return {cores[0], cores[1]};
  std::fprintf(stderr, "needs two cores\n");
  std::exit(1);
}

inline void pin(int core) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  if (sched_setaffinity(0, sizeof one, &one) == 0) return;
  std::perror("sched_setaffinity");
  std::exit(1);
}

}  // namespace baseline
