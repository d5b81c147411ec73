#include "tools/options/agreed_options.hpp"

#include <fmt/core.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>

#include "tools/options/option_effects.hpp"

namespace toroid {
namespace {

constexpr std::array<std::string_view, 12> kOwnOptions = {
    "--out",    "--json",    "--csv",   "--report",
    "--export", "--record",  "--trace",  // output files: kOutputs
    "--help",                            // not of the run
    "--quiet",  "--threads", "--bind",  "--wisdom"};
/// The options of output files. Process 0 writes them; if only another process has one, no file is
/// written.
constexpr std::span kOutputs = std::span(kOwnOptions).first(7);

std::string typed_or_default(const CLI::Option& option) {
  return option.count() > 0 ? fmt::format("{}", fmt::join(option.results(), " "))
                            : option.get_default_str();
}

}  // namespace

std::span<const std::string_view> own_options() {
  return kOwnOptions;
}

std::vector<std::string> agreed_options(const CLI::App& command) {
  std::vector<std::string> texts{"verb " + command.get_name()};
  for (const CLI::Option* const option : command.get_options()) {
    const std::string key = key_of(*option);
    if (std::ranges::find(kOwnOptions, key) != kOwnOptions.end()) continue;
    const std::string value = typed_or_default(*option);
    texts.push_back(value.empty() ? "no " + key : fmt::format("{} {}", key, value));
  }
  for (const std::string_view name : kOutputs)
    if (const CLI::Option* const file = command.get_option_no_throw(std::string(name)))
      texts.push_back(fmt::format("{}{}", file->count() > 0 ? "" : "no ", name));
  return texts;
}

}  // namespace toroid
