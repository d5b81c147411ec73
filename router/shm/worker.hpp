// A worker thread, which steps its nodes in rounds.
#pragma once

#include <chrono>
#include <cstddef>
#include <exception>
#include <vector>

#include "router/shm/device.hpp"
#include "router/termination/detector.hpp"
#include "router/termination/run_control.hpp"
#include "router/threads/idle.hpp"

namespace toroid::ring {

class PutPort;

/// Something that a worker polls besides its nodes: the connection to other processes.
class Pollable {
 public:
  /// Takes in what has arrived and sends what is due. `idle`: the worker has nothing else to do.
  /// Returns whether something moved.
  virtual bool step(bool idle) = 0;
  /// Whether bytes are in flight that move only while this is polled; then the worker must not
  /// sleep.
  virtual bool hurries() const { return false; }

 protected:
  ~Pollable() = default;
};

/// Runs the steps of its nodes until the run ends. Created and used by one thread.
///
/// While something moves, the worker starts each round at once. After rounds without motion it
/// waits, longer each time. When nothing has moved for a number of rounds or for some time, and all
/// its nodes are quiet, it rests: it reports its counts and that it is passive, and only looks for
/// news. **Safety:** it withdraws that report before it reacts to any news.
class Worker {
 public:
  /// All arguments outlive it. `spins`: the worker has a core to itself. `pollable` and `puts` may
  /// be null.
  Worker(std::vector<RingDevice*> devices, termination::RunControl& control, std::size_t index,
         bool spins, Pollable* pollable = nullptr, PutPort* puts = nullptr);

  /// Returns when the run has ended. An exception from a node ends the run.
  void run();

 private:
  void loop();
  bool step_all();
  bool has_waited();
  void wait();
  bool poll(bool idle) { return pollable_ != nullptr && pollable_->step(idle); }
  void fail(const std::exception_ptr& error);
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
  std::chrono::steady_clock::time_point waits_since_{};  ///< set soon after the latest motion
  termination::TerminationDetector detector_;
  bool progressed_ = false;        ///< in this round a packet has moved or a program has gone on
  RingDevice* current_ = nullptr;  ///< device whose step is running; null if there is none
};

}  // namespace toroid::ring
