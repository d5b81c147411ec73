// Numbers in a JSON file or a page: deflated (RFC 1951), then base64, as browsers undo by
// themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace toroid {

std::string pack_bytes(std::span<const std::uint8_t> bytes);
/// Little endian.
std::string pack_words(std::span<const std::uint32_t> words);

/// None where the text is not what pack_ made of exactly `count` values.
std::optional<std::vector<std::uint8_t>> unpack_bytes(const std::string& text, std::size_t count);
std::optional<std::vector<std::uint32_t>> unpack_words(const std::string& text, std::size_t count);

}  // namespace toroid
