// Copies elements of a box between two local arrays, whose axes may be in different orders.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "hal/check.hpp"

namespace toroid::fft {

/// One of several nested loops over the elements of a box.
struct CopyLoop {
  std::int64_t count = 1;
  std::int64_t from_stride = 0;  ///< elements from one step to the next in the source
  std::int64_t to_stride = 0;    ///< the same in the target
};

/// Loops from the slowest to the fastest. Elements are numbered in loop order.
class NestedLoops {
 public:
  static constexpr std::size_t kMost = 8;
  void push(const CopyLoop& loop) {
    TOROID_CHECK_LT(size_, loops_.size());
    loops_[size_++] = loop;
  }
  std::span<const CopyLoop> loops() const { return {loops_.data(), size_}; }

 private:
  std::array<CopyLoop, kMost> loops_;
  std::size_t size_ = 0;
};

/// The elements [first, first + count).
struct CopyRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// Copies a range of the elements. If source and target are contiguous along different loops, these
/// two loops are copied in square blocks, so that both sides use whole cache lines. `bytes`: size
/// of an element, 4, 8 or 16. `from` and `to` are the places of element 0. REQUIRES: the range is
/// not empty.
void copy_strided(const NestedLoops& loops, CopyRange range, std::uint32_t bytes,
                  const std::byte* from, std::byte* to);

}  // namespace toroid::fft
