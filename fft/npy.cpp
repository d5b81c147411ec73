#include "fft/npy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <ostream>
#include <system_error>
#include <type_traits>
#include <utility>

#include "hal/check.hpp"

namespace toroid {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are copied as they are");

using Complex = std::complex<double>;
using Shape = std::vector<std::size_t>;

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kVersionEnd = 8;     // bytes: magic, major, minor
constexpr std::size_t kAlignment = 64;     // bytes: where NumPy begins the data
constexpr std::size_t kFirstRead = 65536;  // bytes: enough to know whether to read on
constexpr std::size_t kBlock = 65536;      // elements converted at a time when writing
constexpr std::size_t kTile = 8;           // elements: a tile's rows stay in the nearest cache

constexpr std::string_view kAccepted = "expected one of <f4, <f8, <c8, <c16";

struct ItemFormat {
  NpyType type;
  std::string_view code;
  std::size_t size;  // bytes
};

constexpr std::array<ItemFormat, 4> kFormats = {{{NpyType::f4, "f4", 4},
                                                 {NpyType::f8, "f8", 8},
                                                 {NpyType::c8, "c8", 8},
                                                 {NpyType::c16, "c16", 16}}};

std::string without_controls(std::string text) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  std::replace_if(text.begin(), text.end(), is_control, '?');
  return text;
}

/// A part of the file, fit for a message.
std::string shortened(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  return without_controls(std::string(text.substr(0, kLongest))) +
         (text.size() > kLongest ? "..." : "");
}

BadInput refusal(std::string_view name, std::string_view reason) {
  return BadInput(fmt::format("{}: {}", without_controls(std::string(name)), reason));
}

BadInput unsupported_dtype(std::string_view dtype) {
  return BadInput(fmt::format("unsupported dtype {}; {}", shortened(dtype), kAccepted));
}

const ItemFormat& format_of(std::string_view dtype) {
  const std::string_view order = dtype.substr(0, 1);
  for (const ItemFormat& format : kFormats) {
    if (dtype.empty() || dtype.substr(1) != format.code) continue;
    if (order == "<" || order == "=") return format;
    if (order == ">") {
      throw BadInput(fmt::format("big-endian dtype {} is not supported; {}", dtype, kAccepted));
    }
  }
  throw unsupported_dtype(dtype);
}

struct Header {
  std::string dtype;
  bool fortran_order;
  Shape shape;
};

