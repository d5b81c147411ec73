// The verbs of the command. Each adds itself to the application and runs if it was named.
#pragma once

#include "tools/command_line/cli_fwd.hpp"

#include <functional>

namespace toroid {

/// Returns the exit code: 0 done, 1 a check failed. Throws BadInput (2) and RunFailed (1).
using Verb = std::function<int()>;

Verb add_fft_verb(CLI::App& app);
Verb add_alltoall_verb(CLI::App& app);
Verb add_bench_verb(CLI::App& app);
Verb add_compare_verb(CLI::App& app);
Verb add_hello_verb(CLI::App& app);
Verb add_info_verb(CLI::App& app);
Verb add_paper_verb(CLI::App& app);
Verb add_poisson_verb(CLI::App& app);
Verb add_replay_verb(CLI::App& app);
Verb add_sweep_verb(CLI::App& app);
Verb add_report_verb(CLI::App& app);
Verb add_help_verb(CLI::App& app);
Verb add_man_verb(CLI::App& app);
Verb add_completion_verb(CLI::App& app);

struct LaunchedCommand;
/// `launched` is what it starts, known once the command line has been parsed.
Verb add_launch_verb(CLI::App& app, const LaunchedCommand& launched);

}  // namespace toroid
