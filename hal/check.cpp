#include "hal/check.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace toroid {

std::string one_line(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto code = static_cast<unsigned char>(text[i]);
    const unsigned next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0u;
    if (code == 0xc2 && next >= 0x80 && next < 0xa0) text[i] = text[i + 1] = '?';
    if (code < 0x20 || code == 0x7f) text[i] = '?';
  }
  return text;
}

std::size_t character_end(std::string_view text, std::size_t end) {
  constexpr std::size_t kMostContinuing = 3;  // bytes of a character behind its first
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
