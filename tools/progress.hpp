// One line of progress on standard error, and a clean end on Ctrl-C.
#pragma once

#include <cstdint>

#include "router/sim_fabric.hpp"

namespace toroid {

/// Turns SIGINT and SIGTERM into RunFailed("interrupted") at the next check, so that destructors
/// run and no half-written file stays.
void catch_interrupts();
void throw_if_interrupted();

/// Shows itself only where standard error is a terminal.
class Progress {
 public:
  Progress(bool quiet, std::uint64_t packets_expected);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const SimProgress& progress);
  /// Removes the line, so that something else can be printed there.
  void clear();

 private:
  bool visible_;
  bool shown_ = false;
  std::uint64_t expected_;
};

}  // namespace toroid
