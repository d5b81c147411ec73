// The result of toroid fft, as JSON and as a table.
#pragma once

#include <string>

#include "hal/machine.hpp"
#include "tools/command_line/options.hpp"
#include "tools/results/json.hpp"
#include "tools/run/emulation.hpp"
#include "tools/transform/options.hpp"
#include "tools/transform/run.hpp"

namespace toroid {

/// Phases add up to the time: each lasts from when the last node had ended the one before until the
/// last had ended it.
Json fft_report(const FftOptions& options, const TransformJob& job, const PlanBounds& bounds,
                const Machine& machine, const RunOptions& run, const Emulation& emulation,
                const Outcome& outcome);

/// The time of each stage with its exchange beside its bound; `on_wall_clock` is null on the model.
Json phases_json(const TransformJob& job, const Outcome& outcome, const PlanBounds& bounds,
                 const Machine& machine, const Emulation* on_wall_clock);

std::string fft_table(const Json& report);

}  // namespace toroid
