// Converts between C order and Fortran order.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <iterator>
#include <span>
#include <vector>

#include "tools/files/npy/header.hpp"

namespace toroid::npy {

using Complex = std::complex<double>;
inline constexpr std::size_t kTile = 8;  ///< elements; the rows of a tile stay in the nearest cache

template <class Load>
std::vector<Complex> in_order(std::size_t count, Load load) {
  std::vector<Complex> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = load(i);
  return values;
}

/// Transposes one plane of reverse_axes(), tile by tile: to[column * stride + row] = load(row,
/// column).
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
  std::vector<std::size_t> extents;  // without those of 1, which would make the planes thin
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

}  // namespace toroid::npy
