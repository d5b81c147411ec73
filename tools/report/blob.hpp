// Packs numbers for a JSON file or a page: deflate (RFC 1951), then base64. Browsers can unpack
// both.
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

// The values that pack_bytes() or pack_words() packed; empty if their number is not `count`.
std::optional<std::vector<std::uint8_t>> unpack_bytes(const std::string& text, std::size_t count);
std::optional<std::vector<std::uint32_t>> unpack_words(const std::string& text, std::size_t count);

}  // namespace toroid
