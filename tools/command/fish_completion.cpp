#include <fmt/core.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "tools/command/help_man_completion.hpp"
#include "tools/options/option_text.hpp"
#include "tools/text/split_and_wrap.hpp"

namespace toroid {
namespace {

/// For example "-s o -l out".
std::string fish_names(const OptionText& option) {
  std::string text;
  for (const std::string& name : option.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  return text;
}

/// How fish completes the value. -x means that files are not offered.
std::string fish_value(const OptionText& option) {
  if (option.value.empty()) return "";
  std::string text = option.takes_file() ? " -r -F" : " -x";
  if (!option.choices.empty())
    text += fmt::format(" -a {}", shell_word(fmt::format("{}", fmt::join(option.choices, " "))));
  return text;
}

std::string fish_option(const std::string& command, const OptionText& option) {
  const std::string condition = fmt::format("__fish_seen_subcommand_from {}", command);
  if (option.is_argument() && option.choices.empty() && !option.takes_file()) return "";
  return fmt::format("complete -c toroid -n {}{}{} -d {}\n", shell_word(condition),
                     fish_names(option), fish_value(option), shell_word(option.description));
}

}  // namespace

std::string fish_completion(const CLI::App& app) {
  const std::string names = fmt::format("{}", fmt::join(command_names(app), " "));
  const std::string no_command = fmt::format("not __fish_seen_subcommand_from {}", names);
  std::string text =
      "# fish completion for toroid, made by `toroid completion fish`\ncomplete -c toroid -f\n";
  for (const OptionText& option : option_texts(app))
    text += fmt::format("complete -c toroid -n {}{} -d {}\n", shell_word(no_command),
                        fish_names(option), shell_word(option.description));
  for (const CLI::App* command : commands_of(app))
    text += fmt::format("complete -c toroid -n {} -a {} -d {}\n", shell_word(no_command),
                        command->get_name(), shell_word(command->get_description()));
  for (const CLI::App* command : commands_of(app))
    for (const OptionText& option : option_texts(*command))
      text += fish_option(command->get_name(), option);
  return text;
}

}  // namespace toroid
