#include "tools/report/deflate_base64.hpp"

#include <sodium/utils.h>
#include <zconf.h>
#include <zlib.h>

#include <limits>

#include "hal/check.hpp"

namespace toroid {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr int kRaw = -MAX_WBITS;  // no header, no zlib checksum
constexpr int kMemoryLevel = 8;   // zlib's default

Bytes deflated(std::span<const std::uint8_t> bytes) {
  TOROID_CHECK_LE(bytes.size(), std::numeric_limits<uInt>::max());
  z_stream stream{};
  TOROID_CHECK_EQ(deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kRaw, kMemoryLevel,
                               Z_DEFAULT_STRATEGY),
                  Z_OK);
  Bytes out(deflateBound(&stream, static_cast<uLong>(bytes.size())));
  stream.next_in = const_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  TOROID_CHECK_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// Inflates `in` into `out`, and returns whether the result has exactly the size of `out`. zlib
/// gets room for one byte more, so that excess data are noticed.
bool inflate_all(Bytes& in, Bytes& out) {
  const std::size_t expected = out.size();
  out.resize(expected + 1);
  z_stream stream{};
  stream.next_in = in.data();
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  TOROID_CHECK_EQ(inflateInit2(&stream, kRaw), Z_OK);
  const bool whole = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.total_out == expected;
  inflateEnd(&stream);
  out.resize(expected);
  return whole;
}

constexpr int kAlphabet = sodium_base64_VARIANT_ORIGINAL;  // RFC 4648 with padding

std::string base64(const Bytes& bytes) {
  std::string text(sodium_base64_encoded_len(bytes.size(), kAlphabet), '\0');
  sodium_bin2base64(text.data(), text.size(), bytes.data(), bytes.size(), kAlphabet);
  text.pop_back();  // the terminating zero byte
  return text;
}

std::optional<Bytes> from_base64(const std::string& text) {
  if (text.empty() || text.size() > std::numeric_limits<uInt>::max()) return std::nullopt;
  Bytes bytes(text.size() / 4 * 3);
  std::size_t size = 0;
  if (sodium_base642bin(bytes.data(), bytes.size(), text.data(), text.size(), nullptr, &size,
                        nullptr, kAlphabet) != 0)
    return std::nullopt;
  bytes.resize(size);
  return bytes;
}

}  // namespace

std::string pack_bytes(std::span<const std::uint8_t> bytes) {
  return base64(deflated(bytes));
}

std::string pack_words(std::span<const std::uint32_t> words) {
  Bytes bytes;
  bytes.reserve(4 * words.size());
  for (const std::uint32_t word : words)
    for (unsigned shift = 0; shift < 32; shift += 8)
      bytes.push_back(static_cast<std::uint8_t>(word >> shift));
  return pack_bytes(bytes);
}

std::optional<Bytes> unpack_bytes(const std::string& text, std::size_t count) {
  std::optional<Bytes> packed = from_base64(text);
  Bytes bytes(count);
  if (!packed || !inflate_all(*packed, bytes)) return std::nullopt;
  return bytes;
}

std::optional<std::vector<std::uint32_t>> unpack_words(const std::string& text, std::size_t count) {
  const std::optional<Bytes> bytes = unpack_bytes(text, 4 * count);
  if (!bytes) return std::nullopt;
  std::vector<std::uint32_t> words(count);
  for (std::size_t i = 0; i < 4 * count; ++i)
    words[i / 4] |= std::uint32_t{(*bytes)[i]} << i % 4 * 8;
  return words;
}

}  // namespace toroid
