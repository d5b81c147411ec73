#include "tools/launch/launched_program.hpp"

#include <fmt/core.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "hal/check.hpp"
#include "tools/command_line/arguments.hpp"
#include "tools/command_line/command.hpp"
#include "tools/command_line/option_text.hpp"
#include "tools/command_line/spelling.hpp"
#include "tools/run/provider.hpp"

namespace toroid {
namespace {

bool is_on_path(const std::string& program) {
  if (program.find('/') != std::string::npos) return true;  // no matter of the path
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (::access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  return false;
}

void refuse_no_program(const CLI::App& app, const std::string& name) {
  if (is_on_path(name)) return;
  const std::vector<std::string> verbs = verb_names(app);
  const std::vector<std::string_view> known(verbs.begin(), verbs.end());
  const std::string meant = did_you_mean(name, known);
  throw BadInput(fmt::format("'{}' is neither a verb of toroid nor a program on the path{}", name,
                             meant.empty() ? "; toroid help lists the verbs" : meant));
}

/// What was given, else what is usual; empty: the verb has no such option.
std::string value_of(const CLI::App& verb, const std::string& name) {
  const CLI::Option* option = verb.get_option_no_throw(name);
  if (option == nullptr) return {};
  return option->count() > 0 ? option->results().front() : option->get_default_str();
}

void refuse_what_no_process_can_do(const CLI::App& verb, bool elsewhere) {
  const std::string fabric = value_of(verb, "--fabric");
  if (fabric.empty())
    throw BadInput(fmt::format("{} is for one process; launch starts several", verb.get_name()));
  if (fabric != "ofi")
    throw BadInput(
        fmt::format("{} --fabric {} is for one process; launch starts several, which are "
                    "for --fabric ofi",
                    verb.get_name(), fabric));
  const std::string provider = value_of(verb, "--provider");
  if (!provider.empty() && !elsewhere) refuse_unknown_provider(provider);
}

/// Once here, instead of once by every process.
std::vector<std::string> own_program(std::vector<std::string> words, bool elsewhere) {
  if (!words.empty() && words.front() == "launch") throw BadInput("launch cannot launch itself");
  Command command;
  if (!command.parse(words)) return {};
  refuse_what_no_process_can_do(*command.app().get_subcommands().front(), elsewhere);
  words.insert(words.begin(), std::filesystem::read_symlink("/proc/self/exe").string());
  return words;
}

}  // namespace

std::vector<std::string> launched_program(const CLI::App& app, const LaunchedCommand& launched,
                                          bool elsewhere) {
  std::vector<std::string> words = launched.words;
  if (words.empty())
    throw BadInput(
        "launch needs a command: a verb of toroid with its options, or -- and a program");
  if (launched.is_program) return words;
  const bool named = words.front() == app.get_name();
  if (named) words.erase(words.begin());
  if (named || find_verb(app, words.front()) != nullptr) return own_program(words, elsewhere);
  if (!elsewhere) refuse_no_program(app, words.front());
  return words;
}

}  // namespace toroid
