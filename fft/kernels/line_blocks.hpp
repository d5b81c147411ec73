// The lines of a work, several at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fft/kernels/kernel.hpp"

namespace toroid::fft::local {

/// Lines that lie side by side form a row, and a block is some lines of a row. Neighbouring lines
/// share cache lines, so a block is transformed together.
class LineBlocks {
 public:
  static constexpr std::int64_t kMostLines = 16;  ///< lines in a block

  /// REQUIRES: the work is simplified, with one transformed axis, and not empty.
  explicit LineBlocks(const Work& work) : line_(work.axes[0]) {
    for (std::size_t a = 1; a < work.axes.size(); ++a)
      if (work.axes[a].length > 1) batches_.push_back(work.axes[a]);
    if (batches_.empty()) return;
    row_ = batches_.back();
    batches_.pop_back();
  }

  /// The points of a line, and the lines of a row.
  const Axis& line() const { return line_; }
  const Axis& row() const { return row_; }

  /// Calls transform(lines, in, out) for every block, with the addresses of its first line's first
  /// elements. Blocks have kMostLines lines, except that the last block of a row has the rest.
  template <typename In, typename Out, typename Transform>
  void for_each(const In* in, Out* out, const Transform& transform) const {
    for_each_row(0, in, out, transform);
  }

 private:
  template <typename In, typename Out, typename Transform>
  void for_each_row(std::size_t batch, const In* in, Out* out, const Transform& transform) const {
    if (batch == batches_.size()) {
      for (std::int64_t first = 0; first < row_.length; first += kMostLines)
        transform(std::min(kMostLines, row_.length - first), in + first * row_.in_stride,
                  out + first * row_.out_stride);
      return;
    }
    const Axis& axis = batches_[batch];
    for (std::int64_t i = 0; i < axis.length; ++i)
      for_each_row(batch + 1, in + i * axis.in_stride, out + i * axis.out_stride, transform);
  }

  Axis line_;
  std::vector<Axis> batches_;  ///< all batch axes but the fastest
  Axis row_;                   ///< the fastest batch axis
};

}  // namespace toroid::fft::local
