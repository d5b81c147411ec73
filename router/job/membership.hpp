// What a launcher tells a process: its place in the run, where the others are, and the key.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "router/job/key.hpp"

namespace toroid {

struct Membership {
  unsigned rank = 0;
  unsigned size = 1;
  JobKey key = JobKey::random();
  /// Host names or addresses of process 0, to be tried in this order.
  std::vector<std::string> master;
  std::uint16_t port = 0;
  /// A socket on which process 0 listens already, where the launcher's way wants the port to be
  /// known before; -1: it opens one on `port`.
  int listener = -1;
  std::string source = "alone";  ///< e.g. "PMIx", "environment"
};

/// In this order: the environment (RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT, and the key in
/// TOROID_JOB_KEY or the file that TOROID_JOB_KEY_FILE names), PMIx under mpirun or srun, else a
/// run of one process. Throws BadInput where the environment is incomplete or contradicts itself.
Membership find_membership();

}  // namespace toroid
