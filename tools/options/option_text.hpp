// The texts of commands and their options, for help, man pages and completion.
#pragma once

#include <string>
#include <vector>

#include "tools/options/cli_fwd.hpp"

namespace toroid {

/// The texts of an option or argument of a command.
struct OptionText {
  std::vector<std::string> names;  ///< "-o", "--out"; empty for an argument
  std::string value;               ///< placeholder of its value, e.g. "FILE"; empty if it has none
  std::string description;         ///< without choices, range and default
  std::vector<std::string> choices;  ///< allowed values; empty if any value is allowed
  std::string range;                 ///< e.g. "1 to 1024"; empty if limits are not known
  std::string usual;                 ///< the default; empty if there is none
  std::string effect;                ///< e.g. "only with --method slab"; empty if always
  std::string group;
  bool required = false;
  bool is_list = false;  ///< its value is a comma-separated list
  bool repeats = false;  ///< an argument that may be repeated

  bool is_argument() const { return names.empty(); }
  /// "-o, --out FILE", or the name of an argument.
  std::string heading() const;
  /// The description with choices, range, default, and the condition under which the option has an
  /// effect.
  std::string full_description() const;
  /// Whether the value may be the path of a file.
  bool takes_file() const { return value.find("FILE") != std::string::npos; }
};

/// The texts of a command or of toroid itself: first arguments, then options in the order in which
/// they were added.
std::vector<OptionText> option_texts(const CLI::App& app);

/// The names of an option, such as "-o" and "--out"; empty for an argument.
std::vector<std::string> names_of(const CLI::Option& option);

/// The groups of the options in order, with "Help" as the last.
std::vector<std::string> option_groups(const std::vector<OptionText>& options);

/// The usage of a command, such as "toroid fft --size SIZE [OPTIONS]": the required options,
/// "[OPTIONS]" if there are others, and the arguments.
std::string usage_of(const CLI::App& app);

/// "toroid" or "toroid fft".
std::string full_name(const CLI::App& app);

/// The commands of toroid, group by group. The groups are in the order in which their first
/// commands were added.
std::vector<const CLI::App*> commands_of(const CLI::App& app);
std::vector<std::string> command_names(const CLI::App& app);
/// Returns null if there is no such command.
const CLI::App* find_command(const CLI::App& app, const std::string& name);

}  // namespace toroid
