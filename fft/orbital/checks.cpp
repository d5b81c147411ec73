
// What the orbital transform cannot do, and what it could do instead.
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "fft/orbital/coefficients.hpp"
#include "fft/orbital/plan.hpp"
#include "fft/plan/transform_kind.hpp"
#include "hal/check.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/ring_shift.hpp"

namespace toroid::fft {
namespace {

/// The numbers from 1 to `limit` nearest to `wish` that fit: the last one below it and the first
/// one from it on.
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

std::vector<std::int64_t> extents_for(std::int64_t n, std::int64_t wish) {
  return nearest(wish, kMaxExtent, [&](std::int64_t p) { return n % p == 0; });
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

/// Text such as "8 or 12"; `form` writes a number.
template <typename Form>
std::string any_of(const std::vector<std::int64_t>& numbers, Form&& form) {
  std::string text;
  for (const std::int64_t number : numbers) text += (text.empty() ? "" : " or ") + form(number);
  return text;
}
std::string cube(std::int64_t edge) {
  return fmt::format("{0}x{0}x{0}", edge);
}

void check_size(const CubeSize& size) {
  const auto [a, b, c] = size;
  const std::int64_t edge = std::max({a, b, c});
  if (std::min({a, b, c}) < 1 || a != b || b != c)
    throw BadInput(
        fmt::format("an array of {}x{}x{} has no orbital transform: it takes N x N x N; "
                    "nearest: {}",
                    a, b, c, cube(std::max<std::int64_t>(1, edge))));
}

bool is_cubic_torus(const Shape& shape) {
  if (shape.size() == 1) return true;
  for (unsigned d = 0; d < shape.dims(); ++d)
    if (shape.extent(d) != shape.extent(0) || !shape.wraps(d)) return false;
  return shape.dims() == 3;
}

void check_torus(std::int64_t n, const Shape& shape) {
  if (is_cubic_torus(shape)) return;
  const auto edge = std::llround(std::cbrt(static_cast<double>(shape.size())));
  throw BadInput(
      fmt::format("torus {} has no orbits: the orbital transform takes P x P x P nodes "
                  "and closed rings; nearest for N = {}: {}",
                  shape.text(), n, any_of(extents_for(n, edge), cube)));
}

void check_blocks(std::int64_t n, std::int64_t p) {
  if (n % p == 0) return;
  const auto plain = [](std::int64_t x) { return std::to_string(x); };
  throw BadInput(fmt::format(
      "N = {} is no multiple of P = {}, so that torus {} has no equal blocks; "
      "nearest: N = {} there, or torus {} for N = {}",
      n, p, cube(p), any_of(sizes_for(p, n), plain), any_of(extents_for(n, p), cube), n));
}

void check_powers(std::int64_t n, std::int64_t p, const OrbitalOptions& options) {
  if (!std::ranges::count(options.kinds, TransformKind::wht) || is_power_of_two(n)) return;
  const auto plain = [](std::int64_t x) { return std::to_string(x); };
  std::string text = fmt::format("wht takes a power of two, not N = {}; nearest: {}", n,
                                 any_of(powers_of_two(n), plain));
  if (!is_power_of_two(p)) text += fmt::format(", on torus {}", any_of(powers_of_two(p), cube));
  throw BadInput(text);
}

void check_elements(const OrbitalOptions& options) {
  if (is_complex(options.element)) return;
  if (std::ranges::none_of(options.kinds, has_complex_coefficients)) return;
  const auto name = kElementTypeNames[static_cast<unsigned>(options.element)];
  throw BadInput(
      fmt::format("dft of {} elements is complex; give complex ones, or take dht", name));
}

/// A single node sends nothing: its block may have any length.
void check_bytes(std::int64_t n, std::int64_t p, ElementType element) {
  const auto b = static_cast<std::uint64_t>(n / p);
  if (p > 1) RingShift::check(b * b * b * bytes_of(element));
}

}  // namespace

void check_orbital(const CubeSize& size, const Shape& shape, const OrbitalOptions& options) {
  for (const int sign : options.alpha) TOROID_CHECK_EQ(sign * sign, 1);
  TOROID_CHECK_LT(0u, options.repeat);
  check_size(size);
  check_torus(size[0], shape);
  check_blocks(size[0], shape.extent(0));
  check_powers(size[0], shape.extent(0), options);
  check_elements(options);
  check_bytes(size[0], shape.extent(0), options.element);
}

}  // namespace toroid::fft
