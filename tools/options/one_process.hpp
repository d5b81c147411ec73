// The check whether several processes can carry out a command: `launch` makes it before it starts
// any, and every process of a run makes it again.
#pragma once

#include "tools/options/cli_fwd.hpp"

namespace toroid {

/// Throws BadInput where the parsed options of the command are for one process alone and there are
/// several. `processes` 0: their number is not known yet, and they count as several.
void refuse_several_processes(const CLI::App& command, unsigned processes);

/// The number of processes that `toroid launch` has started, this one among them; 1 where this
/// process was not started by it. Source: WORLD_SIZE beside TOROID_JOB_KEY.
unsigned launched_processes();

}  // namespace toroid
