// The names that users type for the values of an enumeration.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "hal/check.hpp"
#include "tools/text/spelling.hpp"

namespace toroid {

/// The value whose name is `text`. Throws BadInput with the nearest name and the known ones.
template <typename Enum>
Enum parse_choice(std::string_view what, std::span<const std::string_view> names,
                  std::string_view text) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == text) return static_cast<Enum>(i);
  throw BadInput(one_line(unknown_name(what, text, names)));
}

template <typename Enum>
std::string_view name_of(std::span<const std::string_view> names, Enum value) {
  return names[static_cast<std::size_t>(value)];
}

}  // namespace toroid
