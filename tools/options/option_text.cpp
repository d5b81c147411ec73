#include "tools/options/option_text.hpp"

#include <fmt/core.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "tools/options/option_effects.hpp"
#include "tools/text/split_and_wrap.hpp"

namespace toroid {
namespace {

constexpr std::string_view kHelpGroup = "Help";

/// The part of `text` between the first `begin` and the last `end`; empty if there is none.
std::string between(const std::string& text, char begin, char end) {
  const std::size_t first = text.find(begin);
  const std::size_t last = text.rfind(end);
  if (first == std::string::npos || last == std::string::npos || last < first) return {};
  return text.substr(first + 1, last - first - 1);
}

/// Turns "1 - 1024" into "1 to 1024".
std::string range_text(const std::string& range) {
  const std::size_t dash = range.find(" - ");
  if (dash == std::string::npos) return range;
  return range.substr(0, dash) + " to " + range.substr(dash + 3);
}

/// Replaces CLI11's default names of types.
std::string value_word(const std::string& type) {
  if (type == "TEXT") return "NAME";
  if (type == "UINT" || type == "INT") return "N";
  return type == "FLOAT" ? "X" : type;
}

/// Parses a type "TYPE:{names}" or "TYPE:[range]". TYPE itself may contain a colon.
void add_type(OptionText& text, const std::string& type) {
  const std::size_t colon = std::min({type.find(":{"), type.find(":["), type.size()});
  text.value = value_word(type.substr(0, colon));
  const std::string limits = type.substr(colon);
  if (const std::string names = between(limits, '{', '}'); !names.empty())
    text.choices = split(names, ',');
  text.range = range_text(between(limits, '[', ']'));
}

/// Removes the brackets that CLI11 puts around a list's default.
std::string default_text(const CLI::Option& option) {
  std::string text = option.get_default_str();
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  return text;
}

OptionText option_text(const CLI::Option& option) {
  OptionText text;
  text.names = names_of(option);
  text.description = option.get_description();
  text.group = option.get_group();
  text.required = option.get_required();
  text.is_list = !text.is_argument() && option.get_allow_extra_args();
  if (option.get_items_expected_max() > 0) {
    add_type(text, option.get_type_name());
    text.usual = default_text(option);
  }
  if (!text.is_argument()) return text;
  text.value = option.get_name(true);
  text.repeats = option.get_items_expected_max() > 1;
  return text;
}

}  // namespace

std::string OptionText::heading() const {
  const std::string all = fmt::format("{}", fmt::join(names, ", "));
  if (value.empty()) return all;
  return fmt::format("{}{}{}{}", all, is_argument() ? "" : " ", value, repeats ? "..." : "");
}

std::string OptionText::full_description() const {
  std::string text = description;
  if (!choices.empty()) text += fmt::format(": {}", fmt::join(choices, ", "));
  std::vector<std::string> notes;
  if (required) notes.emplace_back("required");
  if (!range.empty()) notes.push_back(range);
  if (!usual.empty()) notes.push_back("default " + usual);
  if (!effect.empty()) notes.push_back(effect);
  return notes.empty() ? text : fmt::format("{} ({})", text, fmt::join(notes, "; "));
}

std::vector<OptionText> option_texts(const CLI::App& app) {
  std::vector<OptionText> texts;
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty()) {
      texts.push_back(option_text(*option));
      texts.back().effect = effect_note(*option, app);
    }
  std::ranges::stable_partition(texts, &OptionText::is_argument);
  return texts;
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

std::vector<std::string> option_groups(const std::vector<OptionText>& options) {
  std::vector<std::string> groups;
  for (const OptionText& option : options)
    if (!option.is_argument() && std::ranges::find(groups, option.group) == groups.end())
      groups.push_back(option.group);
  std::ranges::stable_partition(groups, [](const auto& group) { return group != kHelpGroup; });
  return groups;
}

std::string full_name(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return parent == nullptr ? app.get_name() : parent->get_name() + " " + app.get_name();
}

std::string usage_of(const CLI::App& app) {
  std::string usage = full_name(app);
  if (!commands_of(app).empty()) return usage + " VERB [OPTIONS]";
  std::string arguments;
  bool has_options = false;
  for (const OptionText& option : option_texts(app)) {
    if (option.is_argument())
      arguments += option.required ? " " + option.heading() : " [" + option.heading() + "]";
    else if (option.required)
      usage += " " + option.heading();
    else
      has_options |= option.group != kHelpGroup;
  }
  return usage + (has_options ? " [OPTIONS]" : "") + arguments;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  std::vector<std::string> groups;
  std::vector<const CLI::App*> commands =
      app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
  for (const CLI::App* command : commands)
    if (std::ranges::find(groups, command->get_group()) == groups.end())
      groups.push_back(command->get_group());
  std::ranges::stable_sort(commands, {}, [&](const CLI::App* command) {
    return std::ranges::find(groups, command->get_group()) - groups.begin();
  });
  return commands;
}

const CLI::App* find_command(const CLI::App& app, const std::string& name) {
  const auto commands = commands_of(app);
  const auto found =
      std::ranges::find(commands, name, [](const auto* command) { return command->get_name(); });
  return found == commands.end() ? nullptr : *found;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(app)) names.push_back(command->get_name());
  return names;
}

}  // namespace toroid
