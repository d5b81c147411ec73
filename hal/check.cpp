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
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  std::replace_if(text.begin(), text.end(), is_control, '?');
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
