// Makes the runs of the table, several at once.
#pragma once

#include <functional>
#include <vector>

#include "tools/lab/paper/simulation.hpp"
#include "tools/run/estimate.hpp"

namespace toroid {

struct SimulateOptions {
  unsigned at_once = 0;  ///< 0: one per core that the process may use
  bool quiet = false;    ///< without a line of progress
  /// Called with the results so far whenever a run and all before it are finished; may be empty.
  std::function<void(const PaperResults&)> show{};
};

/// The figures of all runs; after an interruption without those that were not finished. An
/// exception of one run ends the others and is thrown as RunFailed.
PaperResults simulate(const std::vector<Simulation>& simulations, const PaperSetting& setting,
                      const SimulateOptions& options);

/// What all runs take, with so many at once.
RunEstimate estimate_simulations(const std::vector<Simulation>& simulations,
                                 const PaperSetting& setting, unsigned at_once);

}  // namespace toroid
