#include "fft/kernels/work.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

#include "fft/kernels/kernel.hpp"
#include "hal/check.hpp"

namespace toroid::fft::local {
namespace {

/// The axis that is shorter on the complex side, or kMaxLocalAxes if there is none.
std::size_t halved_axis(const Work& work) {
  if (!is_real(work.kind)) return kMaxLocalAxes;
  for (std::size_t a = kMaxLocalAxes; a-- > 0;)
    if (work.axes[a].transformed) return a;
  return kMaxLocalAxes;
}

bool is_complex(const Work& work, Side side) {
  if (!is_real(work.kind)) return true;
  return transforms(work) && (work.kind == Kind::half_to_real) == (side == Side::in);
}

/// Joins axes of which, on both sides, one continues where the other ends.
std::vector<Axis> joined(std::vector<Axis> axes) {
  std::ranges::sort(axes, std::ranges::greater{}, [](const Axis& axis) {
    return std::tuple(axis.in_stride, axis.out_stride, axis.length);
  });
  std::vector<Axis> all;
  for (Axis axis : axes) {
    if (!all.empty() && all.back().in_stride == axis.in_stride * axis.length &&
        all.back().out_stride == axis.out_stride * axis.length) {
      axis.length *= all.back().length;
      all.pop_back();
    }
    all.push_back(axis);
  }
  return all;
}

}  // namespace

void check(const Work& work) {
  TOROID_CHECK(!work.in_place || !is_real(work.kind));
  for (const Axis& axis : work.axes) {
    TOROID_CHECK_LE(0, axis.length);
    TOROID_CHECK_LE(0, std::min(axis.in_stride, axis.out_stride));
    if (work.in_place && axis.length > 1) TOROID_CHECK_EQ(axis.in_stride, axis.out_stride);
  }
}

bool is_real(Kind kind) {
  return kind == Kind::real_to_half || kind == Kind::half_to_real;
}

bool holds_nothing(const Work& work) {
  return std::ranges::find(work.axes, 0, &Axis::length) != work.axes.end();
}

bool transforms(const Work& work) {
  return std::ranges::any_of(work.axes, &Axis::transformed);
}

std::size_t element_bytes(const Work& work, Side side) {
  const std::size_t real = work.precision == Precision::single ? sizeof(float) : sizeof(double);
  return is_complex(work, side) ? 2 * real : real;
}

std::size_t reach_bytes(const Work& work, Side side) {
  const std::size_t halved = is_complex(work, side) ? halved_axis(work) : kMaxLocalAxes;
  std::int64_t last = 0;
  for (std::size_t a = 0; a < kMaxLocalAxes; ++a) {
    const Axis& axis = work.axes[a];
    const std::int64_t length = a == halved ? axis.length / 2 + 1 : axis.length;
    last += (length - 1) * (side == Side::in ? axis.in_stride : axis.out_stride);
  }
  return static_cast<std::size_t>(last + 1) * element_bytes(work, side);
}

Work simplified(const Work& work) {
  std::vector<Axis> lines, batches;
  const std::size_t halved = halved_axis(work);
  for (std::size_t a = 0; a < kMaxLocalAxes; ++a)
    if (work.axes[a].length != 1 || a == halved)
      (work.axes[a].transformed ? lines : batches).push_back(work.axes[a]);
  Work same = work;
  same.axes = {};
  const auto end = std::ranges::copy(lines, same.axes.begin()).out;
  std::ranges::copy(joined(std::move(batches)), end);
  return same;
}

/// Measuring repeats one transform, so that an array of some MB stays in the last cache, where it
/// is not when it is used: the plan that wins passes over memory too often. So lines that stand
/// side by side, one element of each after the other, are measured and run in tiles that fit the
/// nearer caches. Arrays larger than the last cache are measured as they are used.
Tiling tiling(const Work& work) {
  constexpr std::size_t kRow = 512;  // bytes of a tile that are contiguous
  constexpr std::int64_t kLeast = 2 << 20;
  constexpr std::int64_t kMost = 32 << 20;
  const Axis& line = work.axes[0];
  const Axis& row = work.axes[1];
  const bool side_by_side = work.in_place && line.transformed && !row.transformed &&
                            work.axes[2] == Axis{} && row.in_stride == 1 &&
                            line.in_stride >= row.length;
  const auto element = static_cast<std::int64_t>(element_bytes(work, Side::in));
  const std::int64_t columns = static_cast<std::int64_t>(kRow) / element;
  const std::int64_t bytes = line.length * row.length * element;
  if (!side_by_side || row.length % columns != 0 || bytes < kLeast || bytes > kMost) return {work};
  Tiling tiling{work, row.length / columns, kRow};
  tiling.tile.axes[1].length = columns;
  return tiling;
}

}  // namespace toroid::fft::local
