// What the launcher knows of one process of a run.
#pragma once

#include <string>
#include <utility>

#include "tools/run/host_processes.hpp"

namespace toroid {

class LaunchedProcess {
 public:
  enum class State { waiting, running, stopped, ended, lost };

  /// `tells_of_end`: the program writes to the launcher's pipe before it ends in order.
  LaunchedProcess(unsigned rank, std::string host, bool tells_of_end)
      : rank_(rank), host_(std::move(host)), tells_of_end_(tells_of_end) {}

  unsigned rank() const { return rank_; }
  const std::string& host() const { return host_; }
  State state() const { return state_; }
  bool is_lost() const { return state_ == State::lost; }
  bool is_running() const { return state_ == State::running || state_ == State::stopped; }
  /// Whether the process has begun to join the other processes of its run.
  bool joins() const { return joins_; }
  void start() { state_ = State::running; }
  void note(const Report& report);
  /// Records that the launcher tells the process to end, if it runs.
  void terminate() { told_to_end_ = is_running(); }
  bool was_ended_by_launcher() const { return told_to_end_; }

  /// Whether the process has ended with exit code 0 without having said that it ends. The end of a
  /// program that joins nobody is not known.
  bool vanished() const;
  bool has_failed() const;
  /// The exit code of the process, or 128 plus the number of the signal that ended it. That of its
  /// ssh if it is lost.
  int exit_code() const;
  /// "rank 2 on HOST was killed by signal 9". REQUIRES: it has ended and is not lost.
  std::string obituary() const;

 private:
  unsigned rank_;
  std::string host_;
  bool tells_of_end_;
  State state_ = State::waiting;
  bool told_to_end_ = false;
  bool joins_ = false;
  bool in_order_ = false;
  int status_ = 0;
};

}  // namespace toroid
