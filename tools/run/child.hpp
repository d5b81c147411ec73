// A process that the launcher starts.
#pragma once

#include <sys/types.h>

#include <optional>
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
  unsigned rank = 0;
  std::string host;
  std::vector<std::string> arguments;  ///< the program first
  Variables environment;               ///< variables in addition to the launcher's
  bool tells_of_end = false;           ///< the program writes to the pipe before it ends in order
  std::vector<int> kept;               ///< descriptors that the program inherits
  /// Only for a program that ssh runs on another host: the first bytes of its standard input. When
  /// the launcher closes this standard input, the remote process is ended.
  std::optional<std::string> input;
};

/// A started process. It has its own process group, so that a terminal's Ctrl-C reaches it only
/// through the launcher, and it does not outlive the launcher. Owned by `Children`.
class Child {
 public:
  /// Throws BadInput if the program cannot be run.
  explicit Child(const ChildCommand& command);

  unsigned rank() const { return rank_; }
  pid_t pid() const { return pid_; }
  bool is_remote() const { return remote_; }
  bool is_running() const { return running_; }
  /// Records that the process has ended with this status of waitpid().
  void end(int status);
  /// Records that the process has begun to join the other processes of its run.
  void join() {
    joins_ = true;
    in_order_ = false;
  }
  bool joins() const { return joins_; }
  /// Records that the process has left the others in order.
  void leave() { in_order_ = true; }
  /// Whether the process has ended with exit code 0 without having said that it ends. The end of a
  /// remote process, or of a program that joins nobody, is not known.
  bool vanished() const {
    return !running_ && exit_code() == 0 && !remote_ && (joins_ || tells_of_end_) && !in_order_;
  }
  bool has_failed() const { return exit_code() != 0 || vanished(); }

  /// The exit code of the process, or 128 plus the number of the signal that ended it.
  int exit_code() const;
  bool was_ended_by_launcher() const { return told_to_end_; }
  /// Forwards a signal that the user has sent to the launcher.
  void interrupt(int number);
  /// Asks the local or remote process to end.
  void terminate();
  void kill();
  /// "rank 2 on HOST was killed by signal 9"
  std::string obituary() const;

 private:
  void signal(int number);

  unsigned rank_;
  std::string host_;
  bool remote_;
  pid_t pid_ = -1;
  job::Socket input_;
  bool running_ = true;
  bool told_to_end_ = false;
  bool joins_ = false;
  bool tells_of_end_;
  bool in_order_ = false;
  int status_ = 0;
};

}  // namespace toroid
