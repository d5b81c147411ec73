#include "router/job/key.hpp"

#include <fmt/core.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "hal/check.hpp"

namespace toroid {
namespace {

bool is_visible(char c) {
  return c > 0x20 && c < 0x7f;
}

template <std::size_t N>
std::array<unsigned char, N> random_bytes() {
  std::array<unsigned char, N> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(N)) != 1)
    throw RunFailed("the system's random source does not work");
  return bytes;
}

/// Concatenates the purpose's length, the purpose and the message. Because of the length, different
/// pairs of purpose and message always give different bytes.
std::vector<unsigned char> framed(std::string_view purpose, std::span<const std::byte> message) {
  constexpr std::size_t kLength = 8;
  std::vector<unsigned char> bytes(kLength + purpose.size() + message.size());
  for (std::size_t i = 0; i < kLength; ++i)
    bytes[i] = static_cast<unsigned char>(std::uint64_t{purpose.size()} >> 8 * i);
  const std::span<std::byte> behind = std::as_writable_bytes(std::span(bytes)).subspan(kLength);
  std::ranges::copy(std::as_bytes(std::span(purpose)), behind.begin());
  std::ranges::copy(message, behind.subspan(purpose.size()).begin());
  return bytes;
}

}  // namespace

JobKey::JobKey(std::string text) : text_(std::move(text)) {
  if (text_.size() < kShortest || text_.size() > kLongest ||
      !std::all_of(text_.begin(), text_.end(), is_visible))
    throw BadInput(fmt::format("the job's key must be {} to {} printable characters without spaces",
                               kShortest, kLongest));
}

JobKey JobKey::random() {
  std::string text;
  for (const unsigned char byte : random_bytes<32>()) text += fmt::format("{:02x}", byte);
  return JobKey(std::move(text));
}

Digest JobKey::sign(std::string_view purpose, std::span<const std::byte> message) const {
  const std::vector<unsigned char> bytes = framed(purpose, message);
  Digest digest{};
  unsigned length = 0;
  const unsigned char* done =
      HMAC(EVP_sha256(), text_.data(), static_cast<int>(text_.size()), bytes.data(), bytes.size(),
           reinterpret_cast<unsigned char*>(digest.data()), &length);
  if (done == nullptr || length != digest.size()) throw RunFailed("HMAC-SHA256 is not available");
  return digest;
}

std::uint64_t JobKey::token(std::string_view purpose, std::span<const std::byte> message) const {
  const Digest digest = sign(purpose, message);
  std::uint64_t token = 0;
  for (std::size_t i = 0; i < 8; ++i) token |= std::to_integer<std::uint64_t>(digest[i]) << 8 * i;
  return token;
}

std::uint64_t random_word() {
  std::uint64_t word = 0;
  for (const unsigned char byte : random_bytes<8>()) word = word << 8 | byte;
  return word;
}

}  // namespace toroid
