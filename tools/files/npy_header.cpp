#include "tools/files/npy_header.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

#include "tools/files/npy_elements.hpp"

namespace toroid::npy {
namespace {

constexpr std::size_t kVersionEnd = 8;  // bytes: magic, major, minor
constexpr std::size_t kAlignment = 64;  // bytes: NumPy begins the data at a multiple of it

/// The dtypes of NpyType, in its order.
constexpr std::array<std::string_view, 4> kWrittenTypes = {"<f4", "<f8", "<c8", "<c16"};

/// Removes the header from `bytes`, which then begins at the data; returns the header's text.
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

std::size_t check_data_size(std::span<const std::size_t> shape, std::size_t item_size,
                            std::size_t found, const Leniency& leniency) {
  const std::size_t expected = element_count(shape, item_size) * item_size;
  const std::string sizes =
      fmt::format(": expected {} bytes after the header, found {}", expected, found);
  if (found < expected) throw BadInput("data truncated" + sizes);
  if (found > expected) leniency.excuse("trailing bytes after the data" + sizes);
  return expected;
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

StoredArray stored(Header header, std::span<const std::byte> data, const Leniency& leniency) {
  const std::size_t size =
      check_data_size(header.shape, format_of(header.dtype).size(), data.size(), leniency);
  return {std::move(header.dtype), header.fortran_order, std::move(header.shape), data.first(size)};
}

StoredArray stored(std::span<const std::byte> bytes, const Leniency& leniency) {
  Header header = take_header(bytes);
  return stored(std::move(header), bytes, leniency);
}

std::string header_text(std::span<const std::size_t> shape, NpyType type, bool fortran_order) {
  return header_text(shape, kWrittenTypes[static_cast<std::size_t>(type)], fortran_order);
}

std::string header_text(std::span<const std::size_t> shape, std::string_view dtype,
                        bool fortran_order) {
  std::string dict = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", dtype,
                                 fortran_order ? "True" : "False", tuple_text(shape));
  const std::size_t begin = kVersionEnd + 2;
  const std::size_t end = (begin + dict.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
  dict.resize(end - begin - 1, ' ');
  dict += '\n';
  std::string text(kMagic);
  text += {'\1', '\0', static_cast<char>(dict.size() & 0xff), static_cast<char>(dict.size() >> 8)};
  return text + dict;
}

namespace {

/// A recursive-descent parser with one member function per rule.
class DictParser {
 public:
  explicit DictParser(std::string_view text) : text_(text) {}

  Header parse() {
    expect('{');
    while (!try_take('}')) {
      parse_entry();
      if (try_take(',')) continue;
      expect('}');
      break;
    }
    skip_blanks();
    if (at_ != text_.size()) fail("the end of the header");
    return {required(dtype_, "descr"), required(fortran_order_, "fortran_order"),
            required(shape_, "shape")};
  }

 private:
  void parse_entry() {
    const std::string key = take_string();
    expect(':');
    if (key == "descr") return set_once(dtype_, take_dtype(), key);
    if (key == "fortran_order") return set_once(fortran_order_, take_bool(), key);
    if (key == "shape") return set_once(shape_, take_shape(), key);
    throw BadInput(fmt::format(
        "unknown key '{}' in the header; expected descr, fortran_order, shape", shortened(key)));
  }

  template <class T>
  static void set_once(std::optional<T>& slot, T value, std::string_view key) {
    if (slot) throw BadInput(fmt::format("duplicate key '{}' in the header", key));
    slot = std::move(value);
  }

  template <class T>
  static T required(std::optional<T>& slot, std::string_view key) {
    if (!slot) throw BadInput(fmt::format("key '{}' is missing in the header", key));
    return std::move(*slot);
  }

  std::string take_string() {
    skip_blanks();
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail("a quoted string");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("a closed string");
    const std::string_view content = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return std::string(content);
  }

  std::string take_dtype() {
    skip_blanks();
    if (peek() == '[' || peek() == '(') throw unsupported_dtype(bracketed());
    return canonical_dtype(take_string());
  }

  /// A structured dtype, from its bracket to the matching one. It is only shown in a message, so
  /// brackets inside strings do not matter.
  std::string_view bracketed() const {
    std::size_t depth = 0;
    std::size_t end = at_;
    while (end < text_.size()) {
      const char c = text_[end++];
      if (c == '[' || c == '(') ++depth;
      if ((c == ']' || c == ')') && --depth == 0) break;
    }
    return text_.substr(at_, end - at_);
  }

  bool take_bool() {
    skip_blanks();
    if (try_word("True")) return true;
    if (try_word("False")) return false;
    fail("True or False");
  }

  std::vector<std::size_t> take_shape() {
    std::vector<std::size_t> shape;
    expect('(');
    while (!try_take(')')) {
      if (shape.size() == kMaxNpyDimensions) {
        throw BadInput(fmt::format("shape has more than {} dimensions", kMaxNpyDimensions));
      }
      shape.push_back(take_extent());
      if (try_take(',')) continue;
      if (shape.size() == 1) fail("',' after the only extent of a tuple");
      expect(')');
      break;
    }
    return shape;
  }

  std::size_t take_extent() {
    skip_blanks();
    if (peek() == '-') throw BadInput("shape has a negative extent");
    std::uint64_t extent = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), extent);
    if (error == std::errc::result_out_of_range) throw BadInput("shape has too large an extent");
    if (error != std::errc()) fail("an extent");
    at_ += static_cast<std::size_t>(end - begin);
    if (peek() == 'L') ++at_;  // how Python 2 wrote a long integer
    return extent;
  }

  void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n\f", at_), text_.size()); }

  /// The next character; at the end NUL, which no literal contains.
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool try_word(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  bool try_take(char c) {
    skip_blanks();
    return try_word(std::string_view(&c, 1));
  }

  void expect(char c) {
    if (!try_take(c)) fail(fmt::format("'{}'", c));
  }

  [[noreturn]] void fail(std::string_view expected) const {
    const std::string found = at_ < text_.size() ? shortened(text_.substr(at_)) : "its end";
    throw BadInput(
        fmt::format("malformed header: expected {} at offset {}, found {}", expected, at_, found));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::optional<std::string> dtype_;
  std::optional<bool> fortran_order_;
  std::optional<std::vector<std::size_t>> shape_;
};

}  // namespace

BadInput unsupported_dtype(std::string_view dtype) {
  return BadInput(fmt::format("unsupported dtype {}; {}", shortened(dtype), kAcceptedDtypes));
}

Header parse_dict(std::string_view text) {
  return DictParser(text).parse();
}

}  // namespace toroid::npy
