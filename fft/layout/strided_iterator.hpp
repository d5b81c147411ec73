// The places of a box's elements in a node's local array.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "fft/layout/box.hpp"
#include "fft/layout/node_layout.hpp"

namespace toroid::fft {

/// A 32-bit divisor that is known long before it is used; it divides without the divide
/// instruction. The quotient is exact for every 32-bit dividend: with m = floor((2^64 - 1) / d),
/// the quotient of n is floor((n + 1)·m / 2^64), because rounding m down lowers the quotient by
/// less than 2^-32.
class Divisor {
 public:
  Divisor() = default;
  explicit Divisor(std::uint32_t d) : value_(d), multiplier_(~std::uint64_t{0} / d) {}

  std::uint32_t value() const { return value_; }
  std::uint32_t quotient(std::uint32_t n) const {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint32_t>((Wide{n} + 1) * multiplier_ >> 64);
  }

 private:
  std::uint32_t value_ = 1;
  std::uint64_t multiplier_ = ~std::uint64_t{0};
};

/// The elements of a box in a chosen order of its axes, and their places in a local array.
///
/// Levels: consecutive axes that a single stride covers count as one level, and axes of length 1 do
/// not count. A box has at most three levels here: planes of rows of elements.
class StridedIterator {
 public:
  /// Transfer cuts boxes that have more levels.
  static constexpr std::size_t kMostLevels = 3;

  StridedIterator() = default;
  /// `order` lists the axes from the slowest to the fastest. REQUIRES: the layout holds the box,
  /// which has 1 to 2^32 - 1 elements and at most kMostLevels levels.
  StridedIterator(const Box& box, const AxisOrder& order, const NodeLayout& layout);

  /// An iterator over `elements` elements, in which the place of each element is its number.
  /// REQUIRES: 1 to 2^32 - 1 elements.
  static StridedIterator contiguous(std::uint32_t elements) {
    StridedIterator all;
    all.row_ = Divisor(elements);
    return all;
  }

  /// The number of levels that a box has in a local array.
  static std::size_t levels(const Box& box, const AxisOrder& order, const NodeLayout& layout);

  /// Number of elements in a plane.
  std::uint32_t plane() const { return row_.value() * rows_.value(); }
  /// Number of elements in a row, which is the fastest level.
  std::uint32_t row() const { return row_.value(); }
  /// Distance in places from one element of a row to the next.
  std::int64_t stride() const { return stride_; }
  /// Distance in places from one row of a plane to the next.
  std::int64_t row_stride() const { return row_stride_; }

  /// The place of an element in the local array; elements are numbered from 0 in `order`.
  std::int64_t offset(std::uint32_t number) const {
    const Place at = place(number);
    return row_begin(at) + at.column * stride_;
  }

  /// Visits the elements [first, first + count) row by row: calls visit(place of the first element,
  /// number of elements) for the part in each row.
  template <typename Visit>
  void for_each_run(std::uint32_t first, std::uint32_t count, Visit&& visit) const {
    Place at = place(first);
    for (;;) {
      const std::uint32_t length = std::min(count, row() - at.column);
      visit(row_begin(at) + at.column * stride_, length);
      if (count == length) return;
      count -= length;
      at.column = 0;
      if (++at.row == rows_.value()) {
        at.row = 0;
        ++at.plane;
      }
    }
  }

 private:
  struct Place {
    std::uint32_t plane, row, column;
  };
  Place place(std::uint32_t number) const {
    const std::uint32_t row = row_.quotient(number);
    const std::uint32_t plane = rows_.quotient(row);
    return {plane, row - plane * rows_.value(), number - row * row_.value()};
  }
  std::int64_t row_begin(const Place& at) const {
    return begin_ + at.plane * plane_stride_ + at.row * row_stride_;
  }

  std::int64_t begin_ = 0;
  std::int64_t plane_stride_ = 0;
  std::int64_t row_stride_ = 0;
  std::int64_t stride_ = 1;
  Divisor rows_;  ///< number of rows in a plane
  Divisor row_;   ///< number of elements in a row
};

}  // namespace toroid::fft
