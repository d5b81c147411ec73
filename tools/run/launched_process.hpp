// What the launcher knows of one process of a run.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <utility>

#include "tools/run/host_processes.hpp"

namespace toroid {

class LaunchedProcess {
 public:
  using Clock = std::chrono::steady_clock;
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
  void note(const Report& report, Clock::time_point now);
  /// Whether the process is stopped, and has been so for this long.
  bool has_been_stopped(Clock::time_point now, std::chrono::milliseconds time) const {
    return state_ == State::stopped && now - stopped_at_ >= time;
  }
  /// Records that the launcher tells the process to end, if it runs. `why`: "rank 2", which has
  /// failed.
  void terminate(const std::string& why);
  bool was_ended_by_launcher() const { return told_to_end_; }

  /// Whether the process has ended with exit code 0 without having said that it ends. The end of a
  /// program that joins nobody is not known.
  bool vanished() const;
  bool has_failed() const;
  /// The exit code of the process, or 128 plus the number of the signal that ended it. That of its
  /// ssh if it is lost.
  int exit_code() const;
  /// "rank 2 on HOST (pid 77)".
  std::string name() const;
  /// "rank 2 on HOST (pid 77) was killed by signal 9". REQUIRES: it has ended and is not lost.
  std::string obituary() const;

 private:
  unsigned rank_;
  std::string host_;
  bool tells_of_end_;
  State state_ = State::waiting;
  pid_t pid_ = 0;  ///< 0 until the process has started
  Clock::time_point stopped_at_{};
  bool told_to_end_ = false;
  std::string why_told_;
  bool joins_ = false;
  bool in_order_ = false;
  int status_ = 0;
};

}  // namespace toroid
