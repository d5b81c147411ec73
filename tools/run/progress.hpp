// One line of progress on standard error, and a clean end on Ctrl-C.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "router/sim/sim_fabric.hpp"

namespace toroid {

/// Turns SIGINT and SIGTERM into RunFailed("interrupted") at the next check, so that destructors
/// run and no half-written file stays.
void catch_interrupts();
bool is_interrupted();
void throw_if_interrupted();

/// As people say it: "12 s", "4 min", "3 h 20 min"; never less than 1 s.
std::string duration_text(double seconds);

/// Shows itself only where standard error is a terminal.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool visible() const { return visible_; }
  /// In place of what was shown before.
  void show(const std::string& text);
  /// Removes the line, so that something else can be printed there.
  void clear();

 private:
  bool visible_;
  bool shown_ = false;
};

/// What is left of work that goes on at the pace that it had.
class TimeLeft {
 public:
  /// ", about 35 s left" when this share has been done; empty in the first half second, and where
  /// nothing has been done or nothing is left.
  std::string text(double share) const;

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point began_ = Clock::now();
};

/// Of one run of packets.
class Progress {
 public:
  /// `packets_expected`: of this process; 0: nobody knows.
  Progress(bool quiet, std::uint64_t packets_expected);

  /// On the model. Throws RunFailed when the user has interrupted the command.
  void show(const SimProgress& progress);
  /// Where time is the wall clock. Likewise.
  void show(std::uint64_t delivered);
  void clear() { line_.clear(); }

 private:
  double share(std::uint64_t delivered) const;
  void show(const std::string& before, std::uint64_t delivered);

  ProgressLine line_;
  std::uint64_t expected_;
  TimeLeft left_;
};

/// Of many runs: [######--------------] 12 of 40 runs, about 35 s left.
class RunsProgress {
 public:
  RunsProgress(bool quiet, std::size_t runs, std::string what = "runs");

  /// Before the first: a run is still to come, and how much work it is, in any unit.
  void expect(double work);
  /// Such a run is finished.
  void add(double work);
  void show();
  void clear() { line_.clear(); }

 private:
  ProgressLine line_;
  std::string what_;
  std::size_t runs_;
  std::size_t to_come_ = 0;
  double expected_ = 0;  ///< work
  double done_ = 0;      ///< of it
  TimeLeft left_;
};

}  // namespace toroid
