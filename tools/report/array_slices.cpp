#include "tools/report/array_slices.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "fft/layout/local_array.hpp"

namespace toroid {
namespace {

/// Decades that are drawn below the largest value. Smaller values are only rounding errors.
constexpr double kDecades = 16;
constexpr double kMost = 1e300;  ///< larger numbers are drawn as this, so that sums stay finite

/// A drawn axis of an array.
struct DrawnAxis {
  std::string name{};  ///< empty if the array lacks this axis
  std::int64_t points = 1;
  std::int64_t stride = 0;
  bool centred = false;  ///< frequency 0 is drawn in the middle
  std::int64_t middle = 0;

  /// The index in the whole array of the point that is drawn at place `drawn`.
  std::int64_t index(std::int64_t drawn) const {
    return centred ? (drawn + points - points / 2) % points : drawn;
  }
  /// The number of the first drawn point; negative for a negative frequency.
  std::int64_t first() const { return centred ? -(points / 2) : 0; }
  std::int64_t mirrored(std::int64_t index) const { return (points - index) % points; }
};

enum class Reduction : std::uint8_t { mean, max };

/// A drawn array. It has at least three axes; those that the array lacks come first.
struct Drawing {
  std::span<const fft::Complex> values{};
  std::vector<DrawnAxis> axes{};
  std::int64_t stored_last = 0;  ///< stored points of the last axis
  bool magnitudes = true;        ///< draws magnitudes instead of real parts

