#include "hal/check.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace toroid {

std::string one_line(std::string text) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  std::replace_if(text.begin(), text.end(), is_control, '?');
  return text;
}

void check_failed(const char* file, int line, const char* condition, const std::string& detail) {
  fmt::print(stderr, "{}:{}: CHECK failed: {}{}{}\n", file, line, condition,
             detail.empty() ? "" : ": ", detail);
  std::fflush(stderr);
  std::abort();
}

}  // namespace toroid
