#include "tools/run/host_list.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>
#include <sstream>

#include "hal/check.hpp"
#include "hal/parse_number.hpp"
#include "tools/files/read_file.hpp"

namespace toroid {
namespace {

constexpr unsigned kMaxSlots = 1 << 16;
constexpr std::size_t kLongestFile = std::size_t{16} << 20;  // bytes
constexpr std::string_view kSlots = "slots=";

/// Whether ssh and a shell read the name as a plain word, without special characters.
bool is_host(const std::string& name) {
  const auto is_good = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("._-:@%").find(char(c)) != std::string::npos;
  };
  return !name.empty() && name.front() != '-' && std::all_of(name.begin(), name.end(), is_good);
}

unsigned slots_of(std::string_view text) {
  if (!text.starts_with(kSlots)) return 0;
  const unsigned slots = parse_number<unsigned>(text.substr(kSlots.size())).value_or(0);
  return slots <= kMaxSlots ? slots : 0;
}

HostSlots parse_host(const std::string& line, const std::string& where) {
  std::istringstream words(line);
  HostSlots host;
  words >> host.name;
  if (!is_host(host.name))
    throw BadInput(one_line(fmt::format("{}: '{}' is not a host name", where, host.name)));
  for (std::string word; words >> word;) {
    host.slots = slots_of(word);
    if (host.slots == 0)
      throw BadInput(
          one_line(fmt::format("{}: '{}': expected slots=1 to {}", where, word, kMaxSlots)));
  }
  return host;
}

}  // namespace

std::vector<HostSlots> load_hosts(const std::string& path) {
  return parse_hosts(read_text(path, kLongestFile), path);
}

std::vector<HostSlots> parse_hosts(std::string_view text, const std::string& path) {
  std::vector<HostSlots> hosts;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (unsigned number = 1; std::getline(lines, line); ++number) {
    line = line.substr(0, line.find('#'));
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    hosts.push_back(parse_host(line, fmt::format("{} line {}", path, number)));
  }
  if (hosts.empty())
    throw BadInput(
        one_line(fmt::format("the hosts file '{}' names no host; expected one per line", path)));
  return hosts;
}

std::string address_of(const HostSlots& host) {
  const std::size_t at = host.name.rfind('@');
  return at == std::string::npos ? host.name : host.name.substr(at + 1);
}

}  // namespace toroid
