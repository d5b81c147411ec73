#include "fft/walk.hpp"

namespace toroid {
namespace {

struct Level {
  std::int64_t length = 1;
  std::int64_t stride = 1;
};

/// The box's axes, slowest first, without those of length 1 and with those fused that one stride
/// leads through: the last `count` of three.
std::array<Level, 3> levels(const Box& box, const std::array<unsigned, 3>& order,
                            const NodeLayout& layout) {
  std::array<Level, 3> levels;
  std::size_t first = 3;
  for (unsigned i = 3; i-- > 0;) {
    const Level next{box.length(order[i]), layout.stride(order[i])};
    if (next.length == 1) continue;
    if (first < 3 && next.stride == levels[first].length * levels[first].stride)
      levels[first].length *= next.length;
    else
      levels[--first] = next;
  }
  return levels;
}

}  // namespace

Walk::Walk(const Box& box, const std::array<unsigned, 3>& order, const NodeLayout& layout)
    : begin_(layout.offset(box.lo)) {
  CHECK(box.volume() >= 1 && box.volume() <= std::int64_t{UINT32_MAX});
  const auto [planes, rows, row] = levels(box, order, layout);
  plane_stride_ = planes.stride;
  row_stride_ = rows.stride;
  stride_ = row.stride;
  rows_ = Divisor(static_cast<std::uint32_t>(rows.length));
  row_ = Divisor(static_cast<std::uint32_t>(row.length));
}

}  // namespace toroid
