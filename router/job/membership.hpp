// What a launcher tells a process: its place in the job, where process 0 is, and the key.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "router/job/key.hpp"

namespace toroid {

namespace job {
class LauncherEvents;
}

struct Membership {
  unsigned rank = 0;
  unsigned size = 1;
  JobKey key = JobKey::random();
  /// Host names or addresses of process 0, to be tried in this order.
  std::vector<std::string> master;
  std::uint16_t port = 0;  ///< on which process 0 listens
  /// File descriptor of a socket on which process 0 listens already, because the launcher had to
  /// know the port in advance; -1: process 0 opens one on `port`.
  int listener = -1;
  /// What the launcher tells while the job runs; null: nothing.
  std::shared_ptr<job::LauncherEvents> events;
  std::string source = "alone";  ///< where this comes from: "PMIx", "environment" or "alone"
};

/// The membership that the environment gives (RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT, and the
/// key in TOROID_JOB_KEY or the file that TOROID_JOB_KEY_FILE names); else that of PMIx, under
/// mpirun or srun; else that of a job of one process. Throws BadInput if the environment is
/// incomplete or contradicts itself.
Membership find_membership();

namespace job {

/// The membership by RANK and so on; none if they are not set. Throws BadInput.
std::optional<Membership> environment_membership();

/// The membership by PMIx; none if the launcher does not speak PMIx. Throws RunFailed.
std::optional<Membership> pmix_membership();

}  // namespace job

}  // namespace toroid
