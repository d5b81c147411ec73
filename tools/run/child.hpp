// A process that the launcher starts.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "router/job/listening_socket.hpp"

namespace toroid {

struct Pipe {
  job::Socket out;  ///< end to read from
  job::Socket in;
};
/// Makes a pipe that started programs do not inherit. Throws RunFailed.
Pipe make_pipe();

using Variables = std::vector<std::pair<std::string, std::string>>;

/// The process to be started.
struct ChildCommand {
  std::vector<std::string> arguments;  ///< the program first
  Variables environment;               ///< variables in addition to the launcher's
  std::vector<int> kept;               ///< descriptors that the program inherits
  int input = -1;                      ///< standard input; -1: empty
  int errors = -1;                     ///< standard error; -1: the launcher's
};

/// A started process. It has its own process group, so that a terminal's Ctrl-C reaches it only
/// through the launcher, and it does not outlive the launcher.
class Child {
 public:
  /// Throws BadInput if the program cannot be run.
  explicit Child(const ChildCommand& command);
  ~Child();
  Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
  Child& operator=(Child&&) = delete;

  /// -1 once it has been reaped.
  pid_t pid() const { return pid_; }
  bool is_running() const { return pid_ > 0; }
  /// Whether the process has ended and waits for reap().
  bool has_ended() const;
  bool is_stopped() const;
  /// Sends a signal to the process group. SIGTERM also continues a stopped process, which could not
  /// end otherwise.
  void signal(int number) const;
  /// Waits for the end of the process, removes what it left in shared memory and returns its status
  /// of waitpid(). REQUIRES: is_running().
  int reap();

 private:
  pid_t pid_ = -1;
};

}  // namespace toroid
