#include <fmt/core.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "tools/command/help_man_completion.hpp"
#include "tools/options/option_text.hpp"
#include "tools/text/split_and_wrap.hpp"

namespace toroid {
namespace {

/// Finds the command, then asks the tables below which words are possible. The command that
/// `launch` starts is completed like any command. Bash splits words at "=" and ":", so the value of
/// an option is the part after the split.
constexpr std::string_view kBashHead =
    R"bash(# bash completion for toroid, made by `toroid completion bash`
_toroid_verb() {
  local word skip=0
  verb=toroid
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if ((skip)); then skip=0; continue; fi
    if [[ $verb == launch && " $(_toroid_values launch) " == *" $word "* ]]; then
      skip=1
      continue
    fi
    [[ $word == -* || $word == toroid ]] && continue
    [[ $verb == toroid || $verb == launch ]] || continue
    if [[ " $(_toroid_verbs) " == *" $word "* ]]; then verb=$word; fi
  done
}

_toroid() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
  local verb kind names i before=
  COMPREPLY=()
  if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
  _toroid_verb
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$(_toroid_options "$verb")" -- "$cur"))
    return
  fi
  names=$(_toroid_names "$verb" "$prev")
  kind=${names%% *} names=${names#* }
  if [[ $kind == *list* && $cur == *,* ]]; then before=${cur%,*}, cur=${cur##*,}; fi
  if [[ $kind == *names* ]]; then
    COMPREPLY=($(compgen -P "$before" -W "$names" -- "$cur"))
    for i in "${!COMPREPLY[@]}"; do  # a word with these in it has to be quoted
      [[ ${COMPREPLY[i]} == *[\;\(\)]* ]] && printf -v "COMPREPLY[i]" %q "${COMPREPLY[i]}"
    done
  fi
  if [[ $kind == *files* ]]; then
    local IFS=$'\n'
    COMPREPLY+=($(compgen -f -- "$cur"))
    compopt -o filenames 2>/dev/null
  fi
}

)bash";

std::string value_kind(const OptionText& option) {
  std::string kind = option.is_list ? "list+" : "";
  if (!option.choices.empty()) kind += "names+";
  if (option.takes_file()) kind += "files";
  return kind.empty() ? "other" : kind;
}

/// One case of the function `_toroid_names`. It prints the kind of the value, then the names that
/// the value may have.
std::string bash_names_case(const std::string& command, const OptionText& option) {
  const std::vector<std::string> names =
      option.is_argument() ? std::vector<std::string>{"*"} : option.names;
  std::vector<std::string> patterns;
  for (const std::string& name : names) patterns.push_back(fmt::format("\"{} \"{}", command, name));
  return fmt::format(
      "    {}) echo {};;\n", fmt::join(patterns, "|"),
      shell_word(fmt::format("{} {}", value_kind(option), fmt::join(option.choices, " "))));
}

/// A shell function that prints words for the command that is its argument. `line` makes the words
/// from the command's options.
template <typename Line>
std::string bash_table(const CLI::App& app, std::string_view function, const Line& line) {
  std::string text = fmt::format("{}() {{\n  case $1 in\n", function);
  const auto add = [&](const CLI::App& one) {
    const std::vector<std::string> words = line(option_texts(one));
    text += fmt::format("    {}) echo {};;\n", one.get_name(),
                        shell_word(fmt::format("{}", fmt::join(words, " "))));
  };
  add(app);
  for (const CLI::App* command : commands_of(app)) add(*command);
  return text + "  esac\n}\n\n";
}

std::vector<std::string> all_options(const std::vector<OptionText>& options) {
  std::vector<std::string> names;
  for (const OptionText& option : options)
    names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

std::vector<std::string> options_with_values(const std::vector<OptionText>& options) {
  std::vector<std::string> names;
  for (const OptionText& option : options)
    if (!option.value.empty()) names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

/// The function `_toroid_names`. Its cases for options come before those for arguments, because the
/// pattern of an argument matches whatever the preceding word is.
std::string bash_names(const CLI::App& app) {
  std::string text = "_toroid_names() {\n  case \"$1 $2\" in\n";
  const std::vector<const CLI::App*> commands = commands_of(app);
  for (const bool arguments : {false, true})
    for (const CLI::App* command : commands)
      for (const OptionText& option : option_texts(*command))
        if (!option.value.empty() && option.is_argument() == arguments && option.value != "COMMAND")
          text += bash_names_case(command->get_name(), option);
  return text +
         "    \"toroid \"*|\"launch \"*) echo \"names+ $(_toroid_verbs)\";;\n"
         "    *) echo other;;\n  esac\n}\n\n";
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
  std::string text(kBashHead);
  text += fmt::format("_toroid_verbs() {{\n  echo {}\n}}\n\n",
                      shell_word(fmt::format("{}", fmt::join(command_names(app), " "))));
  text += bash_table(app, "_toroid_options", all_options);
  text += bash_table(app, "_toroid_values", options_with_values);
  return text + bash_names(app) + "complete -F _toroid toroid\n";
}

}  // namespace toroid
