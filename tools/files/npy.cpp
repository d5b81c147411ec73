#include "tools/files/npy.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <ios>
#include <limits>
#include <ostream>
#include <type_traits>
#include <utility>

#include "hal/check.hpp"
#include "tools/files/npy_elements.hpp"
#include "tools/files/npy_header.hpp"
#include "tools/files/read_file.hpp"

namespace toroid {

NpyArray decoded(const StoredArray& array) {
  return {array.shape,
          npy::decode(array.data, array.shape, array.fortran_order, npy::format_of(array.dtype)),
          array.dtype};
}

bool is_npy(std::span<const std::byte> bytes) {
  return bytes.size() >= npy::kMagic.size() &&
         std::memcmp(bytes.data(), npy::kMagic.data(), npy::kMagic.size()) == 0;
}

NpyArray parse_npy(std::span<const std::byte> bytes, std::string_view name) {
  return naming(name, [bytes] { return decoded(npy::stored(bytes)); });
}

NpyArray read_npy(const std::filesystem::path& path) {
  return naming(path.native(), [&path] {
    const std::vector<std::byte> bytes = read_bytes(path, is_npy);
    return decoded(npy::stored(bytes));
  });
}

namespace {

using npy::Complex;

constexpr std::size_t kBlock = 65536;  // elements converted at a time

static_assert(std::endian::native == std::endian::little, "elements are written as they are");

/// Calls `f` with a value of the C++ type that corresponds to `type`.
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

void write_npy(std::ostream& out, std::span<const std::size_t> shape,
               std::span<const std::complex<double>> values, NpyType type, bool fortran_order) {
  TOROID_CHECK_LE(shape.size(), kMaxNpyDimensions);
  TOROID_CHECK_EQ(npy::element_count(shape, 1), values.size());
  const std::string header = npy::header_text(shape, type, fortran_order);
  out.write(header.data(), static_cast<std::streamsize>(header.size()));
  std::vector<Complex> reversed;
  if (fortran_order) {
    reversed = npy::reverse_axes(shape, [values](std::size_t i) { return values[i]; });
    values = reversed;
  }
  with_item(type, [&](auto zero) { write_items<decltype(zero)>(out, values); });
}

namespace {

using npy::ElementFormat;

bool is_integer(const ElementFormat& format) {
  return format.code.starts_with('i') || format.code.starts_with('u');
}

std::int64_t integer_at(const std::byte* place, const ElementFormat& format) {
  std::array<std::byte, 8> bytes{};
  const std::size_t size = format.number_size;
  std::memcpy(bytes.data(), place, size);
  if (format.is_swapped) std::reverse(bytes.begin(), bytes.begin() + static_cast<int>(size));
  const bool is_signed = format.code.front() == 'i';
  const bool is_negative = (std::to_integer<unsigned>(bytes[size - 1]) & 0x80U) != 0;
  if (is_signed && is_negative)
    std::fill(bytes.begin() + static_cast<int>(size), bytes.end(), std::byte{0xff});
  std::int64_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  if (!is_signed && value < 0) return std::numeric_limits<std::int64_t>::max();
  return value;
}

/// The position in the file of element `i` in C order.
std::size_t place_of(std::size_t i, std::span<const std::size_t> shape, bool fortran_order) {
  if (!fortran_order) return i;
  std::size_t place = 0;
  std::size_t stride = 1;
  std::size_t rest = i;
  std::vector<std::size_t> at(shape.size());
  for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d]) at[d] = rest % shape[d];
  for (std::size_t d = 0; d < shape.size(); stride *= shape[d++]) place += at[d] * stride;
  return place;
}

NpyIntegers parse_integers(std::span<const std::byte> bytes) {
  npy::Header header = npy::take_header(bytes);
  const ElementFormat format = npy::format_of(header.dtype);
  if (!is_integer(format))
    throw BadInput(fmt::format("elements of type '{}'; expected integers, e.g. '<i4' or '<i8'",
                               shortened(header.dtype)));
  npy::check_data_size(header.shape, format.size(), bytes.size());
  NpyIntegers table{std::move(header.shape), {}};
  table.values.resize(bytes.size() / format.size());
  for (std::size_t i = 0; i < table.values.size(); ++i) {
    const std::size_t place = place_of(i, table.shape, header.fortran_order);
    table.values[i] = integer_at(bytes.data() + place * format.size(), format);
  }
  return table;
}

template <typename T>
void write_integers(std::ostream& out, std::span<const std::size_t> shape, std::string_view dtype,
                    std::span<const T> values) {
  TOROID_CHECK_EQ(npy::element_count(shape, 1), values.size());
  const std::string header = npy::header_text(shape, dtype, false);
  out.write(header.data(), static_cast<std::streamsize>(header.size()));
  out.write(reinterpret_cast<const char*>(values.data()),
            static_cast<std::streamsize>(values.size_bytes()));
}

}  // namespace

void write_npy(std::ostream& out, const StoredArray& array) {
  TOROID_CHECK_EQ(array.data.size(),
                  npy::element_count(array.shape, 1) * npy::format_of(array.dtype).size());
  const std::string header = npy::header_text(array.shape, array.dtype, array.fortran_order);
  out.write(header.data(), static_cast<std::streamsize>(header.size()));
  out.write(reinterpret_cast<const char*>(array.data.data()),
            static_cast<std::streamsize>(array.data.size()));
}

NpyIntegers read_npy_integers(const std::filesystem::path& path) {
  return naming(path.native(), [&path] { return parse_integers(read_bytes(path, is_npy)); });
}

void write_npy(std::ostream& out, std::span<const std::size_t> shape,
               std::span<const std::int32_t> values) {
  write_integers(out, shape, "<i4", values);
}

void write_npy(std::ostream& out, std::span<const std::size_t> shape,
               std::span<const std::int64_t> values) {
  write_integers(out, shape, "<i8", values);
}

}  // namespace toroid
