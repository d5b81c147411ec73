#include "tools/command_line/one_process.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

#include "hal/check.hpp"

namespace toroid {
namespace {

/// A value of an option or argument with which the verb is for one process.
struct OneProcessValue {
  std::string_view verb;
  const char* option;
  std::string_view value;
  const char* why;
};
constexpr std::array kOneProcessValues = {
    OneProcessValue{"fft", "--in", "-",
                    "--in - is for one process; several read a file, each by itself"},
    OneProcessValue{"bench", "KIND", "idle", "bench idle is for one process"}};

/// The value that was given, else the default; empty where the verb has no such option.
std::string value_of(const CLI::App& verb, const char* name) {
  const CLI::Option* option = verb.get_option_no_throw(name);
  if (option == nullptr) return {};
  return option->count() > 0 ? option->results().front() : option->get_default_str();
}

}  // namespace

void refuse_several_processes(const CLI::App& verb, unsigned processes) {
  if (processes == 1) return;
  const std::string fabric = value_of(verb, "--fabric");
  if (fabric.empty()) throw BadInput(fmt::format("{} is for one process", verb.get_name()));
  if (fabric != "ofi")
    throw BadInput(fmt::format("{} --fabric {} is for one process; several are for --fabric ofi",
                               verb.get_name(), fabric));
  for (const OneProcessValue& one : kOneProcessValues)
    if (verb.get_name() == one.verb && value_of(verb, one.option) == one.value)
      throw BadInput(one.why);
}

unsigned launched_processes() {
  const char* const size = std::getenv("WORLD_SIZE");
  if (size == nullptr || std::getenv("TOROID_JOB_KEY") == nullptr) return 1;
  return static_cast<unsigned>(std::strtoul(size, nullptr, 10));
}

}  // namespace toroid
