// What one process alone can do: one check for `launch`, before it starts several processes, and
// for the processes of a run.
#pragma once

#include "tools/command_line/cli_fwd.hpp"

namespace toroid {

/// Throws BadInput where several processes cannot carry out together what the parsed options of a
/// verb say. `processes` 0: their number is not known yet, and they count as several.
void refuse_several_processes(const CLI::App& verb, unsigned processes);

/// The number of processes that `toroid launch` has started, this one among them; 1 where this
/// process was not started by it. Source: WORLD_SIZE beside TOROID_JOB_KEY.
unsigned launched_processes();

}  // namespace toroid
