#include "tools/files/npy_elements.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace toroid::npy {
namespace {

constexpr std::array<ElementFormat, 16> kElementFormats = {{{"b1", Number::boolean, 1, 1},
                                                            {"i1", Number::int8, 1, 1},
                                                            {"i2", Number::int16, 2, 1},
                                                            {"i4", Number::int32, 4, 1},
                                                            {"i8", Number::int64, 8, 1},
                                                            {"u1", Number::uint8, 1, 1},
                                                            {"u2", Number::uint16, 2, 1},
                                                            {"u4", Number::uint32, 4, 1},
                                                            {"u8", Number::uint64, 8, 1},
                                                            {"f2", Number::float16, 2, 1},
                                                            {"f4", Number::float32, 4, 1},
                                                            {"f8", Number::float64, 8, 1},
                                                            {"f16", Number::extended, 16, 1},
                                                            {"c8", Number::float32, 4, 2},
                                                            {"c16", Number::float64, 8, 2},
                                                            {"c32", Number::extended, 16, 2}}};

/// Whether this machine's `long double` is x87's; other types of 16 bytes have another format.
constexpr bool kHasExtended =
    sizeof(long double) == 16 && std::numeric_limits<long double>::digits == 64;

// Number types of files that C++ lacks. Each has its own as_double().
struct Half {
  std::uint16_t bits;
};
struct Truth {
  std::uint8_t byte;
};

double as_double(Half half) {
  constexpr int kInfinite = 31;  // the exponent of infinities and NaNs
  const int exponent = half.bits >> 10 & kInfinite;
  const int fraction = half.bits & 0x3ff;
  double magnitude = std::ldexp(fraction + (exponent > 0 ? 1024 : 0), std::max(exponent, 1) - 25);
  if (exponent == kInfinite)
    magnitude = fraction == 0 ? std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::quiet_NaN();
  return std::copysign(magnitude, half.bits >> 15 == 0 ? 1.0 : -1.0);
}

double as_double(Truth truth) {
  return truth.byte == 0 ? 0 : 1;
}

template <class T>
double as_double(T number) {
  return static_cast<double>(number);
}

template <class T>
double number_at(const std::byte* place, bool is_swapped) {
  std::array<std::byte, sizeof(T)> bytes;
  std::memcpy(bytes.data(), place, sizeof(T));
  if (is_swapped) std::ranges::reverse(bytes);
  T number;
  std::memcpy(&number, bytes.data(), sizeof(T));
  return as_double(number);
}

template <class T>
std::vector<Complex> decode_as(std::span<const std::byte> data, std::span<const std::size_t> shape,
                               bool fortran_order, const ElementFormat& format) {
  const auto load = [&](std::size_t i) {
    const std::byte* const place = data.data() + i * format.size();
    const double real = number_at<T>(place, format.is_swapped);
    if (format.numbers == 1) return Complex(real);
    return Complex(real, number_at<T>(place + sizeof(T), format.is_swapped));
  };
  if (!fortran_order) return in_order(data.size() / format.size(), load);
  const std::vector<std::size_t> in_file(shape.rbegin(), shape.rend());
  return reverse_axes(in_file, load);
}

/// Calls `f` with a value of the C++ type in which `number` is read.
template <class F>
decltype(auto) with_number(Number number, const F& f) {
  switch (number) {
    case Number::boolean:
      return f(Truth());
    case Number::int8:
      return f(std::int8_t());
    case Number::int16:
      return f(std::int16_t());
    case Number::int32:
      return f(std::int32_t());
    case Number::int64:
      return f(std::int64_t());
    case Number::uint8:
      return f(std::uint8_t());
    case Number::uint16:
      return f(std::uint16_t());
    case Number::uint32:
      return f(std::uint32_t());
    case Number::uint64:
      return f(std::uint64_t());
    case Number::float16:
      return f(Half());
    case Number::float32:
      return f(float());
    case Number::extended:
      if constexpr (kHasExtended) return f(0.0L);
      [[fallthrough]];
    case Number::float64:
      break;
  }
  return f(double());
}

/// '=' means this machine's byte order; '|' means none and is for single bytes only.
bool has_byte_order(char order, std::size_t number_size) {
  return order == '<' || order == '>' || order == '=' || (order == '|' && number_size == 1);
}

struct Spelling {
  std::string_view text;
  std::string_view code;
};
/// NumPy's codes of one character, on machines whose `long` has 64 bits.
constexpr std::array<Spelling, 20> kCharacters = {
    {{"?", "b1"}, {"G", "c32"}, {"b", "i1"}, {"B", "u1"},  {"h", "i2"}, {"H", "u2"}, {"i", "i4"},
     {"I", "u4"}, {"l", "i8"},  {"L", "u8"}, {"q", "i8"},  {"Q", "u8"}, {"p", "i8"}, {"P", "u8"},
     {"e", "f2"}, {"f", "f4"},  {"d", "f8"}, {"g", "f16"}, {"F", "c8"}, {"D", "c16"}}};
/// NumPy's and Python's names, which have no byte order.
constexpr std::array<Spelling, 51> kNames = {
    {{"bool8", "b1"},         {"int0", "i8"},         {"uint0", "u8"},       {"cfloat", "c16"},
     {"singlecomplex", "c8"}, {"longcomplex", "c32"}, {"clongfloat", "c32"}, {"bool", "b1"},
     {"bool_", "b1"},         {"int8", "i1"},         {"int16", "i2"},       {"int32", "i4"},
     {"int64", "i8"},         {"uint8", "u1"},        {"uint16", "u2"},      {"uint32", "u4"},
     {"uint64", "u8"},        {"float16", "f2"},      {"float32", "f4"},     {"float64", "f8"},
     {"float128", "f16"},     {"complex64", "c8"},    {"complex128", "c16"}, {"complex256", "c32"},
     {"byte", "i1"},          {"ubyte", "u1"},        {"short", "i2"},       {"ushort", "u2"},
     {"intc", "i4"},          {"uintc", "u4"},        {"int", "i8"},         {"int_", "i8"},
     {"uint", "u8"},          {"long", "i8"},         {"ulong", "u8"},       {"longlong", "i8"},
     {"ulonglong", "u8"},     {"intp", "i8"},         {"uintp", "u8"},       {"half", "f2"},
     {"single", "f4"},        {"float", "f8"},        {"double", "f8"},      {"longdouble", "f16"},
     {"csingle", "c8"},       {"complex", "c16"},     {"cdouble", "c16"},    {"clongdouble", "c32"},
     {"complex_", "c16"},     {"float_", "f8"},       {"longfloat", "f16"}}};

template <std::size_t kCount>
std::string_view code_of(std::string_view text, const std::array<Spelling, kCount>& spellings) {
  const auto* const found = std::ranges::find(spellings, text, &Spelling::text);
  return found == spellings.end() ? std::string_view() : found->code;
}

const ElementFormat* find_format(std::string_view code) {
  const auto* const found = std::ranges::find(kElementFormats, code, &ElementFormat::code);
  return found == kElementFormats.end() ? nullptr : found;
}

}  // namespace

