// Counts the arrived elements of an exchange line by line, so that the next stage can transform a
// line before the whole exchange is complete.
#pragma once

#include <cstdint>
#include <vector>

#include "fft/layout/node_layout.hpp"
#include "fft/layout/redistribution_message.hpp"

namespace toroid::fft {

/// For each index of one axis of a node's array, counts the elements that have arrived from other
/// nodes for the lines (or the plane) of that index.
///
/// **Counting:** counters are not reset between calls. An index is complete when its counter equals
/// the number of calls times the elements per call.
/// **Safety:** no node sends packets of the next call before this node has reached that call's
/// barrier. By then this node has received all packets of this call.
///
/// PipelinedExchange owns it; only the node's own thread calls it.
class LineArrivals {
 public:
  /// `source`: the elements that this node holds before the exchange. Other nodes do not send them.
  /// `target`: the elements that it holds afterwards. REQUIRES: each is at most one box.
  LineArrivals(const NodeLayout& source, const NodeLayout& target, unsigned axis);

  void begin_call() { ++calls_; }
  /// Counts elements that have been stored in the target array. For a later piece, the
  /// corresponding places of the first piece may be given: the shift between pieces is a multiple
  /// of another axis's stride, so it does not change the index.
  void note(const Transfer& transfer, Transfer::Elements elements);
  void note_run(std::int64_t place, std::int64_t elements);

  std::uint32_t indices() const { return static_cast<std::uint32_t>(arrived_.size()); }
  bool complete(std::uint32_t index) const {
    return arrived_[index] == calls_ * from_others_[index];
  }

 private:
  std::int64_t in_stride_of_axis(std::int64_t place) const;

  std::vector<std::int64_t> slower_strides_;  ///< strides of the axes slower than the counted one
  std::int64_t stride_ = 1;                   ///< stride of the counted axis
  std::uint64_t calls_ = 0;
  std::vector<std::uint64_t> from_others_;  ///< for each index, number of elements per call
  std::vector<std::uint64_t> arrived_;      ///< for each index, number of elements so far
};

}  // namespace toroid::fft
