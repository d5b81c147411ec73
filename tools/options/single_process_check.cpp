#include "tools/options/single_process_check.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "hal/check.hpp"
#include "router/placement/launcher_environment.hpp"

namespace toroid {
namespace {

/// A value of an option or argument that restricts a command to one process.
struct OneProcessValue {
  std::string_view command;
  const char* option;
  std::string_view value;
  const char* why;
};
constexpr std::array kOneProcessValues = {
    OneProcessValue{"fft", "--in", "-", "--in - is for one process; use a file for several"},
    OneProcessValue{"poisson", "--in", "-", "--in - is for one process; use a file for several"},
    OneProcessValue{"redistribute", "--in", "-",
                    "--in - is for one process; use a file for several"},
    OneProcessValue{"bench", "KIND", "idle", "bench idle is for one process"}};

/// The typed value or the default; empty if the command has no such option.
std::string value_of(const CLI::App& command, const char* name) {
  const CLI::Option* option = command.get_option_no_throw(name);
  if (option == nullptr) return {};
  return option->count() > 0 ? option->results().front() : option->get_default_str();
}

/// The reason why only one process can execute the command; empty if several can.
std::string why_one_process(const CLI::App& command) {
  const std::string fabric = value_of(command, "--fabric");
  if (fabric.empty()) return fmt::format("{} is for one process", command.get_name());
  if (fabric != "ofi")
    return fmt::format("{} --fabric {} is for one process; use --fabric ofi for several",
                       command.get_name(), fabric);
  for (const OneProcessValue& one : kOneProcessValues)
    if (command.get_name() == one.command && value_of(command, one.option) == one.value)
      return one.why;
  return {};
}

}  // namespace

void refuse_several_processes(const CLI::App& command, unsigned processes) {
  if (processes == 1) return;
  if (const std::string why = why_one_process(command); !why.empty()) throw BadInput(why);
}

bool joins_others(const CLI::App& command) {
  return value_of(command, "--fabric") == "ofi";
}

void refuse_one_of_several(const CLI::App& command) {
  const std::optional<FoundLauncher> found = launcher_of_several();
  if (!found || !value_of(command, "--shard").empty()) return;
  if (const std::string why = why_one_process(command); !why.empty())
    throw BadInput(fmt::format("{}, but {}; {}", why, found->text(), kRunAlone));
}

}  // namespace toroid
