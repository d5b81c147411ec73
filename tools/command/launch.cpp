// toroid launch: runs a command in several processes, on this host or on others by ssh.

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include "tools/command/commands.hpp"
#include "tools/command/launched_program.hpp"
#include "tools/options/option_values.hpp"
#include "tools/run/launch.hpp"

namespace toroid {

CommandRun add_launch_command(CLI::App& app, const LaunchedCommand& launched) {
  auto options = std::make_shared<LaunchOptions>();
  CLI::App* command = app.add_subcommand("launch", "run a command in several processes");
  begin_group(*command, "Processes");
  command->add_option("-n", options->processes, "number of processes (default: the hosts' slots)")
      ->transform(whole_number(1, kMostProcesses));
  CLI::Option* const hosts = add_file_option(*command, "--hosts", options->hosts,
                                             "file of hosts, one per line, reached by ssh");
  command->add_option("--master", options->master, "address of process 0 (default: its host)")
      ->type_name("HOST")
      ->check(not_empty())
      ->needs(hosts);
  command->add_option("--port", options->port, "port that process 0 listens on (default: random)")
      ->transform(whole_number(1, 65535))
      ->needs(hosts);
  command
      ->add_option("--grace", options->grace,
                   "seconds that the other processes get to end after one has failed")
      ->check(number(0, 1e6))
      ->capture_default_str();
  command
      ->add_option(
          "-x", options->variables,
          "pass an environment variable on to the processes: NAME, with its value here, or "
          "NAME=VALUE; may be repeated")
      ->type_name("NAME[=VALUE]")
      ->allow_extra_args(false);
  command->add_flag("--agent", options->is_agent)->group("");  // typed by launch alone
  // For help only: the command is removed from the command line before it is parsed.
  command->add_option("COMMAND",
                      "a toroid verb with its options, on the fabric ofi unless it names one, or a "
                      "program on the path; after --, always a program");
  add_examples(*command, {{"four processes on this host", "toroid launch -n 4 hello --torus 4x4x2"},
                          {"on the hosts of a file, by ssh",
                           "toroid launch --hosts hosts.txt fft --size 64 --torus 4x4"},
                          {"another program", "toroid launch -n 2 -- ./my-program --its-option"}});
  return [&app, &launched, options] {
    if (options->is_agent) return run_launch_agent();
    options->command = launched_program(app, launched, *options);
    options->is_toroid =
        !launched.is_program && !options->command.empty() &&
        options->command.front() == std::filesystem::read_symlink("/proc/self/exe");
    options->goes_on = std::ranges::count(options->command, "--continue-without") > 0;
    return options->command.empty() ? 0 : launch(*options);
  };
}

}  // namespace toroid
