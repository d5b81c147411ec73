// One line of progress on standard error, and a clean end on Ctrl-C.
#pragma once

#include <cstdint>
#include <string>

#include "router/sim_fabric.hpp"

namespace toroid {

/// Turns SIGINT and SIGTERM into RunFailed("interrupted") at the next check, so that destructors
/// run and no half-written file stays.
void catch_interrupts();
bool is_interrupted();
void throw_if_interrupted();

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

/// Of one run on the model.
class Progress {
 public:
  Progress(bool quiet, std::uint64_t packets_expected);

  void show(const SimProgress& progress);
  void clear() { line_.clear(); }

 private:
  ProgressLine line_;
  std::uint64_t expected_;
};

}  // namespace toroid
