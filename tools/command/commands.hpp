// The commands of toroid. Each function adds one command to the application and returns a function
// that runs it.
#pragma once

#include "tools/options/cli_fwd.hpp"

#include <functional>

namespace toroid {

/// Runs a command after the command line has been parsed. Returns the exit code: 0 for success, 1
/// if a check failed. Throws BadInput, which means exit code 2, and RunFailed, which means 1.
using CommandRun = std::function<int()>;

CommandRun add_fft_command(CLI::App& app);
CommandRun add_alltoall_command(CLI::App& app);
CommandRun add_bench_command(CLI::App& app);
CommandRun add_compare_command(CLI::App& app);
CommandRun add_hello_command(CLI::App& app);
CommandRun add_info_command(CLI::App& app);
CommandRun add_paper_command(CLI::App& app);
CommandRun add_poisson_command(CLI::App& app);
CommandRun add_policy_command(CLI::App& app);
CommandRun add_redistribute_command(CLI::App& app);
CommandRun add_replay_command(CLI::App& app);
CommandRun add_sweep_command(CLI::App& app);
CommandRun add_report_command(CLI::App& app);
CommandRun add_help_command(CLI::App& app);
CommandRun add_man_command(CLI::App& app);
CommandRun add_completion_command(CLI::App& app);

CommandRun add_merge_command(CLI::App& app);

class MergedJournals;
struct MergeOutputs;
/// Prints and writes the results of the journals' campaign, as if the command had run all of it.
/// Throws BadInput if rows are missing or the campaign has changed.
int run_merged_compare(MergedJournals& journals, const MergeOutputs& outputs);
int run_merged_sweep(MergedJournals& journals, const MergeOutputs& outputs);

struct LaunchedCommand;
/// `launched` is the command to start; it is filled in when the command line is parsed.
CommandRun add_launch_command(CLI::App& app, const LaunchedCommand& launched);

}  // namespace toroid
