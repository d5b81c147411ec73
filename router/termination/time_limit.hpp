// Ends a run that takes longer than allowed, even if a program never returns to its node.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace toroid::termination {

/// A thread that watches one run. When the time is over, it asks for a report of what the run is
/// doing and hands it to `end`, which lets the run fail. If the run has not failed some seconds
/// later, because some node does not return from its turn, it writes the report to standard error
/// and ends the process with exit code 1: a thread that does not return cannot be stopped.
class TimeLimit {
 public:
  /// No thread is started if `limit` is 0. The functions are called by the watching thread.
  /// `report` gets a phrase such as "within 10 s".
  TimeLimit(std::chrono::milliseconds limit,
            std::function<std::string(const std::string& when)> report,
            std::function<void(const std::string& text)> end);
  TimeLimit(const TimeLimit&) = delete;
  /// The run has ended.
  ~TimeLimit();

 private:
  void watch(std::chrono::milliseconds limit);
  bool ended_within(std::chrono::milliseconds time);

  std::function<std::string(const std::string&)> report_;
  std::function<void(const std::string&)> end_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;  ///< guarded by mutex_
  std::thread thread_;
};

}  // namespace toroid::termination
