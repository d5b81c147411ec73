#include "fft/kernels/work_slices.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "fft/kernels/kernel_work.hpp"

namespace toroid::fft {
namespace {

using local::Axis;
using local::Kind;
using local::Work;

std::size_t transformed_axes(const Work& work) {
  return static_cast<std::size_t>(std::ranges::count(work.axes, true, &Axis::transformed));
}

/// The axis with the largest output stride among the untransformed axes longer than 1; none if
/// there is no such axis.
std::optional<std::size_t> outermost_batch(const Work& work) {
  std::optional<std::size_t> outermost;
  for (std::size_t a = 0; a < work.axes.size(); ++a) {
    const Axis& axis = work.axes[a];
    if (axis.transformed || axis.length <= 1) continue;
    if (!outermost || axis.out_stride > work.axes[*outermost].out_stride) outermost = a;
  }
  return outermost;
}

class Cutter {
 public:
  explicit Cutter(std::int64_t most_lines) : most_lines_(most_lines) {}

  void cut(const WorkSlice& slice) {
    const Work& work = slice.work;
    if (lines_of(work) <= most_lines_) return slices_.push_back(slice);
    if (const auto axis = outermost_batch(work))
      cut_batch(slice, *axis);
    else if (transformed_axes(work) > 1 && work.kind != Kind::half_to_real)
      cut_passes(slice);
    else
      slices_.push_back(slice);
  }
  std::vector<WorkSlice> take() && { return std::move(slices_); }

 private:
  void cut_batch(const WorkSlice& slice, std::size_t number) {
    const Axis axis = slice.work.axes[number];
    WorkSlice part = slice;
    part.work.axes[number].length = 1;
    const std::int64_t lines = std::max<std::int64_t>(1, lines_of(part.work));
    const std::int64_t step = std::clamp<std::int64_t>(most_lines_ / lines, 1, axis.length);
    const std::int64_t in_step = axis.in_stride * bytes(slice.work, local::Side::in);
    const std::int64_t out_step = axis.out_stride * bytes(slice.work, local::Side::out);
    part.work.aligned = slice.work.aligned && step * in_step % 16 == 0 && step * out_step % 16 == 0;
    for (std::int64_t begin = 0; begin < axis.length; begin += step) {
      part.work.axes[number].length = std::min(step, axis.length - begin);
      part.in_at = slice.in_at + begin * in_step;
      part.out_at = slice.out_at + begin * out_step;
      cut(part);
    }
  }

  void cut_passes(const WorkSlice& slice) {
    WorkSlice first = slice;
    first.work = local::first_pass(slice.work);
    cut(first);
    WorkSlice others{local::other_passes(slice.work), slice.out_at, slice.out_at, true};
    cut(others);
  }

  static std::int64_t bytes(const Work& work, local::Side side) {
    return static_cast<std::int64_t>(local::element_bytes(work, side));
  }

  std::int64_t most_lines_;
  std::vector<WorkSlice> slices_;
};

}  // namespace

std::int64_t lines_of(const local::Work& work) {
  std::int64_t lines = 0;
  for (const Axis& line : work.axes) {
    if (!line.transformed) continue;
    std::int64_t others = 1;
    for (const Axis& axis : work.axes)
      if (&axis != &line) others *= axis.length;
    lines += others;
  }
  return lines;
}

std::vector<WorkSlice> slices_of(const local::Work& work, std::int64_t most_lines) {
  if (most_lines == 0 || !local::transforms(work) || local::holds_nothing(work)) return {{work}};
  Cutter cutter(most_lines);
  cutter.cut({work});
  return std::move(cutter).take();
}

}  // namespace toroid::fft
