// The result of toroid fft, as JSON and as a table, and what it shares with those of other plans.
#pragma once

#include <string>

#include "hal/machine.hpp"
#include "tools/report/bound.hpp"
#include "tools/run/emulation.hpp"
#include "tools/run/run_options.hpp"
#include "tools/text/json.hpp"
#include "tools/transform/options.hpp"
#include "tools/transform/run.hpp"

namespace toroid {

/// A run of a plan and what it left.
struct PlanFigures {
  const TransformJob& job;
  const PlanBounds& bounds;
  const Machine& machine;
  const RunOptions& run;
  const Emulation& emulation;
  const Outcome& outcome;
};

// What the runs of all plans report.
/// The policy, the workers, and the time beside its bound, which is returned.
Timing add_run(Json& report, const PlanFigures& figures);
/// Repetitions, counters, the profile, the hash and the wall clock: the last keys of a report.
void add_counts(Json& report, const PlanFigures& figures);
/// The line about repetitions.
std::string repetitions_text(const Json& repetitions);

/// Phases add up to the time: each lasts from when the last node had ended the one before until the
/// last had ended it.
Json fft_report(const FftOptions& options, const PlanFigures& figures);

/// The time of each stage with its exchange beside its bound; `on_wall_clock` is null on the model.
Json phases_json(const TransformJob& job, const Outcome& outcome, const PlanBounds& bounds,
                 const Machine& machine, const Emulation* on_wall_clock);

std::string fft_table(const Json& report);

}  // namespace toroid
