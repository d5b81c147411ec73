// The values that options take: validators and lists. A validator's description tells help, man
// pages and completion what it accepts: {a,b,c} are names, [1 - 9] is a range.
#pragma once

#include "tools/options/cli_fwd.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/text/numbers.hpp"

namespace toroid {

/// Puts the options that are added from here on under this heading in help.
void begin_group(CLI::App& command, const std::string& heading);

/// Refuses all but these names and suggests the nearest. `what`: the kind of name, for messages.
CLI::Validator one_of(std::string_view what, std::span<const std::string_view> names);
/// The same for names that may have a parameter behind a colon: "bruck:4".
CLI::Validator one_of_with_parameters(std::string_view what,
                                      std::span<const std::string_view> names);
/// Refuses nothing; help and completion show these names among others.
CLI::Validator suggested(std::span<const std::string_view> names);

/// A validator that refuses all but whole decimal numbers from min to max. CLI11 alone would take
/// "-1" and "010" for 2^64-1 and 8, and too large a number for the largest.
CLI::Validator whole_number(std::uint64_t min, std::uint64_t max);
/// A validator that refuses all but numbers from min to max.
CLI::Validator number(double min, double max);
/// A validator that refuses "", which a script passes if its variable is not set.
CLI::Validator not_empty();

/// Accepts a number of bytes, with a unit or without, and turns it into plain bytes.
CLI::Validator byte_count(const ByteLimits& limits);

/// The texts between the commas of a list. Throws BadInput where one is empty; `option` is named
/// where nobody else will name it.
std::vector<std::string> items_of(const std::string& list, std::string_view option = {});

/// An option whose value is a path.
CLI::Option* add_file_option(CLI::App& verb, const std::string& name, std::string& path,
                             const std::string& description);

// Options whose value is a list with commas between its items; an empty item is refused. The
// present values are the default, where there are some.

/// Texts as they are typed.
CLI::Option* add_text_list(CLI::App& command, const std::string& name,
                           std::vector<std::string>& values, const std::string& description);
/// Names as one_of_with_parameters takes them.
CLI::Option* add_name_list(CLI::App& command, const std::string& name,
                           std::vector<std::string>& values, std::string_view what,
                           std::span<const std::string_view> names, const std::string& description);
/// Numbers and ranges of them.
CLI::Option* add_number_list(CLI::App& command, const std::string& name,
                             std::vector<double>& values, const NumberLimits& limits,
                             const std::string& description);
CLI::Option* add_count_list(CLI::App& command, const std::string& name,
                            std::vector<std::uint64_t>& values, const ByteLimits& limits,
                            const std::string& description);
CLI::Option* add_byte_list(CLI::App& command, const std::string& name,
                           std::vector<std::uint64_t>& values, const ByteLimits& limits,
                           const std::string& description);

/// A command line and what it is for, in a few words; without them it belongs to the one before.
struct Example {
  std::string what;
  std::string command;
};
void add_examples(CLI::App& command, const std::vector<Example>& examples);
std::vector<Example> examples_of(const CLI::App& command);

}  // namespace toroid
