#include "tools/files/npy/header.hpp"

#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "hal/check.hpp"
#include "tools/files/npy/dict.hpp"
#include "tools/files/npy/element.hpp"

namespace toroid::npy {
namespace {

constexpr std::size_t kVersionEnd = 8;  // bytes: magic, major, minor
constexpr std::size_t kAlignment = 64;  // bytes: where NumPy begins the data

/// The dtypes of NpyType, in its order.
constexpr std::array<std::string_view, 4> kWrittenCodes = {"f4", "f8", "c8", "c16"};

/// Takes the text of the header off `bytes`, which then begins at the data.
std::string_view take_header_text(std::span<const std::byte>& bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(kMagic)) {
    throw BadInput("not a NumPy .npy file: expected it to begin with the byte 0x93 and NUMPY");
  }
  if (text.size() < kVersionEnd) throw BadInput("header truncated: no format version");
  const int major = std::to_integer<int>(bytes[6]);
  const int minor = std::to_integer<int>(bytes[7]);
  if (major < 1 || major > 3 || minor != 0) {
    throw BadInput(
        fmt::format("unknown .npy format version {}.{}; expected 1.0, 2.0 or 3.0", major, minor));
  }
  const std::size_t begin = kVersionEnd + (major == 1 ? 2U : 4U);
  if (text.size() < begin) throw BadInput("header truncated: no length");
  std::uint32_t length = 0;
  std::memcpy(&length, bytes.data() + kVersionEnd, begin - kVersionEnd);
  if (text.size() - begin < length) {
    throw BadInput(
        fmt::format("header truncated: expected {} bytes, found {}", length, text.size() - begin));
  }
  bytes = bytes.subspan(begin + length);
  return text.substr(begin, length);
}

/// The shape as Python writes a tuple.
std::string tuple_text(std::span<const std::size_t> shape) {
  std::string text = "(";
  for (const std::size_t extent : shape) {
    if (text.size() > 1) text += ' ';
    text += std::to_string(extent) + ',';
  }
  if (shape.size() > 1) text.pop_back();
  return text + ')';
}

}  // namespace

void check_data_size(std::span<const std::size_t> shape, std::size_t item_size, std::size_t found) {
  const std::size_t expected = element_count(shape, item_size) * item_size;
  if (found == expected) return;
  const std::string_view wrong =
      found < expected ? "data truncated" : "trailing bytes after the data";
  throw BadInput(
      fmt::format("{}: expected {} bytes after the header, found {}", wrong, expected, found));
}

Header take_header(std::span<const std::byte>& bytes) {
  return parse_dict(take_header_text(bytes));
}

std::size_t element_count(std::span<const std::size_t> shape, std::size_t item_size) {
  std::size_t room = static_cast<std::size_t>(PTRDIFF_MAX) / item_size;
  std::size_t count = 1;
  for (const std::size_t extent : shape) {
    if (extent > room) throw BadInput("shape has too many elements for any file");
    if (extent != 0) room /= extent;
    count *= extent;
  }
  return count;
}

StoredArray stored(Header header, std::span<const std::byte> data) {
  check_data_size(header.shape, format_of(header.dtype).size(), data.size());
  return {std::move(header.dtype), header.fortran_order, std::move(header.shape), data};
}

StoredArray stored(std::span<const std::byte> bytes) {
  Header header = take_header(bytes);
  return stored(std::move(header), bytes);
}

std::string header_text(std::span<const std::size_t> shape, NpyType type, bool fortran_order) {
  return header_text(shape, kWrittenCodes[static_cast<std::size_t>(type)], fortran_order);
}

std::string header_text(std::span<const std::size_t> shape, std::string_view code,
                        bool fortran_order) {
  std::string dict = fmt::format("{{'descr': '<{}', 'fortran_order': {}, 'shape': {}, }}", code,
                                 fortran_order ? "True" : "False", tuple_text(shape));
  const std::size_t begin = kVersionEnd + 2;
  const std::size_t end = (begin + dict.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
  dict.resize(end - begin - 1, ' ');
  dict += '\n';
  std::string text(kMagic);
  text += {'\1', '\0', static_cast<char>(dict.size() & 0xff), static_cast<char>(dict.size() >> 8)};
  return text + dict;
}

}  // namespace toroid::npy
