// A progress line on standard error.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "router/sim/sim_fabric.hpp"

namespace toroid {

/// A duration in words: "12 s", "4 min", "3 h 20 min"; at least "1 s".
std::string duration_text(double seconds);

/// A line on standard error that each new text replaces. It is invisible if standard error is not a
/// terminal.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool visible() const { return visible_; }
  /// Replaces the line by this text.
  void show(const std::string& text);
  /// Removes the line, so that other text can be printed.
  void clear();

 private:
  bool visible_;
  bool shown_ = false;
};

/// Estimates the remaining time, assuming that work continues at the same pace.
class TimeLeft {
 public:
  /// A text such as ", about 35 s left". `share` is the finished share of the work, from 0 to 1;
  /// `before` is the share that was finished before this object was made. The text is empty in the
  /// first half second, and if nothing is done or nothing is left.
  std::string text(double share, double before = 0) const;

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point began_ = Clock::now();
};

/// The progress of one run, measured in packets.
class Progress {
 public:
  /// `packets_expected` is the number of packets of this process; 0 if it is unknown.
  Progress(bool quiet, std::uint64_t packets_expected);

  /// Shows the progress of the model. Throws RunFailed when the user has interrupted the command.
  void show(const SimProgress& progress);
  /// Shows the progress in wall-clock time. Throws RunFailed like the other show().
  void show(std::uint64_t delivered);
  /// From now on an interruption does not throw here; other code handles it.
  void leave_interruptions() { throws_ = false; }
  void clear() { line_.clear(); }

 private:
  double share(std::uint64_t delivered) const;
  void show(const std::string& before, std::uint64_t delivered, std::uint64_t resumed_from);

  ProgressLine line_;
  std::uint64_t expected_;
  bool throws_ = true;
  TimeLeft left_;
};

/// The progress of many runs: [######--------------] 12 of 40 runs, about 35 s left.
class RunsProgress {
 public:
  RunsProgress(bool quiet, std::size_t runs, std::string what = "runs");

  /// Adds a run that is still to come, with its work in any unit. Call it for all runs before the
  /// first one.
  void expect(double work);
  /// Notes that a run has finished. `work` is the work that was given to expect().
  void add(double work);
  void show();
  void clear() { line_.clear(); }

 private:
  ProgressLine line_;
  std::string what_;
  std::size_t runs_;
  std::size_t to_come_ = 0;
  double expected_ = 0;  ///< work of all runs
  double done_ = 0;      ///< work of finished runs
  TimeLeft left_;
};

}  // namespace toroid
