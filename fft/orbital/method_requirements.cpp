// Refuses transforms that the orbital method cannot do, and suggests what it can do.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "fft/orbital/coefficients.hpp"
#include "fft/orbital/plan.hpp"
#include "fft/plan/check_description.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/square_matrix.hpp"
#include "fft/plan/transform_kind.hpp"
#include "hal/check.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/ring_shift.hpp"

namespace toroid::fft {
namespace {

/// Among the numbers from 1 to `limit` that fit, the two nearest to `wish`: the last one below it,
/// and the first one that is not below it.
template <typename Fits>
std::vector<std::int64_t> nearest(std::int64_t wish, std::int64_t limit, Fits&& fits) {
  std::vector<std::int64_t> found;
  std::int64_t below = std::min(wish - 1, limit);
  while (below > 0 && !fits(below)) --below;
  if (below > 0) found.push_back(below);
  std::int64_t above = std::max<std::int64_t>(wish, 1);
  while (above <= limit && !fits(above)) ++above;
  if (above <= limit) found.push_back(above);
  return found;
}

/// The extents of tori nearest to `wish` that divide the length of every axis.
std::vector<std::int64_t> extents_for(const ArrayExtents& size, std::int64_t wish) {
  const std::int64_t common = std::gcd(std::gcd(size[0], size[1]), size[2]);
  return nearest(wish, kMaxExtent, [&](std::int64_t p) { return common % p == 0; });
}

std::vector<std::int64_t> sizes_for(std::int64_t p, std::int64_t wish) {
  return nearest(wish, wish + p, [&](std::int64_t n) { return n % p == 0; });
}

bool is_power_of_two(std::int64_t n) {
  return std::has_single_bit(static_cast<std::uint64_t>(n));
}

std::vector<std::int64_t> powers_of_two(std::int64_t wish) {
  return nearest(wish, 2 * wish, is_power_of_two);
}

/// Joins numbers to a text such as "8 or 12"; `form` formats a number.
template <typename Form>
std::string any_of(const std::vector<std::int64_t>& numbers, Form&& form) {
  std::string text;
  for (const std::int64_t number : numbers) text += (text.empty() ? "" : " or ") + form(number);
  return text;
}
std::string cube(std::int64_t edge) {
  return fmt::format("{0}x{0}x{0}", edge);
}

/// "N = 12", or "12x8x4" if the extents differ.
std::string text_of(const ArrayExtents& size) {
  const auto [a, b, c] = size;
  return a == b && b == c ? fmt::format("N = {}", a) : fmt::format("{}x{}x{}", a, b, c);
}

bool is_cubic_torus(const Shape& shape) {
  if (shape.size() == 1) return true;
  for (unsigned d = 0; d < shape.dims(); ++d)
    if (shape.extent(d) != shape.extent(0) || !shape.wraps(d)) return false;
  return shape.dims() == 3;
}

void check_torus(const ArrayExtents& size, const Shape& shape) {
  if (is_cubic_torus(shape)) return;
  const auto edge = std::llround(std::cbrt(static_cast<double>(shape.size())));
  throw BadInput(
      fmt::format("torus {} does not fit the orbital transform, which needs P x P x P nodes "
                  "in closed rings; nearest for {}: {}",
                  shape.text(), text_of(size), any_of(extents_for(size, edge), cube)));
}

std::string plain(std::int64_t number) {
  return std::to_string(number);
}

void check_blocks(const ArrayExtents& size, std::int64_t p) {
  for (const std::int64_t n : size)
    if (n % p != 0)
      throw BadInput(
          fmt::format("N = {} is not a multiple of P = {}, so torus {} cannot hold equal "
                      "blocks; nearest: N = {} on this torus, or torus {} for {}",
                      n, p, cube(p), any_of(sizes_for(p, n), plain),
                      any_of(extents_for(size, p), cube), text_of(size)));
}

void check_power(std::int64_t n, std::int64_t p) {
  if (is_power_of_two(n)) return;
  std::string text = fmt::format("wht needs a power of two, not N = {}; nearest: {}", n,
                                 any_of(powers_of_two(n), plain));
  if (!is_power_of_two(p)) text += fmt::format(", on torus {}", any_of(powers_of_two(p), cube));
  throw BadInput(text);
}

void check_matrix(const SquareMatrix& matrix, std::int64_t n, Sign sign) {
  if (matrix.size() != n)
    throw BadInput(fmt::format("matrix {0} is {1}x{1}, but its axis has {2} points", matrix.name(),
                               matrix.size(), n));
  if (sign == Sign::inverse) (void)matrix.inverse_at(0, 0);
}

void check_transforms(const ArrayExtents& size, std::int64_t p, const OrbitalOptions& options) {
  for (unsigned axis = 0; axis < 3; ++axis) {
    const AxisTransform& transform = options.kinds[axis];
    if (transform.kind == TransformKind::wht) check_power(size[axis], p);
    if (transform.kind == TransformKind::matrix)
      check_matrix(*transform.matrix, size[axis], options.sign);
  }
}

/// The broadcast variants only compute products; they do not have the line transforms that factors
/// need.
void check_factors(const OrbitalOptions& options) {
  if (options.variant == OrbitalVariant::cra) return;
  if (std::ranges::any_of(options.kinds, &AxisTransform::by_factors))
    throw BadInput("transform fft needs the variant cra, which shifts its blocks, not " +
                   std::string(kOrbitalVariantNames[static_cast<unsigned>(options.variant)]) +
                   "; use dft");
}

void check_elements(const OrbitalOptions& options) {
  if (is_complex(options.element)) return;
  const auto complex = std::ranges::find_if(options.kinds, has_complex_coefficients);
  if (complex == options.kinds.end()) return;
  const auto type = kElementTypeNames[static_cast<unsigned>(options.element)];
  throw BadInput(fmt::format("{} of {} elements has complex coefficients; use complex elements{}",
                             name_of(*complex), type, complex->is_fourier() ? ", or dht" : ""));
}

/// OpenBLAS takes a product's extents as ints: two of a block's, with two real numbers per element.
/// Up to kLongestAxis points, coefficients are exact, and the bytes of an axis's coefficients do
/// not overflow.
void check_lengths(const ArrayExtents& size, std::int64_t p) {
  constexpr std::int64_t kLongestAxis = std::int64_t{1} << 28;
  constexpr std::int64_t kMostOfPlane = std::int64_t{1} << 30;
  if (std::ranges::max(size) > kLongestAxis)
    throw BadInput(
        fmt::format("{}: the orbital method takes axes of at most 2^28 points", text_of(size)));
  for (unsigned axis = 0; axis < 3; ++axis)
    if ((size[axis] / p) * (size[(axis + 1) % 3] / p) >= kMostOfPlane)
      throw BadInput(
          fmt::format("{} on torus {}: a side of a node's block has 2^30 numbers or "
                      "more; use more nodes",
                      text_of(size), cube(p)));
}

/// A single node sends nothing, so its block may have any length.
void check_bytes(const ArrayExtents& size, std::uint64_t p, ElementType element) {
  std::uint64_t bytes = bytes_of(element);
  for (const std::int64_t n : size) bytes *= static_cast<std::uint64_t>(n) / p;
  if (p > 1) RingShift::check(bytes);
}

/// Checks the values that a description has too, each by itself, and then the others.
void check_values(const ArrayExtents& size, const OrbitalOptions& options) {
  Description description;
  description.size.assign(size.begin(), size.end());
  std::ranges::copy(options.kinds, description.kinds.begin());
  description.scheduling = options.alpha;
  description.stage_axes = options.stage_axes;
  description.variant = options.variant;
  description.library = options.library;
  description.rigor = options.rigor;
  check_fields(description);
  check_choice("element", options.element, kElementTypeNames);
  if (options.sign != Sign::forward && options.sign != Sign::inverse)
    throw BadInput(fmt::format("sign is {}; expected -1 or 1", static_cast<int>(options.sign)));
}

}  // namespace

void check_orbital(const ArrayExtents& size, const Shape& shape, const OrbitalOptions& options) {
  check_values(size, options);
  check_torus(size, shape);
  check_lengths(size, shape.extent(0));
  check_blocks(size, shape.extent(0));
  check_transforms(size, shape.extent(0), options);
  check_factors(options);
  check_elements(options);
  check_bytes(size, shape.extent(0), options.element);
}

}  // namespace toroid::fft
