// Starts the processes of a run, on this host or on others by ssh, and waits for them.
#pragma once

#include <string>
#include <vector>

namespace toroid {

inline constexpr unsigned kMostProcesses = 1 << 16;

/// The options of `toroid launch`.
struct LaunchOptions {
  unsigned processes = 0;              ///< 0 if all slots of the hosts are used
  std::string hosts;                   ///< path of the hosts file; empty if all run on this host
  std::string master;                  ///< address of process 0; empty if that of the first host
  unsigned port = 0;                   ///< port of process 0; 0 if it is drawn at random
  double grace = 8;                    ///< seconds that the others get to end after a failure
  std::vector<std::string> variables;  ///< NAME or NAME=VALUE, for the processes' environment
  /// Whether the run continues without processes that die, and then ends by itself.
  bool goes_on = false;
  std::vector<std::string> command;
  bool is_toroid = false;  ///< the command is toroid itself, which tells the launcher of its end
  bool is_agent = false;   ///< this is the other end of a launcher: run_launch_agent()
};

/// Runs all processes and returns the exit code of the run: 0 if every process exited with 0.
/// Throws BadInput if they cannot be started or the build lacks `ofi`.
int launch(const LaunchOptions& options);

/// The other end of a launcher, which it starts on each host of a hosts file. Runs the processes
/// that standard input describes (host_processes.hpp), sends them the signals that follow there,
/// one number per line, and reports on standard error. Ends them when standard input ends, since
/// the launcher has gone then. Throws BadInput if they cannot be started.
int run_launch_agent();

/// Environment variable of processes that must call tell_launcher_of_end().
inline constexpr const char* kChecksEnd = "TOROID_LAUNCHER_CHECKS_END";
/// Whether this process was started by a launcher that expects tell_launcher_of_end().
bool is_checked_by_launcher();
/// Tells the launcher, if there is one, that this process ends in order. A process that ends
/// without it has failed, even if its exit code is 0.
void tell_launcher_of_end();

}  // namespace toroid
