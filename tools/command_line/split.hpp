// Texts with a separator between their parts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace toroid {

/// The parts between the separators, empty ones too: one more than there are separators.
inline std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace toroid
