// The lines of a work, several at a time: lines that are not contiguous are gathered, transformed
// and scattered together, so that neighbouring lines share cache lines.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "fft/kernels/kernel.hpp"
#include "fft/layout/strided_copy.hpp"
#include "hal/check.hpp"

namespace toroid::fft::local {

/// Memory that grows as needed. Its content is not kept.
class Room {
 public:
  /// Room for elements of a type that needs no more alignment than a complex number.
  template <typename Element>
  Element* of(std::int64_t elements) {
    const std::size_t bytes = static_cast<std::size_t>(elements) * sizeof(Element);
    const std::size_t units = (bytes + sizeof(Unit) - 1) / sizeof(Unit);
    if (memory_.size() < units) memory_.resize(units);
    return reinterpret_cast<Element*>(memory_.data());
  }

 private:
  using Unit = std::complex<double>;
  std::vector<Unit> memory_;
};

/// Room for gathered lines and for their results.
struct GatheredLines {
  Room in, out;
};

template <typename In, typename Out>
class LineBlocks {
 public:
  static constexpr std::int64_t kMostLines = 16;  ///< lines in a block

  /// Contiguous lines of input and output.
  struct Block {
    std::int64_t lines;  ///< 1 to kMostLines
    const In* in;
    std::int64_t in_step;  ///< elements from one line to the next
    Out* out;
    std::int64_t out_step;
  };

  /// Lines of `in_length` and `out_length` elements. REQUIRES: the work is simplified, with one
  /// transformed axis, and not empty.
  LineBlocks(const Work& work, std::int64_t in_length, std::int64_t out_length)
      : line_(work.axes[0]),
        in_length_(in_length),
        out_length_(out_length),
        in_place_(work.in_place) {
    for (std::size_t a = 1; a < work.axes.size(); ++a)
      if (work.axes[a].length > 1) batches_.push_back(work.axes[a]);
    if (batches_.empty()) return;
    row_ = batches_.back();
    batches_.pop_back();
  }

  /// Blocks have `kMostLines` lines, except that the last block of each row has the rest.
  std::int64_t lines_of_row() const { return row_.length; }

  /// Calls `transform` for every block. If input and output are one array, the blocks are not.
  template <typename Transform>
  void run(const In* in, Out* out, GatheredLines& room, const Transform& transform) const {
    TOROID_CHECK_EQ(static_cast<const void*>(in) == out, in_place_);
    run_rows(0, in, out, room, transform);
  }

 private:
  template <typename Transform>
  void run_rows(std::size_t batch, const In* in, Out* out, GatheredLines& room,
                const Transform& transform) const {
    if (batch == batches_.size()) {
      for (std::int64_t first = 0; first < row_.length; first += kMostLines)
        run_block(std::min(kMostLines, row_.length - first), in + first * row_.in_stride,
                  out + first * row_.out_stride, room, transform);
      return;
    }
    const Axis& axis = batches_[batch];
    for (std::int64_t i = 0; i < axis.length; ++i)
      run_rows(batch + 1, in + i * axis.in_stride, out + i * axis.out_stride, room, transform);
  }

  template <typename Transform>
  void run_block(std::int64_t lines, const In* in, Out* out, GatheredLines& room,
                 const Transform& transform) const {
    Block block{lines, in, row_.in_stride, out, row_.out_stride};
    if (line_.in_stride != 1) {
      In* const gathered = room.in.template of<In>(lines * in_length_);
      copy({lines, row_.in_stride, in_length_}, {in_length_, line_.in_stride, 1}, in, gathered);
      block.in = gathered;
      block.in_step = in_length_;
    }
    const bool scatters = line_.out_stride != 1 || in_place_;
    if (scatters) {
      block.out = room.out.template of<Out>(lines * out_length_);
      block.out_step = out_length_;
    }
    transform(block);
    if (scatters)
      copy({lines, out_length_, row_.out_stride}, {out_length_, 1, line_.out_stride}, block.out,
           out);
  }

  template <typename Element>
  static void copy(CopyLoop outer, CopyLoop inner, const Element* from, Element* to) {
    if (outer.to_stride < inner.to_stride) std::swap(outer, inner);
    NestedLoops loops;
    loops.push(outer);
    loops.push(inner);
    copy_strided(loops, {0, outer.count * inner.count}, sizeof(Element),
                 reinterpret_cast<const std::byte*>(from), reinterpret_cast<std::byte*>(to));
  }

  Axis line_;
  std::int64_t in_length_;
  std::int64_t out_length_;
  bool in_place_;
  std::vector<Axis> batches_;  ///< all batch axes but the fastest
  Axis row_;                   ///< the fastest batch axis
};

}  // namespace toroid::fft::local
