// A worker thread: takes its nodes' steps round and round.
#pragma once

#include <cstddef>
#include <exception>
#include <string>
#include <vector>

#include "router/shm/device.hpp"
#include "router/shm/port.hpp"
#include "router/termination/control.hpp"
#include "router/termination/detector.hpp"
#include "router/threads/idle.hpp"

namespace toroid::ring {

class Worker {
 public:
  /// `nodes`, `control` and `port` outlive it. `spins`: it has a core of its own. `port`: what it
  /// serves besides its nodes; may be null.
  Worker(std::vector<RingDevice*> nodes, termination::RunControl& control, std::size_t index,
         bool spins, Port* port = nullptr);

  /// Until the run ends. What a node throws ends the run.
  void run();

 private:
  void loop();
  bool step_all();
  bool step_port(bool idle) { return port_ != nullptr && port_->step(idle); }
  void fail(const std::exception& error);
  bool has_news() const;
  bool is_quiet() const;
  void rest();
  void tell_received();
  void wake();

  std::vector<RingDevice*> nodes_;
  termination::RunControl* control_;
  termination::WorkerReport* report_;
  Port* port_;
  Idle idle_;
  termination::TerminationDetector detector_;
  RingDevice* current_ = nullptr;  ///< whose step it is; null: the port's
};

}  // namespace toroid::ring
