#include "tools/command/command_line_errors.hpp"

#include <fmt/core.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>

#include "hal/check.hpp"
#include "tools/options/option_text.hpp"
#include "tools/options/synonyms.hpp"
#include "tools/options/unparsed_arguments.hpp"
#include "tools/text/spelling.hpp"

namespace toroid {
namespace {

std::string_view without_dashes(std::string_view name) {
  return name.substr(std::min(name.find_first_not_of('-'), name.size()));
}

std::vector<std::string_view> views(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

/// The names of the command's options that help shows, without "-h", because it is one edit away
/// from every other option of one letter.
std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty())
      std::ranges::copy_if(names_of(*option), std::back_inserter(names),
                           [](const std::string& name) { return name != "-h"; });
  return names;
}

/// The option with the name closest to `typed`; empty if none is close.
std::string nearest_option(const CLI::App& app, std::string_view typed) {
  if (std::string own = own_option(app, typed); !own.empty()) return own;
  std::vector<std::string> names = option_names(app);
  const bool is_letter = typed.size() == 2;  // "-i", while "--i" is a name cut short
  std::erase_if(names, [&](const auto& name) { return is_letter != (name.size() == 2); });
  std::vector<std::string_view> bare;
  std::ranges::transform(names, std::back_inserter(bare), without_dashes);
  const std::string_view nearest = nearest_name(without_dashes(typed), bare);
  const auto at = std::ranges::find(bare, nearest);
  return nearest.empty() ? "" : names[static_cast<std::size_t>(at - bare.begin())];
}

/// The commands that have the option: "fft, poisson".
std::string commands_with(const CLI::App& app, const std::string& option) {
  std::vector<std::string> commands;
  for (const CLI::App* command : commands_of(app))
    if (std::ranges::count(option_names(*command), option) > 0)
      commands.push_back(command->get_name());
  return fmt::format("{}", fmt::join(commands, ", "));
}

std::string unknown_option(const CLI::App& app, const CLI::App& command, const std::string& typed) {
  const std::string name = typed.substr(0, typed.find('='));
  const std::string nearest = nearest_option(command, name);
  const std::string others = commands_with(app, name);
  std::string text = fmt::format("unknown option '{}' of {}", shortened(name), command.get_name());
  if (!nearest.empty()) text += fmt::format("; did you mean '{}'?", nearest);
  if (!others.empty())
    text += fmt::format("{} '{}' is an option of {}", nearest.empty() ? ";" : "", name, others);
  else if (nearest.empty())
    text += fmt::format("; see 'toroid help{}'", &command == &app ? "" : " " + command.get_name());
  return text;
}

std::string unexpected_word(const CLI::App& app, const CLI::App& command,
                            const std::string& typed) {
  const std::string text =
      fmt::format("unexpected '{}' after {}", shortened(typed), command.get_name());
  if (find_command(app, typed) != nullptr) return fmt::format("{}; give one verb only", text);
  if (looks_like_shape(typed) && command.get_option_no_throw("--torus") != nullptr)
    return fmt::format("{}; write --torus {} for the shape of the machine{}", text, typed,
                       command.get_option_no_throw("--size") == nullptr
                           ? ""
                           : fmt::format(", --size {} for that of the array", typed));
  const std::string nearest = nearest_option(command, typed);
  if (!nearest.empty()) return fmt::format("{}; did you mean '{}'?", text, nearest);
  return fmt::format("{}; see 'toroid help {}'", text, command.get_name());
}

Words left_words(const CLI::App& app) {
  Words words = app.remaining();
  std::erase(words, "--");
  return words;
}

/// The first option that was left over, or the first word if no option was left over. Options are
/// reported first, because a word after an unknown option may be its value.
std::optional<std::string> first_left(const CLI::App& command) {
  const Words words = left_words(command);
  if (words.empty()) return {};
  const auto option = std::ranges::find_if(words, looks_like_option);
  return option == words.end() ? words.front() : *option;
}

/// The text before `mark`, or all of it if the mark is missing.
std::string before(const std::string& text, std::string_view mark) {
  return text.substr(0, text.find(mark));
}

bool has_words(const CLI::ParseError& error, std::string_view words) {
  return std::string_view(error.what()).find(words) != std::string_view::npos;
}

const OptionText* find_text(const std::vector<OptionText>& options, const std::string& name) {
  const auto found = std::ranges::find_if(options, [&](const OptionText& option) {
    return option.is_argument() ? option.value == name : std::ranges::count(option.names, name) > 0;
  });
  return found == options.end() ? nullptr : &*found;
}

/// The message for a missing required option or argument.
std::string missing(const CLI::App& command, const std::string& name) {
  const std::vector<OptionText> options = option_texts(command);
  const OptionText* text = find_text(options, name);
  if (text == nullptr) return fmt::format("{} needs {}", command.get_name(), name);
  return fmt::format("{} needs {}: {}", command.get_name(), text->heading(),
                     text->full_description());
}

/// The message for a value that was refused. CLI11's text begins with the name of the option, which
/// is kept, or of the argument, which is removed.
std::string wrong_value(const CLI::App& command, const CLI::ParseError& error) {
  const std::string name = before(error.what(), ":");
  const std::vector<OptionText> options = option_texts(command);
  const OptionText* text = find_text(options, name);
  if (text == nullptr || !text->is_argument()) return error.what();
  return std::string(error.what()).substr(name.size() + 2);
}

/// The message for an option with too few or too many values.
std::string wrong_number_of_values(const CLI::App& command, const CLI::ParseError& error) {
  const std::string option =
      fmt::format("option '{}' of {}", before(error.what(), ":"), command.get_name());
  if (has_words(error, "flag override"))
    return fmt::format("option '--{}' of {} takes no value", before(error.what(), " was given"),
                       command.get_name());
  if (has_words(error, "missing")) return option + " needs a value";
  if (has_words(error, "At Most")) return option + " is given more than once";
  return error.what();
}

/// The option of a word such as "--threads=". CLI11 would use the next word as its value.
std::optional<std::string> option_without_value(const CLI::App& command, const std::string& word) {
  if (!word.starts_with("--") || !word.ends_with('=')) return {};
  const std::string name = word.substr(0, word.size() - 1);
  if (command.get_option_no_throw(name) == nullptr) return {};
  return name;
}

}  // namespace

