#include "tools/files/npy/integers.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <ios>
#include <limits>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "hal/check.hpp"
#include "tools/files/npy/element.hpp"
#include "tools/files/npy/file.hpp"
#include "tools/files/npy/header.hpp"
#include "tools/files/npy/npy.hpp"

namespace toroid {
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

/// The place in the file of element `i` in C order.
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
    throw BadInput(fmt::format("elements of type '{}'; expected integers, as '<i4' or '<i8'",
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
void write_integers(std::ostream& out, std::span<const std::size_t> shape, std::string_view code,
                    std::span<const T> values) {
  TOROID_CHECK_EQ(npy::element_count(shape, 1), values.size());
  const std::string header = npy::header_text(shape, code, false);
  out.write(header.data(), static_cast<std::streamsize>(header.size()));
  out.write(reinterpret_cast<const char*>(values.data()),
            static_cast<std::streamsize>(values.size_bytes()));
}

}  // namespace

NpyIntegers read_npy_integers(const std::filesystem::path& path) {
  return npy::naming(path.native(),
                     [&path] { return parse_integers(npy::read_bytes(path, is_npy)); });
}

void write_npy(std::ostream& out, std::span<const std::size_t> shape,
               std::span<const std::int32_t> values) {
  write_integers(out, shape, "i4", values);
}

void write_npy(std::ostream& out, std::span<const std::size_t> shape,
               std::span<const std::int64_t> values) {
  write_integers(out, shape, "i8", values);
}

}  // namespace toroid
