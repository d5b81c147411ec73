#include "tools/files/parse_toml.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "hal/check.hpp"

namespace toroid {
namespace {

constexpr std::size_t kMostKeyParts = 16;

/// Returns the position after the quotation marks at `at`, at most `most`.
std::size_t after_quotes(std::string_view text, std::size_t at, std::size_t most) {
  const std::string_view all = text.substr(at, most);
  return at + std::min(all.find_first_not_of(all.front()), all.size());
}

/// Returns the position after the string that begins at `at` with a quotation mark. A string of one
/// line also ends at the end of its line; the parser refuses it later. A string of several lines
/// may have two more quotation marks before the three that end it.
std::size_t after_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string three(3, quote);
  const bool has_lines = text.substr(at).starts_with(three);
  const std::string_view end = has_lines ? std::string_view(three) : text.substr(at, 1);
  for (at += end.size(); at < text.size(); ++at) {
    if (text[at] == '\\' && quote == '"')
      ++at;
    else if (text.substr(at).starts_with(end))
      return after_quotes(text, at, has_lines ? end.size() + 2 : end.size());
    else if (text[at] == '\n' && !has_lines)
      return at;
  }
  return text.size();
}

/// Returns the position after the string, the comment or the character that begins at `at`.
std::size_t after_token(std::string_view text, std::size_t at) {
  const char c = text[at];
  if (c == '"' || c == '\'') return after_string(text, at);
  if (c == '#') return std::min(text.find('\n', at), text.size());
  return at + 1;
}

[[noreturn]] void refuse(std::string_view origin, std::size_t line, std::string_view why) {
  throw BadInput(one_line(fmt::format("{}:{}: {}", origin, line, why)));
}

[[noreturn]] void refuse_depth(std::string_view origin, std::string_view before) {
  refuse(origin, 1 + static_cast<std::size_t>(std::ranges::count(before, '\n')),
         fmt::format("expected a key of at most {} parts, as in a.b.c", kMostKeyParts));
}

void refuse_deep_keys(std::string_view toml, std::string_view origin) {
  constexpr std::string_view kEndsAKey = "=,[]{}\n";
  std::size_t parts = 1;
  for (std::size_t at = 0; at < toml.size(); at = after_token(toml, at)) {
    if (kEndsAKey.find(toml[at]) != kEndsAKey.npos) parts = 1;
    if (toml[at] == '.' && ++parts > kMostKeyParts) refuse_depth(origin, toml.substr(0, at));
  }
}

}  // namespace

toml::table parse_toml(std::string_view text, std::string_view origin) {
  refuse_deep_keys(text, origin);
  try {
    return toml::parse(text, origin);
  } catch (const toml::parse_error& error) {
    refuse(origin, error.source().begin.line, error.description());
  }
}

}  // namespace toroid
