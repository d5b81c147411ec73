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

std::string shortened(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  if (text.size() <= kLongest) return one_line(std::string(text));
  const auto continues = [&](std::size_t at) { return (text[at] & 0xc0) == 0x80; };
  std::size_t end = kLongest;
  while (end > kLongest - 4 && continues(end)) --end;
  return one_line(std::string(text.substr(0, end))) + "...";
}

void check_failed(const char* file, int line, const char* condition, const std::string& detail) {
  fmt::print(stderr, "{}:{}: CHECK failed: {}{}{}\n", file, line, condition,
             detail.empty() ? "" : ": ", detail);
  std::fflush(stderr);
  std::abort();
}

}  // namespace toroid
