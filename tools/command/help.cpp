#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/command/help_man_completion.hpp"
#include "tools/options/option_text.hpp"
#include "tools/options/option_values.hpp"
#include "tools/text/split_and_wrap.hpp"

namespace toroid {
namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kCommandColumn = 14;
constexpr std::size_t kTextColumn = 26;

/// The options that most runs of a command need, in the order of its help.
struct UsualOptions {
  std::string_view command;
  std::string_view names;
};
constexpr UsualOptions kUsual[] = {
    {"fft", "--size --in --torus --fabric --method --real --inverse --check --out --report"},
    {"alltoall", "--torus --bytes --policy --traffic --fabric --machine --record --json --report"},
    {"compare", "--torus --bytes --policies --traffic --workload --seeds --fabric --csv --report"},
    {"sweep", "--axis --torus --load --bytes --policies --traffic --fabric --csv --report"},
    {"poisson", "--in --out --cell --boundary --size --torus --method --fabric --check --report"},
    {"redistribute", "--size --in --torus --from --to --fabric --check --out --report"},
    {"replay", "--torus --policy --fabric --machine --record --json --report"},
    {"hello", "--torus --fabric --route --threads --json"},
    {"bench", "--torus --message-size --iterations --fabric --threads --json --report"}};

bool has_name(const OptionText& option, std::string_view name) {
  return std::ranges::find(option.names, name) != option.names.end();
}

/// The arguments and the usual options, in one group.
std::vector<OptionText> usual_options(std::vector<OptionText> all, std::string_view names) {
  std::vector<OptionText> usual;
  for (const OptionText& option : all)
    if (option.is_argument()) usual.push_back(option);
  for (const std::string_view name : parts_of(names, " "))
    for (const OptionText& option : all)
      if (has_name(option, name)) usual.emplace_back(option).group = "Usual options";
  return usual;
}

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

std::string help_text(const CLI::App& app, HelpDetail detail) {
  std::vector<OptionText> options = option_texts(app);
  std::string note;
  const auto* const usual = std::ranges::find(kUsual, app.get_name(), &UsualOptions::command);
  if (detail == HelpDetail::usual && usual != std::ranges::end(kUsual)) {
    note = fmt::format("\n'toroid help {} --all' shows all {} options.\n", app.get_name(),
                       std::ranges::count_if(options, std::not_fn(&OptionText::is_argument)));
    options = usual_options(std::move(options), usual->names);
  }
  std::string text =
      list_entry(full_name(app) + ":", app.get_description(), 0, full_name(app).size() + 2);
  text += "\n" + list_entry("Usage:", usage_of(app), 0, 7);
  text += commands_help(app) + options_help(options) + note + examples_help(app);
  if (app.get_parent() == nullptr)
    text += "\n'toroid help VERB' shows a verb's options and examples.\n";
  return text;
}

}  // namespace toroid
