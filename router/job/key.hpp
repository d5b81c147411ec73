// The key of a job, and signatures with it: HMAC-SHA256 of OpenSSL.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace toroid {

using Digest = std::array<std::byte, 32>;

/// The secret that all processes of a job share. A process proves that it belongs to the job by
/// knowing the key.
class JobKey {
 public:
  static constexpr std::size_t kShortest = 16, kLongest = 1024;  ///< characters

  /// Makes a key from its text: 16 to 1,024 printable characters without spaces. Throws BadInput,
  /// whose text never contains the key.
  explicit JobKey(std::string text);
  /// A new key, from the system's random source.
  static JobKey random();

  const std::string& text() const { return text_; }
  /// HMAC-SHA256 of `purpose` and `message`. REQUIRES: each kind of use has a `purpose` of its own.
  Digest sign(std::string_view purpose, std::span<const std::byte> message) const;
  /// The first 8 bytes of sign().
  std::uint64_t token(std::string_view purpose, std::span<const std::byte> message) const;

 private:
  std::string text_;
};

/// A number from the system's random source.
std::uint64_t random_word();

}  // namespace toroid
