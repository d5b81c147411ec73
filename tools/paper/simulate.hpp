// Independent runs, several at once.
#pragma once

#include <functional>
#include <vector>

#include "tools/paper/simulation.hpp"
#include "tools/run/expectation.hpp"

namespace toroid {

struct SimulateOptions {
  unsigned at_once = 0;  ///< 0: one per core that the process may use
  bool quiet = false;    ///< no line of progress
  /// Is shown what there is each time when a run and all before it are finished; may be empty.
  std::function<void(const PaperResults&)> show{};
};

/// The figures of all of them. What one throws ends the others and is thrown as RunFailed. After an
/// interruption those that were not finished are missing.
PaperResults simulate(const std::vector<Simulation>& simulations, const PaperSetting& setting,
                      const SimulateOptions& options);

/// What all of them take, so many at once.
Expectation simulate_expectation(const std::vector<Simulation>& simulations,
                                 const PaperSetting& setting, unsigned at_once);

}  // namespace toroid
