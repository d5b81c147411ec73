// The elements of .npy files: their types (dtypes), and how bytes and order are converted.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tools/files/npy_header.hpp"

namespace toroid::npy {

/// The type of one number in a file.
enum class Number : std::uint8_t {
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,   ///< IEEE 754 binary16
  float32,   ///< IEEE 754 binary32
  float64,   ///< IEEE 754 binary64
  extended,  ///< x87's 80 bits in 16 bytes, `long double` on machines with x87
};

/// The format of one element: a real number, or the two parts of a complex number.
struct ElementFormat {
  std::string_view code;    ///< as in a dtype, without the byte order
  Number number;            ///< the type of each part
  std::size_t number_size;  ///< bytes
  std::size_t numbers;      ///< 1 or 2
  bool is_swapped = false;  ///< the file's byte order is not this machine's

  std::size_t size() const { return number_size * numbers; }  ///< bytes
};

/// Returns the dtype that NumPy's `dtype.str` has for a spelling that numpy.dtype() takes: "f8",
/// "|f8", "float64" and "<d" are "<f8". Throws BadInput, which lists the supported dtypes.
std::string canonical_dtype(std::string_view spelling);

/// Returns the format of a dtype such as "<f4" or "|b1". Throws BadInput, which lists the supported
/// dtypes.
ElementFormat format_of(std::string_view dtype);

/// Converts the elements of `data`, an array of `shape` in C or Fortran order; the result is in C
/// order. Integers of more than 53 bits and extended floats are rounded to the nearest double.
/// REQUIRES: data.size() is a multiple of format.size().
std::vector<std::complex<double>> decode(std::span<const std::byte> data,
                                         std::span<const std::size_t> shape, bool fortran_order,
                                         const ElementFormat& format);

/// Whether decode() rounds a number of `data`.
bool is_rounded(std::span<const std::byte> data, const ElementFormat& format);

using Complex = std::complex<double>;
/// Elements per side of a tile; the rows of a tile stay in the nearest cache.
inline constexpr std::size_t kTile = 8;

/// What load(i) returns.
template <class Load>
using Loaded = std::invoke_result_t<Load, std::size_t>;

template <class Load>
std::vector<Loaded<Load>> in_order(std::size_t count, Load load) {
  std::vector<Loaded<Load>> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = load(i);
  return values;
}

/// Transposes one plane of reverse_axes(), tile by tile: to[column * stride + row] = load(row,
/// column).
template <class Item, class Load>
void transpose_plane(std::size_t rows, std::size_t columns, Item* to, std::size_t to_stride,
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

/// Reverses the order of the axes. load(i) returns element i of an array of `shape` in C order. The
/// result is in C order and has the reversed shape, i.e. it is in Fortran order with `shape`.
template <class Load>
std::vector<Loaded<Load>> reverse_axes(std::span<const std::size_t> shape, Load load) {
  const std::size_t count = element_count(shape, 1);
  std::vector<std::size_t> extents;  // without extents of 1, which would make the planes thin
  std::ranges::copy_if(shape, std::back_inserter(extents), [](auto extent) { return extent != 1; });
  if (count == 0 || extents.size() < 2) return in_order(count, load);

  const std::size_t rows = extents.front();
  const std::size_t columns = extents.back();
  const std::size_t row_stride = count / rows;
  const std::size_t column_stride = count / columns;
  const std::span<const std::size_t> middle(extents.begin() + 1, extents.end() - 1);
  std::vector<Loaded<Load>> reversed(count);
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

}  // namespace toroid::npy
