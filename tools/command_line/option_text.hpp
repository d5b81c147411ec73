// What the command's options say of themselves, for help, man pages and completion.
#pragma once

#include <string>
#include <vector>

#include "tools/command_line/cli_fwd.hpp"

namespace toroid {

/// An option or an argument of a verb.
struct OptionText {
  std::vector<std::string> names;    ///< "-o", "--out"; of an argument none
  std::string value;                 ///< what stands for its value: "FILE"; empty: it takes none
  std::string description;           ///< without choices, range and default
  std::vector<std::string> choices;  ///< names that its value may be; empty: not of a few
  std::string range;                 ///< "1 to 1024"; empty: none is said
  std::string usual;                 ///< the default; empty: none
  std::string group;
  bool required = false;
  bool is_list = false;  ///< values with commas between them
  bool repeats = false;  ///< an argument that may be given several times

  bool is_argument() const { return names.empty(); }
  /// "-o, --out FILE", or an argument's name.
  std::string heading() const;
  /// With choices, range and default.
  std::string full_description() const;
  /// Whether its value may be the path of a file.
  bool takes_file() const { return value.find("FILE") != std::string::npos; }
};

/// Of a verb or of the whole command: arguments first, then options as they were added.
std::vector<OptionText> option_texts(const CLI::App& app);

/// Headings of its options in order, "Help" the last.
std::vector<std::string> option_groups(const std::vector<OptionText>& options);

/// "toroid fft --size SIZE [OPTIONS]": what must be given, and that more may be.
std::string usage_of(const CLI::App& app);

/// "toroid" or "toroid fft".
std::string full_name(const CLI::App& app);

/// The command's verbs in order, those first that are of the same group.
std::vector<const CLI::App*> verbs_of(const CLI::App& app);
std::vector<std::string> verb_names(const CLI::App& app);
/// Null: there is no such verb.
const CLI::App* find_verb(const CLI::App& app, const std::string& name);

}  // namespace toroid
