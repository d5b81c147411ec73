// How a run of the model is saved and resumed.
#pragma once

#include <functional>

#include "hal/tick.hpp"

namespace toroid {

class Archive;

/// Cuts a run into segments, between which its state is plain data. Results do not depend on where.
/// The thread that called the fabric's run() makes all calls. What processors hold is not the
/// fabric's to save: whoever implements this does that beside it.
class SimCheckpoints {
 public:
  virtual ~SimCheckpoints() = default;

  /// Saves the state of the fabric, or loads it: so many threads, of the same machine.
  using State = std::function<void(Archive&)>;

  /// Asked once, before the first cycle. Returns true if it has loaded a state, in which
  /// processors have had their first turns.
  virtual bool try_resume(const State& state) = 0;
  /// The cycle, after `next`, before which the next segment ends. `next`: when something happens.
  virtual Tick end_of_segment(Tick next) = 0;
  /// All that happens before `now` has happened, and something is left. May throw to end the run.
  virtual void between_segments(Tick now, const State& state) = 0;
};

}  // namespace toroid
