// The values of options: validators and lists. Help, man pages and completion read from a
// validator's description which values it accepts: {a,b,c} are names, [1 - 9] is a range.
#pragma once

#include "tools/options/cli_fwd.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/text/numbers.hpp"

namespace toroid {

/// Puts all options added after this call under this heading in help.
void begin_group(CLI::App& command, const std::string& heading);

/// Accepts only these names and suggests the nearest. `what` is the kind of name, for messages.
CLI::Validator one_of(std::string_view what, std::span<const std::string_view> names);
/// Like one_of(), but a name may have a parameter after a colon: "bruck:4".
CLI::Validator one_of_with_parameters(std::string_view what,
                                      std::span<const std::string_view> names);
/// Accepts everything; help and completion show these names as examples.
CLI::Validator suggested(std::span<const std::string_view> names);

/// Accepts only whole decimal numbers from min to max. CLI11 alone would read "-1" as 2^64-1, "010"
/// as 8, and a number that is too large as the largest possible one.
CLI::Validator whole_number(std::uint64_t min, std::uint64_t max);
/// Accepts only numbers from min to max.
CLI::Validator number(double min, double max);
/// Refuses "", which a script passes if its variable is not set.
CLI::Validator not_empty();

/// Accepts a number of bytes, with or without a unit, and converts it to plain bytes.
CLI::Validator byte_count(const ByteLimits& limits);

/// The items of a comma-separated list, without the blanks around them. Throws BadInput if an item
/// is empty. The message begins with `option`, if `option` is given.
std::vector<std::string> items_of(const std::string& list, std::string_view option = {});

/// An option whose value is a path.
CLI::Option* add_file_option(CLI::App& verb, const std::string& name, std::string& path,
                             const std::string& description);

// Options whose value is a comma-separated list without empty items. If `values` is not empty, its
// content is the default.

/// Texts, without the blanks around them.
CLI::Option* add_text_list(CLI::App& command, const std::string& name,
                           std::vector<std::string>& values, const std::string& description);
/// Names that `known` accepts, e.g. one_of_with_parameters().
CLI::Option* add_name_list(CLI::App& command, const std::string& name,
                           std::vector<std::string>& values, const CLI::Validator& known,
                           const std::string& description);
/// Numbers and ranges.
CLI::Option* add_number_list(CLI::App& command, const std::string& name,
                             std::vector<double>& values, const NumberLimits& limits,
                             const std::string& description);
CLI::Option* add_count_list(CLI::App& command, const std::string& name,
                            std::vector<std::uint64_t>& values, const ByteLimits& limits,
                            const std::string& description);
CLI::Option* add_byte_list(CLI::App& command, const std::string& name,
                           std::vector<std::uint64_t>& values, const ByteLimits& limits,
                           const std::string& description);

/// A command line and a short description; an empty description continues the previous example.
struct Example {
  std::string what;
  std::string command;
};
void add_examples(CLI::App& command, const std::vector<Example>& examples);
std::vector<Example> examples_of(const CLI::App& command);

}  // namespace toroid
