#include "tools/report/provenance.hpp"

#include <fmt/chrono.h>

#include <ctime>
#include <fstream>
#include <ios>

#include "tools/text/split_and_wrap.hpp"

namespace toroid {
namespace {

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
