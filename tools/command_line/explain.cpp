#include "tools/command_line/explain.hpp"

#include <fmt/core.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hal/check.hpp"
#include "tools/command_line/arguments.hpp"
#include "tools/command_line/option_text.hpp"
#include "tools/command_line/spelling.hpp"

namespace toroid {
namespace {

std::string_view without_dashes(std::string_view name) {
  return name.substr(std::min(name.find_first_not_of('-'), name.size()));
}

std::vector<std::string_view> views(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

/// Of its options. "-h" is near every letter.
std::vector<std::string> names_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const OptionText& option : option_texts(app))
    std::ranges::copy_if(option.names, std::back_inserter(names),
                         [](const std::string& name) { return name != "-h"; });
  return names;
}

/// Empty: none is near.
std::string nearest_option(const CLI::App& app, std::string_view typed) {
  std::vector<std::string> names = names_of(app);
  const bool is_letter = typed.size() == 2;  // "-i", while "--i" is a name cut short
  std::erase_if(names, [&](const auto& name) { return is_letter != (name.size() == 2); });
  std::vector<std::string_view> bare;
  std::ranges::transform(names, std::back_inserter(bare), without_dashes);
  const std::string_view nearest = nearest_name(without_dashes(typed), bare);
  const auto at = std::ranges::find(bare, nearest);
  return nearest.empty() ? "" : names[static_cast<std::size_t>(at - bare.begin())];
}

/// Verbs that have the option: "fft, poisson".
std::string verbs_with(const CLI::App& app, const std::string& option) {
  std::vector<std::string> verbs;
  for (const CLI::App* verb : verbs_of(app))
    if (std::ranges::count(names_of(*verb), option) > 0) verbs.push_back(verb->get_name());
  return fmt::format("{}", fmt::join(verbs, ", "));
}

std::string unknown_option(const CLI::App& app, const CLI::App& verb, const std::string& typed) {
  const std::string name = typed.substr(0, typed.find('='));
  const std::string nearest = nearest_option(verb, name);
  const std::string others = verbs_with(app, name);
  std::string text = fmt::format("unknown option '{}' of {}", name, verb.get_name());
  if (!nearest.empty()) text += fmt::format("; did you mean '{}'?", nearest);
  if (!others.empty())
    text += fmt::format("{} '{}' is of {}", nearest.empty() ? ";" : "", name, others);
  else if (nearest.empty())
    text += fmt::format("; 'toroid help{}' lists what exists",
                        &verb == &app ? "" : " " + verb.get_name());
  return text;
}

std::string unexpected_word(const CLI::App& app, const CLI::App& verb, const std::string& typed) {
  const std::string text = fmt::format("unexpected '{}' after {}", typed, verb.get_name());
  if (find_verb(app, typed) != nullptr) return fmt::format("{}; one verb at a time", text);
  const std::string nearest = nearest_option(verb, typed);
  if (!nearest.empty()) return fmt::format("{}; did you mean '{}'?", text, nearest);
  return fmt::format("{}; 'toroid help {}' lists what exists", text, verb.get_name());
}

Words left_words(const CLI::App& app) {
  Words words = app.remaining();
  std::erase(words, "--");
  return words;
}

/// Options first: what stands behind an unknown one may have been its value.
std::optional<std::string> first_left(const CLI::App& verb) {
  const Words words = left_words(verb);
  if (words.empty()) return {};
  const auto option = std::ranges::find_if(words, looks_like_option);
  return option == words.end() ? words.front() : *option;
}

/// What stands before `mark`; all of it where that is missing.
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

/// An option or an argument that is not there.
std::string missing(const CLI::App& verb, const std::string& name) {
  const std::vector<OptionText> options = option_texts(verb);
  const OptionText* text = find_text(options, name);
  if (text == nullptr) return fmt::format("{} needs {}", verb.get_name(), name);
  return fmt::format("{} needs {}: {}", verb.get_name(), text->heading(), text->full_description());
}

/// CLI11's text begins with the name of the option, which is needed, or of the argument.
std::string wrong_value(const CLI::App& verb, const CLI::ParseError& error) {
  const std::string name = before(error.what(), ":");
  const std::vector<OptionText> options = option_texts(verb);
  const OptionText* text = find_text(options, name);
  if (text == nullptr || !text->is_argument()) return error.what();
  return std::string(error.what()).substr(name.size() + 2);
}

/// Likewise.
std::string wrong_number_of_values(const CLI::App& verb, const CLI::ParseError& error) {
  const std::string option =
      fmt::format("option '{}' of {}", before(error.what(), ":"), verb.get_name());
  if (has_words(error, "flag override"))
    return fmt::format("option '--{}' of {} takes no value", before(error.what(), " was given"),
                       verb.get_name());
  if (has_words(error, "missing")) return option + " needs a value";
  if (has_words(error, "At Most")) return option + " is given more than once";
  return error.what();
}

/// The option of "--threads=", behind which CLI11 would take the next word for the value.
std::optional<std::string> option_without_value(const CLI::App& verb, const std::string& word) {
  if (!word.starts_with("--") || !word.ends_with('=')) return {};
  const std::string name = word.substr(0, word.size() - 1);
  if (verb.get_option_no_throw(name) == nullptr) return {};
  return name;
}

}  // namespace

std::string unknown_verb(const CLI::App& app, const std::string& typed) {
  const std::vector<std::string> names = verb_names(app);
  return unknown_name("verb", typed, views(names));
}

std::string left_over(const CLI::App& app) {
  if (const Words words = left_words(app); !words.empty())
    return looks_like_option(words.front()) ? unknown_option(app, app, words.front())
                                            : unknown_verb(app, words.front());
  for (const CLI::App* verb : app.get_subcommands())
    if (const auto word = first_left(*verb))
      return looks_like_option(*word) ? unknown_option(app, *verb, *word)
                                      : unexpected_word(app, *verb, *word);
  return {};
}

std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  if (std::string left = left_over(app); !left.empty()) return left;
  if (app.get_subcommands().empty())
    return fmt::format("a verb is missing; known: {}", fmt::join(verb_names(app), ", "));
  const CLI::App& verb = *app.get_subcommands().front();
  if (error.get_name() == "RequiredError") return missing(verb, before(error.what(), " is "));
  if (error.get_name() == "ValidationError") return wrong_value(verb, error);
  if (error.get_name() == "ArgumentMismatch") return wrong_number_of_values(verb, error);
  return error.what();
}

void refuse_options_as_values(const CLI::App& app, const std::vector<std::string>& arguments) {
  const CLI::App* verb = nullptr;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (verb == nullptr) {
      verb = find_verb(app, arguments[i]);
      continue;
    }
    if (arguments[i] == "--") return;
    if (const auto name = option_without_value(*verb, arguments[i]))
      throw BadInput(fmt::format("option '{}' of {} needs a value", *name, verb->get_name()));
    if (!takes_next(*verb, arguments[i]) || i + 1 == arguments.size()) continue;
    const std::string& value = arguments[++i];
    if (value == "--")
      throw BadInput(
          fmt::format("option '{}' of {} needs a value", arguments[i - 1], verb->get_name()));
    if (looks_like_option(value) && verb->get_option_no_throw(value) != nullptr)
      throw BadInput(fmt::format("option '{}' of {} needs a value, but '{}' follows",
                                 arguments[i - 1], verb->get_name(), value));
  }
}

}  // namespace toroid