/// Reads the Python dict literal that describes the array; BadInput without the file's name.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

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
    return take_string();
  }

  /// A structured dtype from its bracket to the matching one; only shown, so strings may mislead.
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

  Shape take_shape() {
    Shape shape;
    expect('(');
    while (!try_take(')')) {
      if (shape.size() == kMaxNpyDimensions) {
        throw BadInput(fmt::format("shape has more than {} dimensions", kMaxNpyDimensions));
      }
      shape.push_back(take_extent());
      if (try_take(',')) continue;
      if (shape.size() == 1) fail("',': a tuple of one extent needs it");
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

  /// The next character; NUL at the end, which no literal contains.
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
  std::optional<Shape> shape_;
};

/// As NumPy does, refuses what overflows without its zero extents too.
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

/// The text of the header; `bytes` then begins at the data.
std::string_view take_header(std::span<const std::byte>& bytes) {
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

void check_data_size(std::size_t expected, std::size_t found) {
  if (found == expected) return;
  const std::string_view wrong =
      found < expected ? "data truncated" : "trailing bytes after the data";
  throw BadInput(
      fmt::format("{}: expected {} bytes after the header, found {}", wrong, expected, found));
}

/// Calls `f` with a value of the C++ type that is in the file.
template <class F>
decltype(auto) with_item(NpyType type, F f) {
  switch (type) {
    case NpyType::f4:
      return f(float());
    case NpyType::f8:
      return f(double());
    case NpyType::c8:
      return f(std::complex<float>());
    case NpyType::c16:
      break;
  }
  return f(Complex());
}

template <class Load>
std::vector<Complex> in_order(std::size_t count, Load load) {
  std::vector<Complex> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = load(i);
  return values;
}

/// One plane of reverse_axes(), tile by tile: to[column * stride + row] = load(row, column).
template <class Load>
void transpose_plane(std::size_t rows, std::size_t columns, Complex* to, std::size_t to_stride,
                     Load load) {
  for (std::size_t row = 0; row < rows; row += kTile) {
    const std::size_t row_end = std::min(row + kTile, rows);
    for (std::size_t column = 0; column < columns; column += kTile) {
      const std::size_t column_end = std::min(column + kTile, columns);
      for (std::size_t c = column; c < column_end; ++c) {
        for (std::size_t r = row; r < row_end; ++r) to[c * to_stride + r] = load(r, c);
      }
    }
  }
}

/// Reverses the order of the axes: load(i) is element i of an array of `shape` in C order; the
/// result has the reversed shape and is in C order, which is `shape` in Fortran order.
template <class Load>
std::vector<Complex> reverse_axes(std::span<const std::size_t> shape, Load load) {
  const std::size_t count = element_count(shape, 1);
  Shape extents;  // without those of 1, which would make the planes thin
  std::ranges::copy_if(shape, std::back_inserter(extents), [](auto extent) { return extent != 1; });
  if (count == 0 || extents.size() < 2) return in_order(count, load);

  const std::size_t rows = extents.front();
  const std::size_t columns = extents.back();
  const std::size_t row_stride = count / rows;
  const std::size_t column_stride = count / columns;
  const std::span<const std::size_t> middle(extents.begin() + 1, extents.end() - 1);
  std::vector<Complex> reversed(count);
  for (std::size_t plane = 0; plane < column_stride / rows; ++plane) {
    std::size_t rest = plane;
    std::size_t from = 0, from_stride = columns;
    std::size_t to = 0, to_stride = column_stride;
    for (auto extent = middle.rbegin(); extent != middle.rend(); ++extent) {
      to_stride /= *extent;
      from += rest % *extent * from_stride;
      to += rest % *extent * to_stride;
      rest /= *extent;
      from_stride *= *extent;
    }
    transpose_plane(rows, columns, reversed.data() + to, column_stride,
                    [&](std::size_t r, std::size_t c) { return load(from + r * row_stride + c); });
  }
  return reversed;
}

std::vector<Complex> decode(std::span<const std::byte> data, const Header& header,
                            const ItemFormat& format) {
  return with_item(format.type, [&](auto zero) {
    const auto load = [&data](std::size_t i) {
      decltype(zero) item;
      std::memcpy(&item, data.data() + i * sizeof item, sizeof item);
      return Complex(item);
    };
    if (!header.fortran_order) return in_order(data.size() / sizeof zero, load);
    const Shape in_file(header.shape.rbegin(), header.shape.rend());
    return reverse_axes(in_file, load);
  });
}

NpyArray parse(std::span<const std::byte> bytes) {
  Header header = HeaderParser(take_header(bytes)).parse();
  const ItemFormat& format = format_of(header.dtype);
  check_data_size(element_count(header.shape, format.size) * format.size, bytes.size());
  std::vector<Complex> values = decode(bytes, header, format);
  return {std::move(header.shape), std::move(values), std::move(header.dtype)};
}

[[noreturn]] void throw_errno() {
  throw BadInput(fmt::format("cannot be read: {}", std::generic_category().message(errno)));
}

bool begins_with_magic(const std::vector<std::byte>& bytes) {
  return bytes.size() >= kMagic.size() &&
         std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
}

/// The whole file; what is no .npy file, perhaps endless, only as far as it takes to see that.
std::vector<std::byte> read_bytes(const std::filesystem::path& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"),
                                                             &std::fclose);
  if (!file) throw_errno();
  std::error_code no_size;  // a pipe: the buffer grows as the bytes come
  const std::uintmax_t size = std::filesystem::file_size(path, no_size);
  const std::size_t known = no_size ? 0 : static_cast<std::size_t>(size);

  std::vector<std::byte> bytes;
  std::size_t used = 0;
  for (std::size_t step = kFirstRead; used == bytes.size();
       step = known > used ? known - used + 1 : used) {
    bytes.resize(used + step);
    used += std::fread(bytes.data() + used, 1, step, file.get());
    if (!begins_with_magic(bytes)) break;
  }
  if (std::ferror(file.get()) != 0) throw_errno();
  bytes.resize(used);
  return bytes;
}

/// As Python writes a tuple.
std::string tuple_text(std::span<const std::size_t> shape) {
  std::string text = "(";
  for (const std::size_t extent : shape) {
    if (text.size() > 1) text += ' ';
    text += std::to_string(extent) + ',';
  }
  if (shape.size() > 1) text.pop_back();
  return text + ')';
}

/// The header up to the data.
std::string header_text(std::span<const std::size_t> shape, NpyType type, bool fortran_order) {
  const auto format = std::ranges::find(kFormats, type, &ItemFormat::type);
  std::string dict = fmt::format("{{'descr': '<{}', 'fortran_order': {}, 'shape': {}, }}",
                                 format->code, fortran_order ? "True" : "False", tuple_text(shape));
  const std::size_t begin = kVersionEnd + 2;
  const std::size_t end = (begin + dict.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
  dict.resize(end - begin - 1, ' ');
  dict += '\n';
  std::string text(kMagic);
  text += {'\1', '\0', static_cast<char>(dict.size() & 0xff), static_cast<char>(dict.size() >> 8)};
  return text + dict;
}

template <class Item>
Item narrowed(const Complex& value) {
  if constexpr (std::is_floating_point_v<Item>) {
    return static_cast<Item>(value.real());
  } else {
    using Part = typename Item::value_type;
    return {static_cast<Part>(value.real()), static_cast<Part>(value.imag())};
  }
}

template <class Item>
void write_items(std::ostream& out, std::span<const Complex> values) {
  std::vector<Item> block(std::min(kBlock, values.size()));
  while (!values.empty() && out) {
    const std::span<const Complex> now = values.first(std::min(kBlock, values.size()));
    std::ranges::transform(now, block.begin(), narrowed<Item>);
    out.write(reinterpret_cast<const char*>(block.data()),
              static_cast<std::streamsize>(now.size() * sizeof(Item)));
    values = values.subspan(now.size());
  }
}

}  // namespace

NpyArray parse_npy(std::span<const std::byte> bytes, std::string_view name) {
  try {
    return parse(bytes);
  } catch (const BadInput& reason) {
    throw refusal(name, reason.what());
  }
}

NpyArray read_npy(const std::filesystem::path& path) {
  try {
    return parse(read_bytes(path));
  } catch (const BadInput& reason) {
    throw refusal(path.native(), reason.what());
  } catch (const std::bad_alloc&) {
    throw refusal(path.native(), "too large for the memory there is");
  }
}

void write_npy(std::ostream& out, std::span<const std::size_t> shape,
               std::span<const std::complex<double>> values, NpyType type, bool fortran_order) {
  CHECK_LE(shape.size(), kMaxNpyDimensions);
  CHECK_EQ(element_count(shape, 1), values.size());
  const std::string header = header_text(shape, type, fortran_order);
  out.write(header.data(), static_cast<std::streamsize>(header.size()));
  std::vector<Complex> reversed;
  if (fortran_order) {
    reversed = reverse_axes(shape, [values](std::size_t i) { return values[i]; });
    values = reversed;
  }
  with_item(type, [&](auto zero) { write_items<decltype(zero)>(out, values); });
}

}  // namespace toroid
