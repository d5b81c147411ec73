#include "fft/layout/strided_iterator.hpp"

#include <array>

#include "hal/check.hpp"

namespace toroid::fft {
namespace {

struct Level {
  std::int64_t length = 1;
  std::int64_t stride = 1;
};

/// The levels of a box, slowest first: the last `count` entries of `all`. The other entries have
/// length 1.
struct Levels {
  Levels(const Box& box, const AxisOrder& order, const NodeLayout& layout) {
    for (unsigned i = kAxes; i-- > 0;) {
      const Level next{box.length(order[i]), layout.stride(order[i])};
      if (next.length == 1) continue;
      if (count > 0 && next.stride == front().length * front().stride)
        front().length *= next.length;
      else
        all[kAxes - ++count] = next;
    }
  }
  Level& front() { return all[kAxes - count]; }

  std::array<Level, kAxes> all;
  std::size_t count = 0;
};

}  // namespace

std::size_t StridedIterator::levels(const Box& box, const AxisOrder& order,
                                    const NodeLayout& layout) {
  return Levels(box, order, layout).count;
}

StridedIterator::StridedIterator(const Box& box, const AxisOrder& order, const NodeLayout& layout)
    : begin_(layout.offset(box.lo)) {
  TOROID_CHECK(box.volume() >= 1 && box.volume() <= std::int64_t{UINT32_MAX});
  const Levels levels(box, order, layout);
  TOROID_CHECK_LE(levels.count, kMostLevels);
  const Level& planes = levels.all[kAxes - 3];
  const Level& rows = levels.all[kAxes - 2];
  const Level& row = levels.all[kAxes - 1];
  plane_stride_ = planes.stride;
  row_stride_ = rows.stride;
  stride_ = row.stride;
  rows_ = Divisor(static_cast<std::uint32_t>(rows.length));
  row_ = Divisor(static_cast<std::uint32_t>(row.length));
}

}  // namespace toroid::fft
