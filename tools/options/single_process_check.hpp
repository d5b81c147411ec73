// Checks whether several processes can execute a command: in `launch` before it starts processes,
// and again in every process of a run.
#pragma once

#include "tools/options/cli_fwd.hpp"

namespace toroid {

/// Throws BadInput if there are several processes but the parsed options of the command allow only
/// one. If `processes` is 0, the number is unknown and counts as several.
void refuse_several_processes(const CLI::App& command, unsigned processes);

/// The number of processes that `toroid launch` has started, including this one; 1 if this process
/// was started otherwise. The number is read from the variable WORLD_SIZE, if TOROID_JOB_KEY is set
/// too.
unsigned launched_processes();

}  // namespace toroid
