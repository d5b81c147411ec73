// Packs numbers for a JSON file or a page, by deflate (RFC 1951) and then base64. Browsers can
// unpack both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace toroid {

std::string pack_bytes(std::span<const std::uint8_t> bytes);
/// Packs words in little endian.
std::string pack_words(std::span<const std::uint32_t> words);

// These return the values that pack_bytes() or pack_words() has packed. They return nothing if the
// text is damaged or the number of values is not `count`.
std::optional<std::vector<std::uint8_t>> unpack_bytes(const std::string& text, std::size_t count);
std::optional<std::vector<std::uint32_t>> unpack_words(const std::string& text, std::size_t count);

}  // namespace toroid
