#include "tools/report/provenance.hpp"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <ctime>
#include <fstream>
#include <ios>
#include <string_view>

#include "tools/options/arguments.hpp"

namespace toroid {
namespace {

/// Whether a shell takes the word unquoted.
bool needs_no_quotes(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  return !word.empty() && word.find_first_not_of(kPlain) == std::string::npos;
}

std::string date_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace

std::vector<std::string> typed_arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> arguments;
  for (std::string one; std::getline(file, one, '\0');) arguments.push_back(one);
  return arguments;
}

std::string command_line(const std::vector<std::string>& arguments) {
  std::string line;
  for (const std::string& word : arguments)
    line += (line.empty() ? "" : " ") + (needs_no_quotes(word) ? word : shell_word(word));
  return line;
}

const Provenance& provenance() {
  static const Provenance kProvenance{command_line(typed_arguments()), date_now()};
  return kProvenance;
}

Json with_provenance(const Json& result) {
  Json json = Json::object();
  for (const char* key : {"verb", "version", "git_hash"})
    if (result.contains(key)) json[key] = result[key];
  json["command"] = provenance().command;
  json["date"] = provenance().date;
  json.update(result);
  return json;
}

}  // namespace toroid
