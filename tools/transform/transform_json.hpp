// The result of toroid fft as JSON and as a table, and parts shared with the results of other
// plans.
#pragma once

#include <string>

#include "hal/machine.hpp"
#include "tools/report/binding_bound.hpp"
#include "tools/run/emulation.hpp"
#include "tools/run/run_options.hpp"
#include "tools/text/json.hpp"
#include "tools/transform/options.hpp"
#include "tools/transform/run.hpp"

namespace toroid {

/// A plan's run and its results.
struct PlanFigures {
  const TransformJob& job;
  const PlanBounds& bounds;
  const Machine& machine;
  const RunOptions& run;
  const Emulation& emulation;
  const Outcome& outcome;
};

// Parts of the reports of all plans.
/// Adds the policy, the workers, and the time with its bound. Returns the time with its bound.
Timing add_run(Json& report, const PlanFigures& figures);
/// Adds repetitions, counters, profile, hash and wall clock: the last keys of a report.
void add_counts(Json& report, const PlanFigures& figures);

/// The result as JSON. Its phases add up to the time: each lasts from the moment at which the last
/// node ended the previous phase until the last node ended this one.
Json fft_report(const FftOptions& options, const PlanFigures& figures);

/// The time of each stage, and the time of its exchange with the bound. `on_wall_clock` is null in
/// virtual time.
Json phases_json(const TransformJob& job, const Outcome& outcome, const PlanBounds& bounds,
                 const Machine& machine, const Emulation* on_wall_clock);

std::string fft_table(const Json& report);

}  // namespace toroid
