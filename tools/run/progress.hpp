// One line of progress on standard error.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "router/sim/sim_fabric.hpp"

namespace toroid {

/// A duration as people say it: "12 s", "4 min", "3 h 20 min"; at least "1 s".
std::string duration_text(double seconds);

/// A line on standard error that replaces itself; nothing where standard error is no terminal.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool visible() const { return visible_; }
  /// Shows the text in place of the one before.
  void show(const std::string& text);
  /// Removes the line, so that something else can be printed there.
  void clear();

 private:
  bool visible_;
  bool shown_ = false;
};

/// Estimates the time left for work that goes on at its pace so far.
class TimeLeft {
 public:
  /// ", about 35 s left" after this share of the work, from 0 to 1, of which `before` had been done
  /// when it began; empty in the first half second and where nothing has been done or is left.
  std::string text(double share, double before = 0) const;

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point began_ = Clock::now();
};

/// The progress of one run, by its packets.
class Progress {
 public:
  /// `packets_expected`: packets of this process; 0: their number is unknown.
  Progress(bool quiet, std::uint64_t packets_expected);

  /// Shows the progress of the model. Throws RunFailed when the user has interrupted the command.
  void show(const SimProgress& progress);
  /// Shows the progress where time is the wall clock's. Throws as above.
  void show(std::uint64_t delivered);
  /// An interruption is somebody else's business: nothing throws for it any more.
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

  /// Counts a run that is still to come, with its work in any unit. Call it before the first run.
  void expect(double work);
  /// Counts a finished run with the same work.
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
