// The key of a run: who holds it belongs to the run. HMAC-SHA256 of OpenSSL.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace toroid {

using Digest = std::array<std::byte, 32>;

class JobKey {
 public:
  /// As the launcher hands it over: at least 16 printable characters. Throws BadInput, never with
  /// the key in its text.
  explicit JobKey(std::string text);
  /// A fresh one, from the system's random source.
  static JobKey random();

  const std::string& text() const { return text_; }
  /// HMAC-SHA256 of `message`. REQUIRES: `purpose` differs wherever the meaning of a digest does.
  Digest sign(std::string_view purpose, std::span<const std::byte> message) const;
  /// The first 8 bytes of the digest.
  std::uint64_t token(std::string_view purpose, std::span<const std::byte> message) const;

 private:
  std::string text_;
};

/// In a time that does not tell where they differ.
bool equal_digests(const Digest& a, const Digest& b);
/// From the system's random source.
std::uint64_t random_word();

}  // namespace toroid
