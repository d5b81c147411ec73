#include "fft/execute/line_arrivals.hpp"

#include <algorithm>
#include <cstddef>

#include "fft/layout/box.hpp"
#include "hal/check.hpp"

namespace toroid::fft {
namespace {

/// Number of elements with the given index along `axis` that the node holds in the target, but not
/// in the source.
std::uint64_t from_others(const NodeLayout& source, const NodeLayout& target, unsigned axis,
                          std::int64_t index) {
  Box wanted = target.boxes()[0];
  wanted.lo[axis] = index;
  wanted.hi[axis] = index + 1;
  const std::int64_t own = source.size() == 0 ? 0 : intersect(source.boxes()[0], wanted).volume();
  return static_cast<std::uint64_t>(wanted.volume() - own);
}

}  // namespace

LineArrivals::LineArrivals(const NodeLayout& source, const NodeLayout& target, unsigned axis)
    : stride_(target.stride(axis)) {
  if (target.size() == 0) return;
  const Box& box = target.boxes()[0];
  for (const unsigned slower : target.order()) {
    if (slower == axis) break;
    if (box.length(slower) > 1) slower_strides_.push_back(target.stride(slower));
  }
  for (std::int64_t index = box.lo[axis]; index < box.hi[axis]; ++index)
    from_others_.push_back(from_others(source, target, axis, index));
  arrived_.resize(from_others_.size());
}

/// Subtracts what slower axes contribute to a place.
std::int64_t LineArrivals::in_stride_of_axis(std::int64_t place) const {
  for (const std::int64_t stride : slower_strides_) place %= stride;
  return place;
}

void LineArrivals::note_run(std::int64_t place, std::int64_t elements) {
  while (elements > 0) {
    const std::int64_t within = in_stride_of_axis(place);
    const auto index = static_cast<std::size_t>(within / stride_);
    TOROID_CHECK_LT(index, arrived_.size());
    const std::int64_t length = std::min(elements, stride_ - within % stride_);
    arrived_[index] += static_cast<std::uint64_t>(length);
    place += length;
    elements -= length;
  }
}

void LineArrivals::note(const Transfer& transfer, Transfer::Elements elements) {
  transfer.for_each_target_row(
      elements, [this](std::int64_t place, std::int64_t stride, std::uint32_t count) {
        if (stride == 1) return note_run(place, count);
        for (; count > 0; --count, place += stride) note_run(place, 1);
      });
}

}  // namespace toroid::fft
