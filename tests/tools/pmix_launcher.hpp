// A launcher that reports deaths of processes by PMIx, as PRRTE does and Open MPI 4.1 does not.
#pragma once

#include <pmix_common.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/net/process.hpp"
#include "tests/tools/run_process.hpp"

namespace toroid::testing {

/// A job of processes on this host, served by a PMIx server in the calling process.
class PmixLauncher {
 public:
  /// Every started process runs `argv`. Throws std::runtime_error if PMIx refuses.
  PmixLauncher(unsigned size, Arguments argv, const std::filesystem::path& directory);
  ~PmixLauncher();
  PmixLauncher(const PmixLauncher&) = delete;
  PmixLauncher& operator=(const PmixLauncher&) = delete;

  void start(unsigned rank);
  const Process& operator[](unsigned rank) const { return processes_.at(rank); }
  /// Tells all processes that `rank` has ended with status `how`.
  void tell(unsigned rank, pmix_status_t how);

 private:
  pmix_proc_t process(pmix_rank_t rank) const;

  Arguments argv_;
  std::filesystem::path directory_;
  std::string job_;
  std::vector<Process> processes_;  ///< the started processes, in order of rank
};

}  // namespace toroid::testing
