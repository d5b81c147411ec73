// Independent runs, several at once.
#pragma once

#include "tools/paper/simulation.hpp"

namespace toroid {

struct SimulateOptions {
  unsigned at_once = 0;  ///< 0: one per core that the process may use
  bool quiet = false;    ///< no line of progress
};

/// The figures of all of them. What one throws ends the others before they begin and is thrown.
PaperResults simulate(const std::vector<Simulation>& simulations, const PaperSetting& setting,
                      const SimulateOptions& options);

}  // namespace toroid
