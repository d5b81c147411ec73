#include "fft/plan/check_description.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "fft/kernels/kernel.hpp"
#include "fft/layout/box.hpp"
#include "fft/layout/distribution.hpp"
#include "fft/plan/extents.hpp"
#include "fft/plan/transform_kind.hpp"

namespace toroid::fft {
namespace {

std::string size_text(const Description& description) {
  return fmt::format("{}", fmt::join(description.size, "x"));
}

void check_least(std::string_view field, std::int64_t value, std::int64_t least) {
  if (value < least)
    throw BadInput(fmt::format("{} is {}; expected {} or more", field, value, least));
}

void check_size(const Description& description) {
  const Index extents = extents_of(description.size, description.batch);
  if (description.size.empty())
    throw BadInput(fmt::format("an array has 1 to {} axes, not 0", kMaxAxes));
  if (std::ranges::min(description.size) < 1)
    throw BadInput(
        fmt::format("size is {}; expected extents of 1 or more", size_text(description)));
  check_least("batch", description.batch, 1);
  check_extents(extents);
}

/// KissFFT counts the points of a line with an int.
void check_library(const Description& description) {
  constexpr std::int64_t kLongest = std::numeric_limits<int>::max();
  check_choice("library", description.library, local::kLibraryNames);
  (void)local::library(description.library);  // throws if the build lacks it
  if (description.library == LibraryName::kissfft && std::ranges::max(description.size) > kLongest)
    throw BadInput(fmt::format("size is {}; kissfft transforms lines of at most {} points",
                               size_text(description), kLongest));
}

void check_overlap(const Overlap& overlap) {
  check_least("overlap.planes", overlap.planes, 0);
  check_least("overlap.backward_planes", overlap.backward_planes.value_or(0), 0);
  check_least("overlap.test_interval", overlap.test_interval, 0);
  check_choice("overlap.start", overlap.start, kStartNames);
  if (overlap.window < 1 || overlap.window > kMostOutstanding)
    throw BadInput(fmt::format("a window of {} exchanges; expected 1 to {}", overlap.window,
                               kMostOutstanding));
}

void check_kind(unsigned axis, const AxisTransform& transform) {
  const std::string field = fmt::format("kinds[{}]", axis);
  if (transform.kind == TransformKind::matrix) {
    if (transform.matrix == nullptr)
      throw BadInput(field + " is a matrix, but its pointer is null; expected a SquareMatrix");
    return;
  }
  check_choice(field + ".kind", transform.kind, kTransformKindNames);
  if (transform.matrix != nullptr)
    throw BadInput(fmt::format("{} is {} with a matrix; only the kind matrix takes one", field,
                               kTransformKindNames[static_cast<std::size_t>(transform.kind)]));
}

void check_orbital_fields(const Description& description) {
  for (unsigned axis = 0; axis < kMaxAxes; ++axis) check_kind(axis, description.kinds[axis]);
  check_choice("variant", description.variant, kOrbitalVariantNames);
  for (const int sign : description.scheduling)
    if (sign != 1 && sign != -1)
      throw BadInput(fmt::format("scheduling is {}; expected 1 or -1 in each dimension",
                                 fmt::join(description.scheduling, ",")));
  std::array<unsigned, 3> axes = description.stage_axes;
  std::ranges::sort(axes);
  if (axes != std::array<unsigned, 3>{0, 1, 2})
    throw BadInput(fmt::format("stage_axes is {}; expected 0, 1 and 2 in any order",
                               fmt::join(description.stage_axes, ",")));
}

void check_axes(const Description& description) {
  const std::size_t axes = description.size.size();
  if (description.method != Method::rows && axes != 3)
    throw BadInput(
        fmt::format("the {} method takes arrays of 3 axes, but {} has {}; "
                    "method rows takes 1 to {}",
                    kMethodNames[static_cast<std::size_t>(description.method)],
                    size_text(description), axes, kMaxAxes));
}

void check_power_of_two(std::int64_t n) {
  if (!std::has_single_bit(static_cast<std::uint64_t>(n)))
    throw BadInput(fmt::format("wht needs a power of two, not N = {}", n));
}

void check_cut(const Description& description) {
  const double cut = description.box_cut;
  if (cut == 1) return;
  if (description.method != Method::slab) throw BadInput("a box cut needs the slab method");
  if (description.real) throw BadInput("a box cut needs complex data");
  if (!std::ranges::all_of(description.kinds, &AxisTransform::is_fourier))
    throw BadInput("a box cut needs the dft: other spectra have no negative frequencies");
  const std::int64_t shortest = std::ranges::min(description.size);
  if (kept_of(shortest, cut) < 1)
    throw BadInput(fmt::format("a box cut of {} leaves no points of {}; use at most {}", cut,
                               size_text(description), shortest));
}

/// Checks the transforms of the methods with exchanges.
void check_kinds(const Description& description) {
  if (description.method == Method::orbital) return;
  const auto kinds = std::span(description.kinds).first(description.size.size());
  for (std::size_t axis = 0; axis < kinds.size(); ++axis) {
    if (kinds[axis].by_factors() || kinds[axis].matrix != nullptr)
      throw BadInput(fmt::format("transform {} needs the orbital method", name_of(kinds[axis])));
    if (kinds[axis].kind == TransformKind::wht) check_power_of_two(description.size[axis]);
    if (description.real && kinds[axis].is_fourier() != kinds[0].is_fourier())
      throw BadInput(
          fmt::format("real data with {} along one axis and {} along another; expected the dft "
                      "along all axes or along none; use complex data",
                      name_of(kinds[0]), name_of(kinds[axis])));
  }
}

/// Message passing carries an exchange in one blocking call. The orbital method has no exchanges.
void check_layer(const Description& description) {
  if (description.layer == Layer::packets) return;
  if (description.method == Method::orbital)
    throw BadInput(
        "the orbital method has no exchanges for message passing to carry; use layer packets");
  if (description.overlap.planes != 0 || description.overlap.backward_planes.value_or(0) != 0)
    throw BadInput(
        "message passing is blocking and cannot overlap planes with computation; use 0 planes");
}

}  // namespace

void check_fields(const Description& description) {
  check_size(description);
  check_choice("method", description.method, kMethodNames);
  check_choice("norm", description.norm, kNormNames);
  check_choice("layer", description.layer, kLayerNames);
  check_choice("precision", description.precision, local::kPrecisionNames);
  check_choice("rigor", description.rigor, local::kRigorNames);
  check_choice("first", description.first, kWayNames);
  if (!std::isfinite(description.box_cut) || description.box_cut < 1)
    throw BadInput(
        fmt::format("box_cut is {}; expected a finite number of 1 or more", description.box_cut));
  check_least("cores", description.cores, 1);
  check_library(description);
  check_overlap(description.overlap);
  check_orbital_fields(description);
}

void check_method(const Description& description) {
  check_axes(description);
  check_cut(description);
  check_kinds(description);
  check_layer(description);
}

}  // namespace toroid::fft
