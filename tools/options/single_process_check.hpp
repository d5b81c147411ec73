// Checks whether several processes can execute a command: in `launch` before it starts processes,
// and again in every process of a run.
#pragma once

#include "tools/options/cli_fwd.hpp"

namespace toroid {

/// Throws BadInput if there are several processes but the parsed options of the command allow only
/// one. If `processes` is 0, the number is unknown and counts as several.
void refuse_several_processes(const CLI::App& command, unsigned processes);

/// Whether several processes run the parsed command together.
bool joins_others(const CLI::App& command);

/// Throws BadInput if a launcher, whichever it is, has started this process as one of several, and
/// the parsed options of the command allow only one: each process would do all of the work. A typed
/// --shard gives each process a part of its own.
void refuse_one_of_several(const CLI::App& command);

}  // namespace toroid
