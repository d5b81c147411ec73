#include "tools/text/spelling.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace toroid {
namespace {

constexpr std::size_t kShortestPart = 3;       ///< letters needed to match a part of a name
constexpr std::size_t kShortestBeginning = 4;  ///< letters needed to complete a name

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

constexpr std::size_t kLongestName = 256;  ///< no name is suggested for a longer text

/// The largest edit distance at which a name is suggested: one edit per three letters of the longer
/// text, but at least one.
std::size_t most_edits(std::string_view typed, std::string_view name) {
  return std::max<std::size_t>(1, std::max(typed.size(), name.size()) / 3);
}

std::size_t difference(std::size_t a, std::size_t b) {
  return a > b ? a - b : b - a;
}

/// Words are separated by hyphens: "per-visit" has the words "per" and "visit".
bool has_word(std::string_view name, std::string_view word) {
  const std::string hyphened = fmt::format("-{}-", name);
  return hyphened.find(fmt::format("-{}-", word)) != std::string::npos;
}

/// Whether the common beginning has at least three quarters of the letters of the shorter name, as
/// for "policies" and "policy".
bool begin_alike(std::string_view a, std::string_view b) {
  const auto common = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  return common >= kShortestPart && 4 * common >= 3 * std::min(a.size(), b.size());
}

bool has_part(std::string_view name, std::string_view typed) {
  return typed.size() >= kShortestPart && (begin_alike(name, typed) || has_word(name, typed));
}

/// The shortest name that begins with the text, if all other names with this beginning extend that
/// name: "rand" gives "random" although "random-rounds" exists.
std::string_view completed(std::string_view text, std::span<const std::string_view> known) {
  if (text.size() < kShortestBeginning) return {};
  std::string_view shortest;
  for (const std::string_view name : known)
    if (lower(name).starts_with(text) && (shortest.empty() || name.size() < shortest.size()))
      shortest = name;
  const bool is_common = std::ranges::all_of(known, [&](std::string_view name) {
    return !lower(name).starts_with(text) || name.starts_with(shortest);
  });
  return is_common ? shortest : std::string_view();
}

std::string_view with_fewest_edits(std::string_view text, std::span<const std::string_view> known) {
  std::string_view nearest;
  std::size_t least = text.size() + 1;
  for (const std::string_view name : known) {
    const std::size_t most = most_edits(text, name);
    if (difference(text.size(), name.size()) > most) continue;
    const std::size_t edits = edit_distance(text, lower(name));
    if (edits > most || edits >= least) continue;
    nearest = name;
    least = edits;
  }
  return nearest;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string_view nearest_name(std::string_view typed, std::span<const std::string_view> known) {
  const std::string text = typed.size() > kLongestName ? std::string() : lower(typed);
  if (text.empty()) return {};
  if (const std::string_view name = completed(text, known); !name.empty()) return name;
  if (const std::string_view name = with_fewest_edits(text, known); !name.empty()) return name;
  const auto part = std::ranges::find_if(
      known, [&](std::string_view name) { return has_part(lower(name), text); });
  return part == known.end() ? std::string_view() : *part;
}

std::string did_you_mean(std::string_view typed, std::span<const std::string_view> known) {
  const std::string_view nearest = nearest_name(typed, known);
  return nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
}

std::string unknown_name(std::string_view what, std::string_view typed,
                         std::span<const std::string_view> known) {
  const std::string meant = did_you_mean(typed, known);
  return fmt::format("unknown {} '{}'{} known: {}", what, shortened(typed),
                     meant.empty() ? ";" : meant, fmt::join(known, ", "));
}

}  // namespace toroid
