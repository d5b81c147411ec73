#include "tools/run/host_list.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>
#include <sstream>
#include <utility>

#include "hal/check.hpp"
#include "hal/parse_number.hpp"
#include "tools/files/read_file.hpp"

namespace toroid {
namespace {

constexpr unsigned kMaxSlots = 1 << 16;
constexpr std::size_t kLongestFile = std::size_t{16} << 20;  // bytes
constexpr std::string_view kSlots = "slots=";

/// Whether ssh and a shell read the name as a plain word, without special characters.
bool is_host(std::string_view name) {
  const auto is_good = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("._-:@%").find(char(c)) != std::string::npos;
  };
  return !name.empty() && name.front() != '-' && name.back() != '@' &&
         std::ranges::all_of(name, is_good);
}

unsigned slots_of(std::string_view text, const std::string& where, std::string_view word) {
  const unsigned slots = parse_number<unsigned>(text).value_or(0);
  if (slots >= 1 && slots <= kMaxSlots) return slots;
  throw BadInput(one_line(fmt::format("{}: '{}': expected slots=1 to {}", where, word, kMaxSlots)));
}

/// A host's word, taken apart. An address of IPv6 has several colons, so its slots follow brackets.
struct HostWord {
  std::string name;
  std::optional<std::string> slots;
};

HostWord take_apart(const std::string& word) {
  const std::size_t open = word.find('['), close = word.find(']');
  const bool begins = open == 0 || (open != word.npos && word[open - 1] == '@');
  const bool has_brackets = begins && close != word.npos && open < close;
  const std::size_t begin = has_brackets ? close + 1 : 0;
  const std::size_t colon = word.find(':', begin);
  const bool has_slots = colon != word.npos && word.find(':', colon + 1) == word.npos;
  std::string name = word.substr(0, has_slots ? colon : word.npos);
  if (has_brackets && name.size() == close + 1) name.erase(close, 1).erase(open, 1);
  return {name, has_slots ? std::optional(word.substr(colon + 1)) : std::nullopt};
}

HostSlots parse_host(const std::string& line, const std::string& where) {
  std::istringstream words(line);
  std::string first;
  words >> first;
  HostWord host = take_apart(first);
  if (!is_host(host.name))
    throw BadInput(one_line(fmt::format("{}: '{}' is not a host name", where, first)));
  unsigned slots = host.slots ? slots_of(*host.slots, where, first) : 0;
  for (std::string word; words >> word;) {
    const bool is_slots = word.starts_with(kSlots);
    if (is_slots && slots != 0)
      throw BadInput(one_line(fmt::format("{}: '{}': the slots are given already", where, word)));
    slots = slots_of(is_slots ? word.substr(kSlots.size()) : "", where, word);
  }
  return {std::move(host.name), std::max(slots, 1U)};
}

/// Adds the host or, if it is there already, its slots.
void add_host(HostSlots host, std::vector<HostSlots>& hosts, const std::string& where) {
  const auto same = std::ranges::find(hosts, host.name, &HostSlots::name);
  if (same == hosts.end()) {
    hosts.push_back(std::move(host));
    return;
  }
  same->slots += host.slots;
  if (same->slots > kMaxSlots)
    throw BadInput(fmt::format("{}: {} has more than {} slots", where, host.name, kMaxSlots));
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
    const std::string where = fmt::format("{} line {}", path, number);
    add_host(parse_host(line, where), hosts, where);
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
