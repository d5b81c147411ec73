// How a run of the model is saved and resumed.
#pragma once

#include <functional>

#include "hal/tick.hpp"

namespace toroid {

class Archive;

/// Cuts a run into segments, between which its state is plain data. Results do not depend on the
/// cuts. All calls come from the thread that called the fabric's run(). The fabric does not save
/// the state of processors: the implementation of this interface does.
class SimCheckpoints {
 public:
  virtual ~SimCheckpoints() = default;

  /// Saves or loads the fabric's state. Loading requires the same machine and number of threads.
  using State = std::function<void(Archive&)>;

  /// Called once, before the first cycle. Returns true if it has loaded a state; in a loaded state
  /// processors have already had their first turns.
  virtual bool try_resume(const State& state) = 0;
  /// Returns the end of the next segment, which runs the cycles before that end. The end must be
  /// later than `next`, the cycle of the next event.
  virtual Tick end_of_segment(Tick next) = 0;
  /// Called when everything before `now` has happened and events are left. May throw to end the
  /// run.
  virtual void between_segments(Tick now, const State& state) = 0;
};

}  // namespace toroid
