// Reads numbers from texts.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace toroid {

/// Parses the whole text as one number. None if the text is anything else, or if the number is out
/// of the type's range.
template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || read != end) return std::nullopt;
  return value;
}

}  // namespace toroid
