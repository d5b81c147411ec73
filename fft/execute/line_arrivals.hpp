// What has come of an exchange, counted line by line: the next stage need not wait for all of it.
#pragma once

#include <cstdint>
#include <vector>

#include "fft/layout/node_layout.hpp"
#include "fft/layout/transfer.hpp"

namespace toroid::fft {

/// A counter for each index of one axis of a node's array: of the elements that have come from
/// others to the lines (or the plane) of that index.
///
/// **Counting:** counters go on from call to call. An index is complete when its counter has come
/// to the number of calls times what one call brings. **Safety:** nobody sends for the next call
/// before this node has come to its barrier, with everything of this call.
///
/// PipelinedExchange owns it; the node's own thread calls it.
class LineArrivals {
 public:
  /// `source`: what this node holds before the exchange, all of which it brings itself; `target`:
  /// what it holds afterwards. REQUIRES: each at most one box.
  LineArrivals(const NodeLayout& source, const NodeLayout& target, unsigned axis);

  void begin_call() { ++calls_; }
  /// Elements that have been stored, at their places in the target array: with or without the
  /// shift between pieces, which is a multiple of the stride of another axis.
  void note(const Transfer& transfer, Transfer::Elements elements);
  void note_run(std::int64_t place, std::int64_t elements);

  std::uint32_t indices() const { return static_cast<std::uint32_t>(arrived_.size()); }
  bool complete(std::uint32_t index) const {
    return arrived_[index] == calls_ * from_others_[index];
  }

 private:
  std::int64_t in_stride_of_axis(std::int64_t place) const;

  std::vector<std::int64_t> slower_strides_;  ///< of axes slower than the counters'
  std::int64_t stride_ = 1;                   ///< of the counters' axis
  std::uint64_t calls_ = 0;
  std::vector<std::uint64_t> from_others_;  ///< elements per call, by index
  std::vector<std::uint64_t> arrived_;      ///< elements, by index
};

}  // namespace toroid::fft
