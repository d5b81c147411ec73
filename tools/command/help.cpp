#include "tools/command/documents.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include "tools/options/option_text.hpp"
#include "tools/options/option_values.hpp"
#include "tools/text/words.hpp"

namespace toroid {
namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kCommandColumn = 14;
constexpr std::size_t kTextColumn = 26;

std::string options_help(const std::vector<OptionText>& options) {
  std::string text;
  for (const OptionText& option : options)
    if (option.is_argument())
      text += (text.empty() ? "\nArguments:\n" : "") +
              list_entry(option.heading(), option.full_description(), kIndent, kTextColumn);
  for (const std::string& group : option_groups(options)) {
    text += fmt::format("\n{}:\n", group);
    for (const OptionText& option : options)
      if (!option.is_argument() && option.group == group)
        text += list_entry(option.heading(), option.full_description(), kIndent, kTextColumn);
  }
  return text;
}

std::string commands_help(const CLI::App& app) {
  std::string text;
  std::string group;
  for (const CLI::App* command : commands_of(app)) {
    if (command->get_group() != group) text += fmt::format("\n{}:\n", command->get_group());
    group = command->get_group();
    text += list_entry(command->get_name(), command->get_description(), kIndent, kCommandColumn);
  }
  return text;
}

std::string examples_help(const CLI::App& app) {
  std::string text;
  for (const Example& example : examples_of(app)) {
    text += text.empty() ? "\nExamples:\n" : "";
    text += example.what.empty() ? "" : fmt::format("  # {}\n", example.what);
    text += fmt::format("  {}\n", example.command);
  }
  return text;
}

}  // namespace

std::string help_text(const CLI::App& app) {
  std::string text =
      list_entry(full_name(app) + ":", app.get_description(), 0, full_name(app).size() + 2);
  text += "\n" + list_entry("Usage:", usage_of(app), 0, 7);
  text += commands_help(app) + options_help(option_texts(app)) + examples_help(app);
  if (app.get_parent() == nullptr)
    text += "\n'toroid help VERB' shows a verb's options and examples.\n";
  return text;
}

}  // namespace toroid
