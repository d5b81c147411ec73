// A machine whose links and nodes fail in the course of a run on rings.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "hal/failures.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"

namespace toroid::ring {

/// The machine before its first failure and after each: stages, made beforehand, so that nodes only
/// learn which of them it is.
///
/// Threads: the fabric's moves on; every worker asks.
class FailureStages {
 public:
  /// `shape`: with the failures that are listed; one stage where none comes later.
  explicit FailureStages(const Shape& shape);

  /// Whether there is more than one stage.
  bool may_change() const { return stages_.size() > 1; }
  /// The stage that it is.
  std::size_t now() const {
    return now_.load(std::memory_order_acquire);  // pass()'s partner: the stage's own memory
  }
  const Shape& shape(std::size_t stage) const { return stages_[stage]; }

  /// When the next stage begins; none: it is the last.
  std::optional<Tick> next() const;
  /// Moves on to the stage that it is at `time`.
  void pass(Tick time);
  /// What has failed since the beginning, in order of time.
  std::vector<std::string> deaths() const;

 private:
  std::deque<Shape> stages_;
  std::vector<Death> deaths_;  ///< [stage]: what ends it
  std::atomic<std::size_t> now_{0};
};

}  // namespace toroid::ring
