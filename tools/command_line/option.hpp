// Options of a verb, as verbs add them: CLI11 without its header, which takes seconds to compile.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/command_line/cli_fwd.hpp"

namespace toroid {

/// What a value must be. A validator.
struct Check {
  /// Returns the refusal, empty if there is none, and may put the value in another form.
  std::function<std::string(std::string&)> test;
  std::string accepted;  ///< for help and completion: {a,b,c} are names, [1 - 9] is a range
};

/// An option that has been added. A handle: copies are of the same option.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  /// What stands for its value in help.
  Option type_name(const std::string& name) const;
  Option check(const Check& check) const;
  /// As check(), and the value is what its test has made of it.
  Option transform(const Check& check) const;
  Option required(bool is_required = true) const;
  Option needs(const Option& other) const;
  /// The heading that it stands under in help.
  Option group(const std::string& heading) const;
  Option description(const std::string& text) const;
  /// Of a list: without, each value needs the option's name before it.
  Option allow_extra_args(bool allowed) const;
  /// Help shows the variable's present value as the default.
  Option capture_default_str() const;
  Option default_str(const std::string& text) const;

 private:
  CLI::Option* option_;
};

/// What the value of an option is read into: add_option() is instantiated for these in option.cpp.
template <typename T>
concept OptionValue = std::same_as<T, std::string> || std::same_as<T, double> ||
    std::same_as<T, unsigned> || std::same_as<T, std::int64_t> || std::same_as<T, std::uint64_t> ||
    std::same_as<T, std::optional<std::uint64_t>> || std::same_as<T, std::vector<std::string>>;

/// A verb of the command.
CLI::App* add_verb(CLI::App& app, const std::string& name, const std::string& description);

// Options of a verb, "-o,--option", or arguments, "name". The variables live until the command line
// has been read.

/// Where the variable is a list, each value typed is one more element of it.
template <OptionValue T>
Option add_option(CLI::App& verb, const std::string& name, T& value,
                  const std::string& description);
/// `take` is called with the value.
Option add_option(CLI::App& verb, const std::string& name,
                  const std::function<void(const std::string&)>& take,
                  const std::string& description);
/// An argument that help shows, and whose values go nowhere.
Option add_shown_argument(CLI::App& verb, const std::string& name, const std::string& description);
/// An option without a value.
Option add_flag(CLI::App& verb, const std::string& name, bool& value,
                const std::string& description);

/// One that the verb has.
Option option_of(CLI::App& verb, const std::string& name);
/// Whether an option that the verb has was typed.
bool is_given(const CLI::App& verb, const std::string& name);
/// What was typed for an option, of a list the first; nothing if it was not typed, or if the verb
/// has none of this name.
std::optional<std::string> given_value(const CLI::App& verb, const std::string& name);

}  // namespace toroid