  double at(std::span<const std::int64_t> drawn) const;
};

/// Outside of the stored half spectrum of real data, an element is the conjugate of its mirror
/// image.
double Drawing::at(std::span<const std::int64_t> drawn) const {
  const bool is_mirrored = axes.back().index(drawn.back()) >= stored_last;
  std::int64_t place = 0;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const std::int64_t index = axes[a].index(drawn[a]);
    place += axes[a].stride * (is_mirrored ? axes[a].mirrored(index) : index);
  }
  const fft::Complex& value = values[static_cast<std::size_t>(place)];
  const double number = magnitudes ? std::abs(value) : value.real();
  return std::isnan(number) ? 0 : std::clamp(number, -kMost, kMost);
}

std::string axis_name(std::size_t axis, std::size_t axes, bool is_spectrum) {
  if (axes <= 3) return fmt::format("{}{}", is_spectrum ? "k" : "", "xyz"[axis]);
  return fmt::format("{}{}", is_spectrum ? "k" : "axis ", axis);
}

Drawing drawing_of(const HostArray& array, bool is_spectrum) {
  Drawing drawing{.values = std::span(array.values).first(array.volume())};
  const std::size_t dims = array.size.size();
  std::int64_t stride = static_cast<std::int64_t>(array.volume());
  if (dims < 3) drawing.axes.resize(3 - dims);
  for (std::size_t a = 0; a < dims; ++a) {
    stride /= array.size[a];
    drawing.axes.push_back({.name = axis_name(a, dims, is_spectrum),
                            .points = array.size[a],
                            .stride = stride,
                            .middle = is_spectrum ? 0 : array.size[a] / 2});
  }
  drawing.stored_last = drawing.axes.back().points;
  return drawing;
}

/// One plane of a drawing before it is scaled.
struct Plane {
  Slice slice;
  std::vector<double> numbers;  ///< one per pixel
};

/// The place of the plane as text, e.g. "x = 32". Commas separate several fixed axes.
std::string where_text(const Drawing& drawing, std::size_t rows, std::size_t columns) {
  std::string text;
  for (std::size_t a = 0; a < drawing.axes.size(); ++a) {
    const DrawnAxis& axis = drawing.axes[a];
    if (a == rows || a == columns || axis.name.empty()) continue;
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", axis.name, axis.index(axis.middle));
  }
  return text;
}

std::size_t blocks_of(std::int64_t points, std::size_t block) {
  return (static_cast<std::size_t>(points) + block - 1) / block;
}

void reduce(const Drawing& drawing, std::size_t rows, std::size_t columns, Reduction by,
            Plane& plane) {
  const std::int64_t height = drawing.axes[rows].points;
  const std::int64_t width = drawing.axes[columns].points;
  const auto block = static_cast<std::int64_t>(plane.slice.block);
  std::vector<double> counts(plane.slice.width * plane.slice.height);
  plane.numbers.assign(counts.size(), 0);
  std::vector<std::int64_t> at;
  for (const DrawnAxis& axis : drawing.axes) at.push_back(axis.middle);
  for (at[rows] = 0; at[rows] < height; ++at[rows])
    for (at[columns] = 0; at[columns] < width; ++at[columns]) {
      const auto pixel = static_cast<std::size_t>(at[rows] / block) * plane.slice.width +
                         static_cast<std::size_t>(at[columns] / block);
      const double number = drawing.at(at);
      double& sum = plane.numbers[pixel];
      sum = by == Reduction::max ? std::max(sum, number) : sum + number;
      counts[pixel] += 1;
    }
  if (by == Reduction::mean)
    for (std::size_t i = 0; i < counts.size(); ++i) plane.numbers[i] /= counts[i];
}

/// The plane through the middle of one of the last three axes, number `held` of the three.
Plane plane_of(const Drawing& drawing, unsigned held, Reduction by) {
  const std::size_t first = drawing.axes.size() - 3;
  const std::size_t rows = first + (held == 0 ? 1 : 0);
  const std::size_t columns = first + (held == 2 ? 1 : 2);
  const DrawnAxis& down = drawing.axes[rows];
  const DrawnAxis& right = drawing.axes[columns];
  const DrawnAxis& fixed = drawing.axes[first + held];
  Plane plane;
  Slice& slice = plane.slice;
  slice.axis = held;
  slice.index = static_cast<std::uint64_t>(fixed.index(fixed.middle));
  slice.where = where_text(drawing, rows, columns);
  slice.rows = down.name;
  slice.columns = right.name;
  slice.block = blocks_of(std::max(down.points, right.points), kMostPixels);
  slice.width = blocks_of(right.points, slice.block);
  slice.height = blocks_of(down.points, slice.block);
  slice.first_row = down.first();
  slice.row_count = static_cast<std::uint64_t>(down.points);
  slice.first_column = right.first();
  slice.column_count = static_cast<std::uint64_t>(right.points);
  if (slice.block > 1) slice.reduced_by = by == Reduction::max ? "max" : "mean";
  reduce(drawing, rows, columns, by, plane);
  return plane;
}

/// The planes to draw: one for an array of one or two axes, otherwise three.
std::vector<Plane> planes_of(const Drawing& drawing, Reduction by) {
  std::vector<Plane> planes;
  for (unsigned held = 0; held < 3; ++held) {
    const bool is_there = held == 0 || !drawing.axes[drawing.axes.size() - 3].name.empty();
    if (is_there) planes.push_back(plane_of(drawing, held, by));
  }
  return planes;
}

struct Range {
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
  void add(double number) {
    min = std::min(min, number);
    max = std::max(max, number);
  }
  std::uint8_t byte(double number) const {
    if (!(max > min)) return 0;
    const double share = std::clamp((number - min) / (max - min), 0.0, 1.0);
    return static_cast<std::uint8_t>(std::lround(255 * share));
  }
};

std::vector<Slice> scaled(std::vector<Plane> planes, const Range& range, const Slice& common) {
  std::vector<Slice> slices;
  for (Plane& plane : planes) {
    Slice& slice = slices.emplace_back(std::move(plane.slice));
    slice.kind = common.kind;
    slice.unit = common.unit;
    slice.log = common.log;
    slice.min = range.min;
    slice.max = range.max;
    for (const double number : plane.numbers) slice.pixels.push_back(range.byte(number));
  }
  return slices;
}

/// Replaces magnitudes by their logarithms. Zeros, which have none, are drawn as the least value of
/// the scale.
void take_logarithms(std::vector<Plane>& planes, Range& range) {
  for (Plane& plane : planes)
    for (double& number : plane.numbers) {
      number = std::log10(number);
      if (std::isfinite(number)) range.add(number);
    }
  range.min = std::max(range.min, range.max - kDecades);
}

void set_order(Drawing& drawing, const SpectrumOrder& order) {
  if (order.half_of > 0) drawing.axes.back().points = order.half_of;
  const std::size_t first = drawing.axes.size() - order.kinds.size();
  for (std::size_t a = 0; a < order.kinds.size(); ++a) {
    DrawnAxis& axis = drawing.axes[first + a];
    const fft::AxisTransform transform = order.kinds[a];
    axis.centred = transform.is_fourier() || transform.kind == fft::TransformKind::dht;
    if (axis.centred) axis.middle = axis.points / 2;
  }
}

}  // namespace

std::vector<Slice> density_slices(const HostArray& array) {
  Drawing drawing = drawing_of(array, false);
  drawing.magnitudes = std::ranges::any_of(
      drawing.values, [](const fft::Complex& value) { return value.imag() != 0; });
  std::vector<Plane> planes = planes_of(drawing, Reduction::mean);
  Range range;
  for (const Plane& plane : planes)
    for (const double number : plane.numbers) range.add(number);
  Slice common;
  common.kind = "density";
  common.unit = drawing.magnitudes ? "magnitude" : "";
  return scaled(std::move(planes), range, common);
}

std::vector<Slice> spectrum_slices(const HostArray& array, const SpectrumOrder& order) {
  Drawing drawing = drawing_of(array, true);
  set_order(drawing, order);
  std::vector<Plane> planes = planes_of(drawing, Reduction::max);
  Range range;
  take_logarithms(planes, range);
  Slice common;
  common.kind = "spectrum";
  common.unit = "log10 of magnitude";
  common.log = true;
  if (range.max >= range.min) return scaled(std::move(planes), range, common);
  common.log = false;  // all is zero
  common.unit = "magnitude";
  return scaled(std::move(planes), {.min = 0, .max = 0}, common);
}

}  // namespace toroid
