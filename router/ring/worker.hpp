// A worker thread: takes its nodes' steps round and round.
#pragma once

#include <vector>

#include "router/ring/control.hpp"
#include "router/ring/idle.hpp"
#include "router/ring/node.hpp"

namespace toroid::ring {

class Worker {
 public:
  /// `nodes` and `control` outlive it. `spins`: it has a core of its own.
  Worker(std::vector<RingNode*> nodes, RunControl& control, std::size_t index, bool spins);

  /// Until the run ends. What a node throws ends the run.
  void run();

 private:
  void loop();
  bool step_all();
  bool has_news() const;
  bool is_quiet() const;
  void rest();
  void wake();

  std::vector<RingNode*> nodes_;
  RunControl* control_;
  WorkerStatus* status_;
  Idle idle_;
  RingNode* current_ = nullptr;  ///< whose step it is
};

}  // namespace toroid::ring
