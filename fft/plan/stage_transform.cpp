#include "fft/plan/stage_transform.hpp"

#include <algorithm>
#include <cstring>
#include <ranges>
#include <utility>

#include "fft/kernels/copy_kernel.hpp"
#include "fft/kernels/kernel_work.hpp"
#include "fft/kernels/work_slices.hpp"
#include "fft/plan/cost_model.hpp"
#include "hal/check.hpp"

namespace toroid::fft {
namespace {

std::int64_t bytes_of(Precision precision, bool real) {
  const std::int64_t one = precision == Precision::single ? 4 : 8;
  return real ? one : 2 * one;
}

bool is_cut(const LocalTask& task) {
  if (task.real_from || task.real_to || task.from.size() == 0) return false;
  const Box& from = task.from.boxes()[0];
  const Box& to = task.to.boxes()[0];
  for (unsigned axis = 0; axis < kAxes; ++axis)
    if (task.axes[axis] && from.length(axis) != to.length(axis)) return true;
  return false;
}

local::Kind fourier_kind(const LocalTask& task) {
  if (task.real_from && !task.real_to) return local::Kind::real_to_half;
  if (task.real_to && !task.real_from) return local::Kind::half_to_real;
  return task.backward ? local::Kind::inverse : local::Kind::forward;
}

local::Kind kind_of(const LocalTask& task, TransformKind kind) {
  switch (kind) {
    case TransformKind::dct:
      return task.backward ? local::Kind::dct_3 : local::Kind::dct_2;
    case TransformKind::dst:
      return task.backward ? local::Kind::dst_3 : local::Kind::dst_2;
    case TransformKind::dht:
      return local::Kind::dht;
    case TransformKind::wht:
      return local::Kind::wht;
    case TransformKind::dft:
      return fourier_kind(task);
    case TransformKind::fft:
    case TransformKind::matrix:
      break;
  }
  TOROID_CHECK(false);  // they need the orbital method
}

/// The same work on the real and the imaginary parts of complex elements.
local::Work on_parts(local::Work work) {
  for (local::Axis& axis : work.axes) {
    axis.in_stride *= 2;
    axis.out_stride *= 2;
  }
  TOROID_CHECK(work.axes.back() == local::Axis({1, 2, 2, false}));
  work.axes.back() = {2, 1, 1, false};
  return work;
}

/// The last transformed axis. It is halved if the data is real.
unsigned last_axis(const Axes& axes) {
  unsigned last = 0;
  for (unsigned axis = 0; axis < kAxes; ++axis)
    if (axes[axis]) last = axis;
  return last;
}

}  // namespace

LocalCost cost_of(const LocalTask& task, const Machine& machine) {
  LocalCost cost;
  for (std::size_t b = 0; b < task.from.boxes().size(); ++b) {
    Index lengths;
    for (unsigned axis = 0; axis < kAxes; ++axis) lengths[axis] = task.from.boxes()[b].length(axis);
    for (unsigned i = 0; i < kAxes; ++i) {
      const unsigned axis = task.backward ? i : kAxes - 1 - i;
      if (!task.axes[axis]) continue;
      const std::int64_t to = task.to.boxes()[b].length(axis);
      const std::int64_t points = std::max(lengths[axis], to);
      const std::int64_t lines = Box::of(lengths).volume() / lengths[axis];
      const bool halved = task.real_from != task.real_to && axis == last_axis(task.axes);
      const bool real = halved || (task.real_from && task.real_to);
      cost.lines += lines;
      const Tick line = line_transform_cycles(machine, static_cast<std::uint64_t>(points));
      (void)whole_cycles(static_cast<double>(lines) * static_cast<double>(line),
                         "a node's transform (fft_cycles_factor, transpose_cycles)");
      const std::int64_t lines_of_a_core = (lines + task.cores - 1) / task.cores;
      cost.cycles += static_cast<Tick>(lines_of_a_core) * line / (real ? 2 : 1);
      lengths[axis] = to;
    }
  }
  return cost;
}

StageTransform::StageTransform(const LocalTask& task, const Description& description,
                               const Machine& machine, std::int64_t test_interval)
    : precision_(description.precision),
      rigor_(description.rigor),
      library_(&local::library(description.library)),
      kinds_(description.kinds),
      test_interval_(test_interval),
      cost_(cost_of(task, machine)) {
  if (task.from.size() == 0) return;
  if (task.axes == Axes{})
    plan_copy(task);
  else if (task.from.boxes().size() > 1)
    plan_lines(task);
  else if (is_cut(task))
    plan_cut(task);
  else
    plan_box(task);
  for (std::size_t i = 0; i < 2; ++i)
    if (scratch_bytes_[i] > 0)
      scratch_[i] = std::make_unique<LocalArray>(
          LocalArray::of_bytes(static_cast<std::size_t>(scratch_bytes_[i])));
}

local::Work StageTransform::blank(const LocalTask& task) const {
  local::Work work;
  work.kind = fourier_kind(task);
  work.precision = precision_;
  work.in_place = task.in_place;
  work.aligned = task.aligned;
  return work;
}

bool StageTransform::is_fourier(const LocalTask& task) const {
  for (unsigned axis = 0; axis < kMaxAxes; ++axis)
    if (task.axes[axis] && !kinds_[axis].is_fourier()) return false;
  return true;
}

StageTransform::Step& StageTransform::add(const local::Work& work, Place in, Place out) {
  for (const WorkSlice& slice : slices_of(work, test_interval_))
    steps_.push_back({library_->plan(slice.work, rigor_), slice.reads_out ? out : in, out,
                      slice.in_at, slice.out_at});
  return steps_.back();
}

/// Copies box by box from one layout to the other.
void StageTransform::plan_copy(const LocalTask& task) {
  const std::int64_t bytes = bytes_of(precision_, task.real_from);
  for (const Box& box : task.from.boxes()) {
    local::Work work = blank(task);
    work.kind = task.real_from ? local::Kind::real_to_half : local::Kind::forward;
    work.aligned = false;
    for (unsigned axis = 0; axis < kAxes; ++axis)
      work.axes[axis] = {box.length(axis), task.from.stride(axis), task.to.stride(axis), false};
    Step& step = add(work, Place::from, Place::to);
    step.in_at = task.from.offset(box.lo) * bytes;
    step.out_at = task.to.offset(box.lo) * bytes;
  }
}

/// The lines of several boxes lie one after the other across box boundaries: they are one array of
/// lines.
void StageTransform::plan_lines(const LocalTask& task) {
  const unsigned axis = last_axis(task.axes);
  const std::int64_t in_length = task.from.boxes()[0].length(axis);
  const std::int64_t out_length = task.to.boxes()[0].length(axis);
  const std::int64_t length = std::max(in_length, out_length);
  const std::int64_t lines = task.from.size() / in_length;
  local::Work work = blank(task);
  work.axes[0] = {lines, in_length, out_length, false};
  work.axes[1] = {length, 1, 1, true};
  if (kinds_[axis].is_fourier())
    add(work, Place::from, Place::to);
  else
    add(real_work(task, work, axis), Place::from, Place::to);
}

/// Whether lines are first copied to the target and then transformed there. If they are contiguous
/// in the target but not in the source, a kernel reads the source more than once. On one of two
/// nodes with 64 planes of 128 x 128, a kernel takes 5.0 ms with four lines at a time. Copying
/// first and transforming in the cache takes 3.9 ms. With Rigor::estimate lines are not copied
/// first, because it promises equal bits on every fabric.
bool StageTransform::copies_first(const LocalTask& task, const local::Work& work) const {
  if (!task.stays_in_cache || work.in_place || rigor_ == Rigor::estimate) return false;
  if (work.kind != local::Kind::forward && work.kind != local::Kind::inverse) return false;
  return std::ranges::any_of(work.axes, [](const local::Axis& axis) {
    return axis.transformed && axis.length > 1 && axis.out_stride == 1 && axis.in_stride > 1;
  });
}

/// A work of one transformed axis, by the real-to-real transform of `axis`.
local::Work StageTransform::real_work(const LocalTask& task, local::Work work,
                                      unsigned axis) const {
  work.kind = kind_of(task, kinds_[axis].kind);
  work.weighted = kinds_[axis].weighted;
  return task.real_from ? work : on_parts(work);
}

/// Transforms the axes one after the other, except that the dft of several axes is one work.
void StageTransform::plan_several_kinds(const LocalTask& task, local::Work work) {
  std::vector<local::Work> works;
  local::Work fourier = work;
  for (local::Axis& axis : work.axes) axis.transformed = false;
  for (unsigned axis = kAxes; axis-- > 0;) {
    if (!task.axes[axis]) continue;
    if (kinds_[axis].is_fourier()) continue;
    fourier.axes[axis].transformed = false;
    local::Work one = work;
    one.axes[axis].transformed = true;
    works.push_back(real_work(task, one, axis));
  }
  if (local::transforms(fourier)) works.push_back(fourier);
  add(works.front(), Place::from, Place::to);
  for (local::Work& later : works | std::views::drop(1)) {
    later.in_place = true;
    for (local::Axis& axis : later.axes) axis.in_stride = axis.out_stride;
    add(later, Place::to, Place::to);
  }
}

void StageTransform::plan_box(const LocalTask& task) {
  const Box& from = task.from.boxes()[0];
  const Box& to = task.to.boxes()[0];
  local::Work work = blank(task);
  for (unsigned axis = 0; axis < kAxes; ++axis) {
    const std::int64_t length = std::max(from.length(axis), to.length(axis));
    work.axes[axis] = {length, task.from.stride(axis), task.to.stride(axis), task.axes[axis]};
  }
  if (!is_fourier(task)) return plan_several_kinds(task, work);
  if (copies_first(task, work)) {
    steps_.push_back({std::make_shared<local::CopyKernel>(work), Place::from, Place::to});
    work.in_place = true;
    for (local::Axis& axis : work.axes) axis.in_stride = axis.out_stride;
    add(work, Place::to, Place::to);
    return;
  }
  if (work.kind != local::Kind::half_to_real || task.may_destroy_from) {
    add(work, Place::from, Place::to);
    return;
  }
  // half_to_real destroys its input, so it is given a copy
  const Side copy = scratch(from, Place::first);
  LocalTask to_copy;
  to_copy.from = task.from;
  to_copy.to = copy.layout;
  plan_copy(to_copy);
  steps_.back().out = Place::first;
  for (unsigned axis = 0; axis < kAxes; ++axis)
    work.axes[axis].in_stride = copy.layout.stride(axis);
  add(work, Place::first, Place::to);
}

StageTransform::Side StageTransform::scratch(const Box& box, Place place) {
  Side side{NodeLayout::dense(box), place};
  std::int64_t& bytes = scratch_bytes_[place == Place::first ? 0 : 1];
  bytes = std::max(bytes, side.layout.extent() * bytes_of(precision_, false));
  return side;
}

StageTransform::Side StageTransform::transform_axis(const LocalTask& task, const Side& from,
                                                    const Side& to, unsigned axis) {
  const Box& box = from.layout.boxes()[0];
  local::Work work = blank(task);
  work.in_place = false;
  for (unsigned a = 0; a < kAxes; ++a)
    work.axes[a] = {box.length(a), from.layout.stride(a), to.layout.stride(a), a == axis};
  add(work, from.place, to.place);
  return to;
}

/// Copies the frequencies that the spectra of n and of m < n points have in common: 0, 1, ..., and
/// the negative ones, which are at the end of both. Forward copies from large to small.
void StageTransform::copy_centre(const LocalTask& task, const Side& large, const Side& small,
                                 unsigned axis) {
  const Box& box = small.layout.boxes()[0];
  const std::int64_t n = large.layout.boxes()[0].length(axis);
  const std::int64_t m = box.length(axis);
  const std::int64_t bytes = bytes_of(precision_, false);
  const std::int64_t upper = (m + 1) / 2;
  const Side& from = task.backward ? small : large;
  const Side& to = task.backward ? large : small;
  for (const auto& [begin, length] : {std::pair{std::int64_t{0}, upper}, {upper, m - upper}}) {
    if (length == 0) continue;
    local::Work work = blank(task);
    work.in_place = false;
    work.aligned = false;
    for (unsigned a = 0; a < kAxes; ++a)
      work.axes[a] = {a == axis ? length : box.length(a), from.layout.stride(a),
                      to.layout.stride(a), false};
    Step& step = add(work, from.place, to.place);
    const std::int64_t in_large = begin == 0 ? 0 : n - m + begin;
    step.in_at = (task.backward ? begin : in_large) * from.layout.stride(axis) * bytes;
    step.out_at = (task.backward ? in_large : begin) * to.layout.stride(axis) * bytes;
  }
}

/// Transforms axis by axis, the last axis first. Frequencies outside the cut are dropped after each
/// axis, so the next axis has fewer lines. Backward takes the axes in the opposite order and adds
/// zeros for the dropped frequencies before each axis.
void StageTransform::plan_cut(const LocalTask& task) {
  std::vector<unsigned> axes;
  for (unsigned axis = kAxes; axis-- > 0;)
    if (task.axes[axis]) axes.push_back(axis);
  if (task.backward) std::ranges::reverse(axes);
  Side from{task.from, Place::from};
  const Side to{task.to, Place::to};
  for (const unsigned axis : axes) {
    const bool is_last = axis == axes.back();
    Box next = from.layout.boxes()[0];
    next.lo[axis] = task.to.boxes()[0].lo[axis];
    next.hi[axis] = task.to.boxes()[0].hi[axis];
    if (task.backward) {
      const Side padded = scratch(next, Place::second);
      const std::size_t first = steps_.size();
      copy_centre(task, padded, from, axis);
      steps_[first].clear =
          static_cast<std::size_t>(padded.layout.extent() * bytes_of(precision_, false));
      from = transform_axis(task, padded, is_last ? to : scratch(next, Place::first), axis);
    } else {
      const Side whole = scratch(from.layout.boxes()[0], Place::first);
      transform_axis(task, from, whole, axis);
      const Side centre = is_last ? to : scratch(next, Place::second);
      copy_centre(task, whole, centre, axis);
      from = centre;
    }
  }
}

std::byte* StageTransform::at(Place place, const std::byte* from, std::byte* to) {
  if (place == Place::from) return const_cast<std::byte*>(from);  // kernels only read this array
  if (place == Place::to) return to;
  return reinterpret_cast<std::byte*>(scratch_[place == Place::first ? 0 : 1]->data());
}

void StageTransform::run(const std::byte* from, std::byte* to) {
  for (std::uint32_t step = 0; step < steps(); ++step) run_step(step, from, to);
}

void StageTransform::run_step(std::uint32_t number, const std::byte* from, std::byte* to) {
  const Step& step = steps_[number];
  std::byte* const out = at(step.out, from, to);
  if (step.clear > 0) std::memset(out, 0, step.clear);
  step.kernel->run(at(step.in, from, to) + step.in_at, out + step.out_at);
}

}  // namespace toroid::fft
