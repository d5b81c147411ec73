// The launcher's information for a process: its rank, the address of process 0, and the key.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "router/job/key.hpp"

namespace toroid {

namespace job {
class LauncherEvents;
}

struct Bootstrap {
  unsigned rank = 0;
  unsigned size = 1;
  JobKey key = JobKey::random();
  /// Host names or addresses of process 0, to be tried in this order.
  std::vector<std::string> master;
  std::uint16_t port = 0;  ///< port on which process 0 listens
  /// File descriptor of a socket on which process 0 listens already, because the launcher had to
  /// know the port in advance; -1 if process 0 must open a socket on `port` itself.
  int listener = -1;
  /// The launcher's events while the job runs; null if it sends none.
  std::shared_ptr<job::LauncherEvents> events{};
  /// Whether this process's launcher has gone, which ends the job; empty if none is known.
  std::function<bool()> launcher_has_gone{};
  std::string source = "alone";  ///< origin of this bootstrap: "PMIx", "environment" or "alone"
};

/// Returns the bootstrap from the first of these sources, unless TOROID_ALONE=1 asks for a job of
/// one process:
///   1. the environment: RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT, and the key in TOROID_JOB_KEY
///      or in the file that TOROID_JOB_KEY_FILE names; but not WORLD_SIZE=1 if a launcher has
///      started this process as one of several
///   2. PMIx, under mpirun or srun
///   3. a job of one process
/// Throws BadInput if the environment is incomplete or contradictory, or if a launcher without PMIx
/// has started this process as one of several.
Bootstrap find_bootstrap();

namespace job {

/// The bootstrap from RANK and the other variables; nullopt if they are not set. Throws BadInput.
std::optional<Bootstrap> environment_bootstrap();

/// The bootstrap from PMIx; nullopt if the launcher does not speak PMIx. Throws RunFailed.
std::optional<Bootstrap> pmix_bootstrap();

}  // namespace job

}  // namespace toroid
