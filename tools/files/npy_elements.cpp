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

}  // namespace

ElementFormat format_of(std::string_view dtype) {
  constexpr char kForeign = std::endian::native == std::endian::little ? '>' : '<';
  if (dtype.empty()) throw unsupported_dtype(dtype);
  const auto* const found =
      std::ranges::find(kElementFormats, dtype.substr(1), &ElementFormat::code);
  if (found == kElementFormats.end() || !has_byte_order(dtype.front(), found->number_size))
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

}  // namespace toroid::npy
