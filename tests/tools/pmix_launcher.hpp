// A launcher that tells of the deaths of processes by PMIx, as PRRTE does and Open MPI 4.1's does
// not.
#pragma once

#include <pmix_common.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/net/process.hpp"
#include "tests/tools/run_process.hpp"

namespace toroid::testing {

/// A job of some processes on this host, served by PMIx's server in this one.
class PmixLauncher {
 public:
  /// Every process will run `argv`. Throws std::runtime_error if PMIx refuses.
  PmixLauncher(unsigned size, Arguments argv, const std::filesystem::path& directory);
  ~PmixLauncher();
  PmixLauncher(const PmixLauncher&) = delete;
  PmixLauncher& operator=(const PmixLauncher&) = delete;

  void start(unsigned rank);
  const Process& operator[](unsigned rank) const { return processes_.at(rank); }
  /// Tells all processes that `rank` has ended so.
  void tell(unsigned rank, pmix_status_t how);

 private:
  pmix_proc_t process(pmix_rank_t rank) const;

  Arguments argv_;
  std::filesystem::path directory_;
  std::string job_;
  std::vector<Process> processes_;  ///< those that have been started, in the order of their ranks
};

}  // namespace toroid::testing
