// Says that a run has been silent for long, because it may never end.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "router/termination/detector.hpp"
#include "router/termination/run_control.hpp"
#include "router/termination/stall_report.hpp"

namespace toroid::termination {

/// Notices that the workers of a process have received no packet for twice the stall limit although
/// they are not passive: a program computes for long or for ever, or takes turns without end. Which
/// of these it is cannot be known, so the run goes on. Owned and called by the thread that watches
/// the run.
class SilenceNotice {
 public:
  /// `say` is called once, with one line; if it is empty, the line goes to standard error.
  SilenceNotice(std::chrono::milliseconds stall, std::function<void(const std::string&)> say)
      : after_(2 * std::min(stall, kLongest)), say_(std::move(say)), since_(Clock::now()) {}

  /// Called several times a second.
  void look(const RunControl& control, const StalledMachine& machine);

 private:
  static constexpr std::chrono::milliseconds kLongest = std::chrono::hours(24 * 365);
  std::chrono::milliseconds after_;
  std::function<void(const std::string&)> say_;
  std::uint64_t received_ = 0;
  Clock::time_point since_;  ///< when received_ was last seen to change, or the workers passive
  bool said_ = false;
};

}  // namespace toroid::termination
