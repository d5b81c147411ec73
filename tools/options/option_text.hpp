// The texts of commands and their options, for help, man pages and completion.
#pragma once

#include <string>
#include <vector>

#include "tools/options/cli_fwd.hpp"

namespace toroid {

/// The texts of an option or argument of a command.
struct OptionText {
  std::vector<std::string> names;    ///< "-o", "--out"; empty for an argument
  std::string value;                 ///< placeholder of its value: "FILE"; empty: takes no value
  std::string description;           ///< without choices, range and default
  std::vector<std::string> choices;  ///< allowed values; empty: any value
  std::string range;                 ///< "1 to 1024"; empty: no known limits
  std::string usual;                 ///< the default; empty: there is none
  std::string effect;                ///< "only with --method slab"; empty: always has an effect
  std::string group;
  bool required = false;
  bool is_list = false;  ///< its value is a comma-separated list
  bool repeats = false;  ///< an argument that may be repeated

  bool is_argument() const { return names.empty(); }
  /// "-o, --out FILE", or the name of an argument.
  std::string heading() const;
  /// The description with choices, range, default and the condition of the option's effect.
  std::string full_description() const;
  /// Whether its value may be the path of a file.
  bool takes_file() const { return value.find("FILE") != std::string::npos; }
};

/// The texts of a command or of toroid itself: first arguments, then options in the order in which
/// they were added.
std::vector<OptionText> option_texts(const CLI::App& app);

/// The headings of the options in order, "Help" last.
std::vector<std::string> option_groups(const std::vector<OptionText>& options);

/// "toroid fft --size SIZE [OPTIONS]": the required options, and "[OPTIONS]" if there are others.
std::string usage_of(const CLI::App& app);

/// "toroid" or "toroid fft".
std::string full_name(const CLI::App& app);

/// The commands of toroid, grouped; groups are in the order of their first commands.
std::vector<const CLI::App*> commands_of(const CLI::App& app);
std::vector<std::string> command_names(const CLI::App& app);
/// Returns null if there is no such command.
const CLI::App* find_command(const CLI::App& app, const std::string& name);

}  // namespace toroid
