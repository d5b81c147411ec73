// A worker thread, which runs its nodes round and round.
#pragma once

#include <chrono>
#include <cstddef>
#include <exception>
#include <vector>

#include "router/shm/device.hpp"
#include "router/termination/control.hpp"
#include "router/termination/detector.hpp"
#include "router/threads/idle.hpp"

namespace toroid::ring {

class PutPort;

/// Something that a worker polls besides its nodes: the way to other processes.
class Pollable {
 public:
  /// Takes in what has come and sends what must go. `idle`: the worker has nothing else to do.
  /// True: something moved.
  virtual bool step(bool idle) = 0;
  /// Whether bytes are under way that move only while it is polled, unseen: no time to sleep.
  virtual bool hurries() const { return false; }

 protected:
  ~Pollable() = default;
};

/// Runs its nodes' steps until the run ends. Made and used by one thread.
///
/// While something moves it goes on at once; when nothing does, it waits longer and longer. When
/// nothing has moved for a while, in rounds or in time, and all its nodes are quiet it rests: it
/// reports itself passive with its counts, and looks only for news. **Safety:** it withdraws that
/// report before it does anything about the news.
class Worker {
 public:
  /// All arguments outlive it. `spins`: it has a core of its own. `pollable` and `puts` may be
  /// null.
  Worker(std::vector<RingDevice*> devices, termination::RunControl& control, std::size_t index,
         bool spins, Pollable* pollable = nullptr, PutPort* puts = nullptr);

  /// Returns when the run has ended. What a node throws ends the run.
  void run();

 private:
  void loop();
  bool step_all();
  bool has_waited();
  void wait();
  bool poll(bool idle) { return pollable_ != nullptr && pollable_->step(idle); }
  void fail(const std::exception& error);
  bool has_news() const;
  bool is_quiet() const;
  void rest();
  void report_received();
  void wake();

  std::vector<RingDevice*> devices_;
  termination::RunControl* control_;
  termination::WorkerReport* report_;
  Pollable* pollable_;
  PutPort* puts_;
  unsigned rounds_before_rest_;
  Idle idle_;
  std::chrono::steady_clock::time_point waits_since_{};  ///< soon after something moved last
  termination::TerminationDetector detector_;
  RingDevice* current_ = nullptr;  ///< whose step it is; null: nobody's
};

}  // namespace toroid::ring
