// What values options take. Their descriptions say it to help, man pages and completion:
// {a,b,c} are names, [1 - 9] is a range.
#pragma once

#include "tools/command_line/cli_fwd.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/command_line/byte_count.hpp"
#include "tools/command_line/range.hpp"

namespace toroid {

/// Options added from here on stand under this heading in help.
void begin_group(CLI::App& verb, const std::string& heading);

/// Refuses all but these names and says the nearest; `what` they are, for messages.
CLI::Validator one_of(std::string_view what, std::span<const std::string_view> names);
/// Likewise, each name with a parameter behind a colon or without: "bruck:4".
CLI::Validator one_of_with_parameters(std::string_view what,
                                      std::span<const std::string_view> names);
/// Refuses nothing: names that may be given among others.
CLI::Validator suggested(std::span<const std::string_view> names);

/// A number of bytes, with a unit or without.
CLI::Validator byte_count(const ByteLimits& limits);

// Options whose value is a list with commas between its items; an empty item is refused. The
// present values are the default, where there are some.

/// Texts as they are typed.
CLI::Option* add_text_list(CLI::App& verb, const std::string& name,
                           std::vector<std::string>& values, const std::string& description);
/// Names as one_of_with_parameters takes them.
CLI::Option* add_name_list(CLI::App& verb, const std::string& name,
                           std::vector<std::string>& values, std::string_view what,
                           std::span<const std::string_view> names, const std::string& description);
/// Numbers and ranges of them.
CLI::Option* add_number_list(CLI::App& verb, const std::string& name, std::vector<double>& values,
                             const NumberLimits& limits, const std::string& description);
CLI::Option* add_byte_list(CLI::App& verb, const std::string& name,
                           std::vector<std::uint64_t>& values, const ByteLimits& limits,
                           const std::string& description);

/// A command line and what it is for, in a few words; none: it goes on with the one before.
struct Example {
  std::string what;
  std::string command;
};
void add_examples(CLI::App& verb, const std::vector<Example>& examples);
std::vector<Example> examples_of(const CLI::App& verb);

}  // namespace toroid