std::string unknown_command(const CLI::App& app, const std::string& typed) {
  const std::vector<std::string> names = command_names(app);
  return unknown_name("verb", typed, views(names));
}

std::string left_over(const CLI::App& app) {
  if (const Words words = left_words(app); !words.empty())
    return looks_like_option(words.front()) ? unknown_option(app, app, words.front())
                                            : unknown_command(app, words.front());
  for (const CLI::App* command : app.get_subcommands())
    if (const auto word = first_left(*command))
      return looks_like_option(*word) ? unknown_option(app, *command, *word)
                                      : unexpected_word(app, *command, *word);
  return {};
}

std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  if (std::string left = left_over(app); !left.empty()) return left;
  if (app.get_subcommands().empty())
    return fmt::format("a verb is missing; known: {}", fmt::join(command_names(app), ", "));
  const CLI::App& command = *app.get_subcommands().front();
  if (error.get_name() == "RequiredError") return missing(command, before(error.what(), " is "));
  if (error.get_name() == "ValidationError") return wrong_value(command, error);
  if (error.get_name() == "ArgumentMismatch") return wrong_number_of_values(command, error);
  return error.what();
}

void refuse_options_as_values(const CLI::App& app, const std::vector<std::string>& arguments) {
  const CLI::App* command = nullptr;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (command == nullptr) {
      command = find_command(app, arguments[i]);
      continue;
    }
    if (arguments[i] == "--") return;
    if (const auto name = option_without_value(*command, arguments[i]))
      throw BadInput(fmt::format("option '{}' of {} needs a value", *name, command->get_name()));
    if (!takes_next(*command, arguments[i]) || i + 1 == arguments.size()) continue;
    const std::string& value = arguments[++i];
    if (value == "--")
      throw BadInput(
          fmt::format("option '{}' of {} needs a value", arguments[i - 1], command->get_name()));
    if (looks_like_option(value) && command->get_option_no_throw(value) != nullptr)
      throw BadInput(fmt::format("option '{}' of {} needs a value, but '{}' follows",
                                 arguments[i - 1], command->get_name(), value));
  }
}

}  // namespace toroid
