// toroid help, man and completion: documents made from the option texts.
#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include <CLI/CLI.hpp>
#include "hal/check.hpp"
#include "tools/command/commands.hpp"
#include "tools/command/help_man_completion.hpp"
#include "tools/files/output_file.hpp"
#include "tools/options/option_text.hpp"
#include "tools/options/option_values.hpp"

namespace toroid {
namespace {

struct HelpOptions {
  std::string command;
  bool all = false;
};

struct ManOptions {
  std::string command;
  std::string directory;
};

/// The command of that name, or toroid itself if the name is empty.
const CLI::App& named(const CLI::App& app, const std::string& command) {
  return command.empty() ? app : *find_command(app, command);
}

void write_page(const std::filesystem::path& directory, const CLI::App& app) {
  OutputFile file((directory / (man_page_name(app) + ".1")).string());
  file.stream() << man_page(app);
  file.commit();
}

void write_pages(const std::string& directory, const CLI::App& app) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw BadInput(fmt::format("{}: {}", directory, error.message()));
  write_page(directory, app);
  for (const CLI::App* command : commands_of(app)) write_page(directory, *command);
}

std::string completion_for(const std::string& shell, const CLI::App& app) {
  if (shell == "bash") return bash_completion(app);
  return shell == "zsh" ? zsh_completion(app) : fish_completion(app);
}

}  // namespace

CommandRun add_help_command(CLI::App& app) {
  auto options = std::make_shared<HelpOptions>();
  CLI::App* command = app.add_subcommand("help", "show a verb's options and examples");
  command->add_option("VERB", options->command, "verb to explain (default: list all)");
  begin_group(*command, "Output");
  command->add_flag("--all", options->all, "show all options, not only the usual ones");
  add_examples(*command, {{"the usual options of a transform", "toroid help fft"},
                          {"all of them", "toroid help fft --all"}});
  return [&app, options] {
    fmt::print("{}", help_text(named(app, options->command),
                               options->all ? HelpDetail::all : HelpDetail::usual));
    return 0;
  };
}

CommandRun add_man_command(CLI::App& app) {
  auto options = std::make_shared<ManOptions>();
  CLI::App* command = app.add_subcommand("man", "print or write manual pages");
  command->add_option("VERB", options->command, "verb to document (default: toroid itself)");
  begin_group(*command, "Output");
  command
      ->add_option("--directory", options->directory, "folder to write all pages to, one file each")
      ->type_name("DIR")
      ->check(not_empty());
  add_examples(*command, {{"view a page", "toroid man fft | man -l -"}});
  return [&app, options] {
    const CLI::App& page = named(app, options->command);
    if (options->directory.empty())
      fmt::print("{}", man_page(page));
    else
      write_pages(options->directory, app);
    return 0;
  };
}

CommandRun add_completion_command(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "print a completion script for a shell");
  command->add_option("SHELL", *shell, "shell to complete in")
      ->required()
      ->check(one_of("shell", kShellNames));
  add_examples(*command, {{"load it in this bash", "source <(toroid completion bash)"}});
  return [&app, shell] {
    fmt::print("{}", completion_for(*shell, app));
    return 0;
  };
}

}  // namespace toroid
