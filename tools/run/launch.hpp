// Starts the processes of a run, on this host or on others by ssh, and waits for them.
#pragma once

#include <string>
#include <vector>

namespace toroid {

/// The options of `toroid launch`.
struct LaunchOptions {
  unsigned processes = 0;  ///< 0: the number of slots of the hosts
  std::string hosts;       ///< hosts file; empty: this host
  std::string master;      ///< empty: the first host
  unsigned port = 0;       ///< 0: drawn at random
  double grace = 8;        ///< seconds
  /// The run continues without processes that die, and ends by itself.
  bool goes_on = false;
  std::vector<std::string> command;
};

/// Runs all processes and returns the exit code of the run: 0 if every process exited with 0.
/// Throws BadInput if they cannot be started or the build lacks `ofi`.
int launch(const LaunchOptions& options);

}  // namespace toroid
