#include <fmt/core.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "tools/command/help_man_completion.hpp"
#include "tools/options/option_text.hpp"
#include "tools/text/split_and_wrap.hpp"

namespace toroid {
namespace {

/// Escapes the characters that are special in a specification of _arguments.
std::string zsh_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

/// How zsh completes a value.
std::string zsh_action(const OptionText& option) {
  if (option.choices.empty()) return option.takes_file() ? "_files" : " ";
  const std::string names = zsh_escaped(fmt::format("{}", fmt::join(option.choices, " ")));
  if (option.is_list) return fmt::format("_sequence compadd - {}", names);
  if (option.takes_file()) return fmt::format("{{compadd - {}; _files}}", names);
  return fmt::format("({})", names);
}

std::string zsh_value(const OptionText& option) {
  return option.value.empty()
             ? ""
             : fmt::format(":{}:{}", zsh_escaped(option.value), zsh_action(option));
}

/// The specification of an option for _arguments: one line for each of its names.
std::string zsh_option(const OptionText& option) {
  std::string text;
  for (const std::string& name : option.names) {
    const bool is_long = name.starts_with("--");
    const std::string_view joint = option.value.empty() ? "" : is_long ? "=" : "+";
    text += fmt::format(" \\\n        {}", shell_word(fmt::format("{}{}[{}]{}", name, joint,
                                                                  zsh_escaped(option.description),
                                                                  zsh_value(option))));
  }
  return text;
}

/// The specification of an argument. The command that `launch` starts is completed like any
/// command.
std::string zsh_argument(const OptionText& option) {
  if (option.value == "COMMAND") return "*::COMMAND:_toroid_launched";
  return (option.repeats ? "*" : "") + zsh_value(option);
}

std::string zsh_command(const CLI::App& command) {
  std::string text = fmt::format("    {})\n      _arguments -S", command.get_name());
  for (const OptionText& option : option_texts(command))
    text += option.is_argument() ? fmt::format(" \\\n        {}", shell_word(zsh_argument(option)))
                                 : zsh_option(option);
  return text + "\n      ;;\n";
}

constexpr std::string_view kZshTail = R"(  esac
}

_toroid_launched() {
  if (( CURRENT == 1 )); then
    _toroid_verbs
    _command_names -e
  else
    _toroid_arguments
  fi
}

_toroid() {
  if (( CURRENT == 2 )); then
    _toroid_verbs
  else
    shift words
    (( CURRENT-- ))
    _toroid_arguments
  fi
}

_toroid "$@"
)";

}  // namespace

std::string zsh_completion(const CLI::App& app) {
  std::string text =
      "#compdef toroid\n# Made by `toroid completion zsh`.\n\n_toroid_verbs() {\n"
      "  local -a verbs\n  verbs=(\n";
  for (const CLI::App* command : commands_of(app))
    text +=
        fmt::format("    {}\n", shell_word(fmt::format("{}:{}", command->get_name(),
                                                       zsh_escaped(command->get_description()))));
  text +=
      "  )\n  _describe verb verbs\n}\n\n"
      "# $words begins with the verb.\n_toroid_arguments() {\n  case $words[1] in\n";
  for (const CLI::App* command : commands_of(app)) text += zsh_command(*command);
  return text.append(kZshTail);
}

}  // namespace toroid
