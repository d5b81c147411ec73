// A machine whose links and nodes fail during a run on rings.
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

/// The machine before its first failure and after each one, as stages. They are made beforehand, so
/// that nodes only need to learn the number of the current stage.
///
/// Threads: the fabric's thread advances the stage; every worker reads it.
class FailureTimeline {
 public:
  /// `shape` includes the listed failures. There is only one stage if none of these failures
  /// happens during the run.
  explicit FailureTimeline(const Shape& shape);

  /// Whether there is more than one stage.
  bool may_change() const { return stages_.size() > 1; }
  /// The current stage.
  std::size_t now() const {
    return now_.load(std::memory_order_acquire);  // partner: the release in pass(), which makes the
                                                  // stage visible
  }
  const Shape& shape(std::size_t stage) const { return stages_[stage]; }

  /// When the next stage begins; none if the current stage is the last.
  std::optional<Tick> next() const;
  /// Advances to the stage that is valid at `time`.
  void pass(Tick time);
  /// The failures that have happened during the run, in order of time.
  std::vector<std::string> deaths() const;

 private:
  std::deque<Shape> stages_;
  std::vector<Death> deaths_;  ///< [stage]: the failure that ends it
  std::atomic<std::size_t> now_{0};
};

}  // namespace toroid::ring
