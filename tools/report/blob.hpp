// Packs numbers for a JSON file or a page: deflated (RFC 1951), then base64, which browsers can
// undo.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace toroid {

std::string pack_bytes(std::span<const std::uint8_t> bytes);
/// The same for words in little endian.
std::string pack_words(std::span<const std::uint32_t> words);

// The values that pack_bytes() or pack_words() packed; none where there are not exactly `count`.
std::optional<std::vector<std::uint8_t>> unpack_bytes(const std::string& text, std::size_t count);
std::optional<std::vector<std::uint32_t>> unpack_words(const std::string& text, std::size_t count);

}  // namespace toroid