std::string canonical_dtype(std::string_view spelling) {
  constexpr std::string_view kOrders = "<>=|";
  const bool has_order = !spelling.empty() && kOrders.find(spelling[0]) != kOrders.npos;
  const std::string_view rest = spelling.substr(has_order ? 1 : 0);
  std::string_view code = has_order ? std::string_view() : code_of(rest, kNames);
  if (code.empty()) code = code_of(rest, kCharacters);
  if (code.empty()) code = rest;
  const ElementFormat* const format = find_format(code);
  if (format == nullptr) throw unsupported_dtype(spelling);
  if (format->number_size == 1) return '|' + std::string(code);
  return (spelling[0] == '>' ? '>' : '<') + std::string(code);
}

ElementFormat format_of(std::string_view dtype) {
  constexpr char kForeign = std::endian::native == std::endian::little ? '>' : '<';
  if (dtype.empty()) throw unsupported_dtype(dtype);
  const ElementFormat* const found = find_format(dtype.substr(1));
  if (found == nullptr || !has_byte_order(dtype.front(), found->number_size))
    throw unsupported_dtype(dtype);
  ElementFormat format = *found;
  format.is_swapped = dtype.front() == kForeign && format.number_size > 1;
  if (format.number == Number::extended && (!kHasExtended || format.is_swapped))
    throw unsupported_dtype(dtype);
  return format;
}

std::vector<std::complex<double>> decode(std::span<const std::byte> data,
                                         std::span<const std::size_t> shape, bool fortran_order,
                                         const ElementFormat& format) {
  return with_number(format.number, [&](auto zero) {
    return decode_as<decltype(zero)>(data, shape, fortran_order, format);
  });
}

namespace {

/// Whether a number of this type at any place is not a double.
template <class T>
bool has_other_than_doubles(std::span<const std::byte> data, bool is_swapped) {
  for (std::size_t at = 0; at < data.size(); at += sizeof(T)) {
    std::array<std::byte, sizeof(T)> bytes;
    std::memcpy(bytes.data(), data.data() + at, sizeof(T));
    if (is_swapped) std::ranges::reverse(bytes);
    T number;
    std::memcpy(&number, bytes.data(), sizeof(T));
    const long double exact = number;
    if (!std::isnan(exact) && static_cast<double>(exact) != exact) return true;
  }
  return false;
}

}  // namespace

bool is_rounded(std::span<const std::byte> data, const ElementFormat& format) {
  if (format.number == Number::int64)
    return has_other_than_doubles<std::int64_t>(data, format.is_swapped);
  if (format.number == Number::uint64)
    return has_other_than_doubles<std::uint64_t>(data, format.is_swapped);
  if constexpr (kHasExtended)
    if (format.number == Number::extended)
      return has_other_than_doubles<long double>(data, format.is_swapped);
  return false;
}

}  // namespace toroid::npy
