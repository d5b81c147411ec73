#include "tools/run/run_identity.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <sstream>

#include "hal/check.hpp"
#include "tools/files/read_file.hpp"

namespace toroid {
std::string build_text(std::string_view commit, const std::string& executable) {
  const bool is_whole = commit != "unknown" && !commit.ends_with("-dirty");
  return is_whole ? std::string(commit) : fmt::format("{} {}", commit, file_sum(executable));
}

RunIdentity::RunIdentity(const std::string& text) {
  std::istringstream lines(text);
  Entry entry;
  while (std::getline(lines, entry.kind, '\t') && std::getline(lines, entry.name, '\t') &&
         std::getline(lines, entry.value))
    entries_.push_back(entry);
}

void RunIdentity::add(std::string_view kind, std::string_view name, std::string_view value) {
  entries_.push_back({std::string(kind), std::string(name), one_line(std::string(value))});
}

std::string RunIdentity::text() const {
  std::string text;
  for (const Entry& entry : entries_)
    text += fmt::format("{}\t{}\t{}\n", entry.kind, entry.name, entry.value);
  return text;
}

std::string RunIdentity::value(std::string_view name) const {
  const auto found = std::ranges::find(entries_, name, &Entry::name);
  return found == entries_.end() ? std::string() : found->value;
}

std::optional<std::string> RunIdentity::difference(const RunIdentity& other) const {
  const std::size_t common = std::min(entries_.size(), other.entries_.size());
  for (std::size_t i = 0; i < common; ++i) {
    const Entry& here = entries_[i];
    const Entry& there = other.entries_[i];
    if (here == there) continue;
    if (here.name != there.name) return fmt::format("another {}", here.kind);
    return fmt::format("another {}: {} {}, not {}", here.kind, here.name, there.value, here.value);
  }
  if (entries_.size() != other.entries_.size()) return "another command";
  return std::nullopt;
}

}  // namespace toroid
