// Texts with a separator between their parts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace toroid {

/// The parts between the separators, empty ones too: one more than there are separators. They lie
/// in the text.
inline std::vector<std::string_view> parts_of(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + separator.size();
  }
  return parts;
}
/// The same as texts of their own.
inline std::vector<std::string> split(std::string_view text, char separator) {
  const std::vector<std::string_view> parts = parts_of(text, {&separator, 1});
  return {parts.begin(), parts.end()};
}

}  // namespace toroid
