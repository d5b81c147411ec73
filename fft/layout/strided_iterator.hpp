// Where the elements of a box stand in one node's local array, in an order of the box's own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "fft/layout/box.hpp"
#include "fft/layout/divisor.hpp"
#include "fft/layout/node_layout.hpp"

namespace toroid {

/// The elements of a box, numbered with `order` from the slowest axis to the fastest. Rows that
/// follow each other in memory are one row.
class StridedIterator {
 public:
  /// Axes that one stride leads through count as one; a box that has more is cut first.
  static constexpr std::size_t kMostLevels = 3;

  StridedIterator() = default;
  /// REQUIRES: the layout holds the box, which is not empty, has less than 2^32 elements and at
  /// most kMostLevels levels.
  StridedIterator(const Box& box, const AxisOrder& order, const NodeLayout& layout);

  /// Axes of a box in some memory, those fused that one stride leads through.
  static std::size_t levels(const Box& box, const AxisOrder& order, const NodeLayout& layout);

  /// Elements of a row, and how far they stand from each other.
  std::uint32_t row() const { return row_.value(); }
  std::int64_t stride() const { return stride_; }
  /// How far the next row stands from one.
  std::int64_t row_stride() const { return row_stride_; }

  /// Place of an element in the local array.
  std::int64_t offset(std::uint32_t number) const {
    const Place at = place(number);
    return row_begin(at) + at.column * stride_;
  }

  /// The elements [first, first + count) row by row: visit(offset of the first one, length).
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
  Divisor rows_;  ///< of a plane
  Divisor row_;   ///< elements of it
};

}  // namespace toroid
