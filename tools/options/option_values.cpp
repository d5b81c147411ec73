#include "tools/options/option_values.hpp"

#include <fmt/core.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <sstream>

#include "hal/check.hpp"
#include "hal/parse_number.hpp"
#include "tools/text/spelling.hpp"
#include "tools/text/split_and_wrap.hpp"

namespace toroid {
namespace {

std::string in_braces(std::span<const std::string_view> names) {
  return fmt::format("{{{}}}", fmt::join(names, ","));
}

std::string accept_all(const std::string&) {
  return {};
}

/// Refuses texts for which name_in(text) is not a known name.
template <typename NameIn>
CLI::Validator known_name(std::string_view what, std::span<const std::string_view> names,
                          const NameIn& name_in) {
  const std::string kind(what);
  const std::vector<std::string_view> known(names.begin(), names.end());
  const auto check = [kind, known, name_in](const std::string& text) {
    const std::string_view name = name_in(text);
    const bool exists = std::ranges::find(known, name) != known.end();
    return exists ? std::string() : unknown_name(kind, name, known);
  };
  return {check, in_braces(names)};
}

/// Adds an option whose value is a list. `parse` converts one item to values; if it throws
/// BadInput, CLI11 shows the message. CLI11's own way of splitting lists is not used, because it
/// drops empty items.
template <typename T, typename Parse>
CLI::Option* add_list(CLI::App& command, const std::string& name, std::vector<T>& values,
                      const std::string& description, const Parse& parse) {
  const auto take = [name, &values, parse](const std::vector<std::string>& lists) {
    values.clear();
    try {
      for (const std::string& list : lists)
        for (const std::string& item : items_of(list))
          std::ranges::copy(parse(item), std::back_inserter(values));
    } catch (const BadInput& error) {
      throw CLI::ValidationError(name, error.what());
    }
  };
  CLI::Option* const option =
      command.add_option_function<std::vector<std::string>>(name, take, description);
  if (!values.empty()) option->default_str(fmt::format("{}", fmt::join(values, ",")));
  return option;
}

}  // namespace

void begin_group(CLI::App& command, const std::string& heading) {
  command.option_defaults()->group(heading)->disable_flag_override();
}

CLI::Validator one_of(std::string_view what, std::span<const std::string_view> names) {
  return known_name(what, names, [](std::string_view text) { return text; });
}

CLI::Validator one_of_with_parameters(std::string_view what,
                                      std::span<const std::string_view> names) {
  return known_name(what, names,
                    [](std::string_view text) { return text.substr(0, text.find(':')); });
}

CLI::Validator suggested(std::span<const std::string_view> names) {
  return {accept_all, in_braces(names)};
}

CLI::Validator whole_number(std::uint64_t min, std::uint64_t max) {
  const auto check = [min, max](std::string& text) {
    const auto value = parse_number<std::uint64_t>(text);
    if (!value || *value < min || *value > max)
      return fmt::format("'{}' is not a whole number from {} to {}", shortened(text), min, max);
    text = std::to_string(*value);  // without leading zeros, which CLI11 would read as octal
    return std::string();
  };
  const bool is_limited = max < std::numeric_limits<std::uint64_t>::max();
  return {check, is_limited ? fmt::format("[{} - {}]", min, max) : ""};
}

CLI::Validator number(double min, double max) {
  const auto check = [min, max](const std::string& text) {
    const auto value = parse_number<double>(text);
    const bool good = value && *value >= min && *value <= max;
    return good ? std::string()
                : fmt::format("'{}' is not a number from {} to {}", shortened(text), min, max);
  };
  return {check, fmt::format("[{} - {}]", min, max)};
}

CLI::Validator not_empty() {
  const auto check = [](const std::string& text) {
    return std::string(text.empty() ? "must not be empty" : "");
  };
  return {check, ""};
}

CLI::Validator byte_count(const ByteLimits& limits) {
  const auto check = [limits](std::string& text) {
    try {
      text = std::to_string(parse_bytes(text, limits));
    } catch (const BadInput& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  return {check, ""};
}

namespace {

/// Whether the items are the parts of one number such as "1,024". A list of numbers would not have
/// an item of three digits that begins with 0.
bool has_thousands_separators(const std::vector<std::string>& items) {
  const auto is_number = [](const std::string& item) {
    return !item.empty() && std::ranges::all_of(item, is_digit);
  };
  const auto is_group = [&](const std::string& item) { return item.size() == 3 && item[0] == '0'; };
  return items.size() > 1 && std::ranges::all_of(items, is_number) &&
         std::any_of(items.begin() + 1, items.end(), is_group);
}

}  // namespace

std::vector<std::string> items_of(const std::string& list, std::string_view option) {
  std::vector<std::string> items = split(list, ',');
  for (std::string& item : items) item = std::string(trimmed(item));  // "random, rank"
  if (has_thousands_separators(items))
    throw BadInput(fmt::format("{}{}'{}': write {} without commas, which separate items of a list",
                               option, option.empty() ? "" : ": ", list, fmt::join(items, "")));
  if (std::ranges::any_of(items, &std::string::empty))
    throw BadInput(
        fmt::format("{}{}an item of '{}' is empty", option, option.empty() ? "" : ": ", list));
  return items;
}

CLI::Option* add_text_list(CLI::App& command, const std::string& name,
                           std::vector<std::string>& values, const std::string& description) {
  const auto parse = [](const std::string& text) { return std::array{text}; };
  return add_list(command, name, values, description, parse);
}

CLI::Option* add_name_list(CLI::App& command, const std::string& name,
                           std::vector<std::string>& values, const CLI::Validator& known,
                           const std::string& description) {
  const auto parse = [known](std::string text) {
    if (const std::string refusal = known(text); !refusal.empty()) throw BadInput(refusal);
    return std::array{text};
  };
  return add_list(command, name, values, description, parse)
      ->type_name("NAMES")
      ->check({accept_all, known.get_description()});
}

CLI::Option* add_number_list(CLI::App& command, const std::string& name,
                             std::vector<double>& values, const NumberLimits& limits,
                             const std::string& description) {
  const auto parse = [limits](std::string_view text) { return parse_numbers(text, limits); };
  return add_list(command, name, values, description, parse)->type_name("LIST");
}

CLI::Option* add_byte_list(CLI::App& command, const std::string& name,
                           std::vector<std::uint64_t>& values, const ByteLimits& limits,
                           const std::string& description) {
  const auto parse = [limits](std::string_view text) { return parse_byte_counts(text, limits); };
  return add_list(command, name, values, description, parse)->type_name("SIZES");
}

CLI::Option* add_count_list(CLI::App& command, const std::string& name,
                            std::vector<std::uint64_t>& values, const ByteLimits& limits,
                            const std::string& description) {
  const auto parse = [limits](std::string_view text) { return parse_counts(text, limits); };
  return add_list(command, name, values, description, parse)->type_name("COUNTS");
}

// Examples are stored in CLI11's footer of a command, two lines each.
void add_examples(CLI::App& command, const std::vector<Example>& examples) {
  std::string text;
  for (const Example& example : examples)
    text += fmt::format("{}\n{}\n", example.what, example.command);
  command.footer(text);
}

std::vector<Example> examples_of(const CLI::App& command) {
  std::istringstream lines(command.get_footer());
  std::vector<Example> examples;
  for (Example one; std::getline(lines, one.what) && std::getline(lines, one.command);)
    examples.push_back(one);
  return examples;
}

CLI::Option* add_file_option(CLI::App& verb, const std::string& name, std::string& path,
                             const std::string& description) {
  return verb.add_option(name, path, description)->type_name("FILE")->check(not_empty());
}

}  // namespace toroid
