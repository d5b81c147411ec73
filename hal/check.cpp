#include "hal/check.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace toroid {

namespace {

/// Length in bytes of the control character that begins at `i`; 0 if none begins there.
std::size_t control_length(std::string_view text, std::size_t i) {
  const auto code = static_cast<unsigned char>(text[i]);
  if (code < 0x20 || code == 0x7f) return 1;
  const unsigned next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0u;
  return code == 0xc2 && next >= 0x80 && next < 0xa0 ? 2 : 0;
}

}  // namespace

std::string one_line(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i)
    std::fill_n(text.data() + i, control_length(text, i), '?');
  return text;
}

bool has_control_characters(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (control_length(text, i) > 0) return true;
  return false;
}

std::size_t character_end(std::string_view text, std::size_t end) {
  TOROID_CHECK_LE(end, text.size());
  constexpr std::size_t kMostContinuing = 3;  // most bytes of a character after its first one
  const std::size_t least = end - std::min(end, kMostContinuing);
  while (end > least && end < text.size() && (text[end] & 0xc0) == 0x80) --end;
  return end;
}

std::string shortened(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  if (text.size() <= kLongest) return one_line(std::string(text));
  return one_line(std::string(text.substr(0, character_end(text, kLongest)))) + "...";
}

void check_failed(const char* file, int line, const char* condition, const std::string& detail) {
  fmt::print(stderr, "{}:{}: CHECK failed: {}{}{}\n", file, line, condition,
             detail.empty() ? "" : ": ", detail);
  std::fflush(stderr);
  std::abort();
}

}  // namespace toroid
