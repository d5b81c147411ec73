// A process that the launcher has started.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "router/job/socket.hpp"

namespace toroid {

using Variables = std::vector<std::pair<std::string, std::string>>;

/// What is to run.
struct ChildCommand {
  unsigned rank = 0;
  std::string host;
  std::vector<std::string> arguments;  ///< the program first
  Variables environment;               ///< beside the launcher's
  int kept = -1;                       ///< a descriptor that the program is to have
  /// For what runs on another host, by ssh: what comes first on its standard input. The end of that
  /// input ends the process over there.
  std::optional<std::string> input;
};

/// In a process group of its own: a terminal's Ctrl-C reaches it by way of the launcher only. It
/// does not outlive the launcher.
class Child {
 public:
  /// Throws BadInput where the program cannot be run.
  explicit Child(const ChildCommand& command);

  unsigned rank() const { return rank_; }
  pid_t pid() const { return pid_; }
  bool is_running() const { return running_; }
  /// It has ended with this status, as of waitpid().
  void end(int status);

  /// 128 and the number for a signal.
  int exit_code() const;
  bool was_ended_by_launcher() const { return told_to_end_; }
  /// As by a signal of the user's to the launcher.
  void interrupt(int number);
  /// Asks it to end, wherever it is.
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
  int status_ = 0;
};

}  // namespace toroid
