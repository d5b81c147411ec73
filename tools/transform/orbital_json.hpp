// Report of the orbital method: steps, numbers sent, and the time of each stage.
#pragma once

#include <string>

#include "hal/machine.hpp"
#include "tools/text/json.hpp"
#include "tools/transform/run.hpp"

namespace toroid {

/// Adds steps, numbers_per_step and stage_times. They are those of the first node, for one array of
/// the last call.
void add_orbital(Json& report, const TransformJob& job, const Outcome& outcome,
                 const Machine& machine);
std::string orbital_text(const Json& report);

}  // namespace toroid
