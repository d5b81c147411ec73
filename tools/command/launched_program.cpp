#include "tools/command/launched_program.hpp"

#include <fmt/core.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <utility>

#include "hal/check.hpp"
#include "tools/command/command_line.hpp"
#include "tools/options/option_text.hpp"
#include "tools/options/single_process_check.hpp"
#include "tools/run/provider_check.hpp"
#include "tools/text/spelling.hpp"

namespace toroid {
namespace {

bool is_on_path(const std::string& program) {
  if (program.find('/') != std::string::npos) return true;  // PATH is not searched
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (::access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  return false;
}

/// Other hosts may have programs that this one lacks, but not those that look like a wrong verb.
void refuse_no_program(const CLI::App& app, const std::string& name, bool is_for_here) {
  if (is_on_path(name)) return;
  const std::vector<std::string> commands = command_names(app);
  const std::vector<std::string_view> known(commands.begin(), commands.end());
  const std::string meant = did_you_mean(name, known);
  if (!is_for_here && meant.empty()) return;
  throw BadInput(fmt::format("'{}' is neither a toroid verb nor a program on the path{}", name,
                             meant.empty() ? "; 'toroid help' lists the verbs" : meant));
}

/// Whether the command could run on another fabric than `ofi` and does not say which.
bool lacks_fabric(const CLI::App& command) {
  const CLI::Option* const fabric = command.get_option_no_throw("--fabric");
  return fabric != nullptr && fabric->count() == 0;
}

/// The words for a toroid command, or nothing if it asked for help. Checks the command line here,
/// so that an error is reported once instead of by every process. Adds the fabric for several
/// processes if the words name none.
std::vector<std::string> own_program(std::vector<std::string> words, const LaunchOptions& options) {
  if (!words.empty() && words.front() == "launch") throw BadInput("launch cannot launch itself");
  CommandLine line;
  if (!line.parse(words)) return {};
  if (lacks_fabric(*line.app().get_subcommands().front())) {
    words.insert(words.begin() + 1, {"--fabric", "ofi"});
    return own_program(std::move(words), options);
  }
  const CLI::App& command = *line.app().get_subcommands().front();
  refuse_several_processes(command, options.processes);
  const CLI::Option* const option = command.get_option_no_throw("--provider");
  if (option != nullptr && option->count() > 0) {
    const std::string& provider = option->results().front();
    if (options.hosts.empty()) refuse_unknown_provider(provider);
    refuse_unsafe_provider(provider, command.count("--unsafe-provider") > 0);
  }
  words.insert(words.begin(), std::filesystem::read_symlink("/proc/self/exe").string());
  return words;
}

}  // namespace

std::vector<std::string> launched_program(const CLI::App& app, const LaunchedCommand& launched,
                                          const LaunchOptions& options) {
  std::vector<std::string> words = launched.words;
  if (words.empty())
    throw BadInput("launch needs a command: a toroid verb with its options, or -- and a program");
  if (launched.is_program) return words;
  const bool named = words.front() == app.get_name();
  if (named) words.erase(words.begin());
  if (named || find_command(app, words.front()) != nullptr) return own_program(words, options);
  refuse_no_program(app, words.front(), options.hosts.empty());
  return words;
}

}  // namespace toroid
