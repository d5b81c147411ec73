#include "fft/orbital/coefficients.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "fft/plan/square_matrix.hpp"
#include "hal/check.hpp"

namespace toroid::fft {
namespace {

using Real = long double;
using Value = std::complex<Real>;

/// exp(2πi·part/whole). REQUIRES: 0 <= part < whole.
Value turn(std::int64_t part, std::int64_t whole) {
  const std::int64_t quarter = 4 * part / whole;
  const auto rest = static_cast<Real>(4 * part % whole) / static_cast<Real>(whole);
  const Real angle = rest * std::numbers::pi_v<Real> / 2;  // exact for multiples of a quarter
  const Real c = std::cos(angle);
  const Real s = std::sin(angle);
  const std::array<Value, 4> turned = {Value(c, s), Value(-s, c), Value(-c, -s), Value(s, -c)};
  return turned[static_cast<std::size_t>(quarter)];
}

Value dft(Sign sign, std::int64_t size, std::int64_t n, std::int64_t k) {
  const Value value = turn(n * k % size, size);
  return sign == Sign::forward ? std::conj(value) : value;
}

/// The factor of the row k of the dct or dst whose length differs from that of the others.
Real weight(Sign sign, bool weighted) {
  if (!weighted) return 1;
  return sign == Sign::forward ? 1 / std::numbers::sqrt2_v<Real> : std::numbers::sqrt2_v<Real>;
}

Value dct(Sign sign, bool weighted, std::int64_t size, std::int64_t n, std::int64_t k) {
  const Real value = turn((2 * n + 1) * k % (4 * size), 4 * size).real();
  if (k == 0) return weight(sign, weighted) * value;
  return sign == Sign::inverse ? 2 * value : value;
}

Value dst(Sign sign, bool weighted, std::int64_t size, std::int64_t n, std::int64_t k) {
  const Real value = turn((2 * n + 1) * (k + 1) % (4 * size), 4 * size).imag();
  if (k == size - 1) return weight(sign, weighted) * value;
  return sign == Sign::inverse ? 2 * value : value;
}

Value dht(std::int64_t size, std::int64_t n, std::int64_t k) {
  const Value value = turn(n * k % size, size);
  return value.real() - value.imag();
}

Value wht(std::int64_t n, std::int64_t k) {
  return std::popcount(static_cast<std::uint64_t>(n & k)) % 2 == 0 ? 1 : -1;
}

Value of_matrix(const SquareMatrix& matrix, bool forward, std::int64_t in, std::int64_t out) {
  if (forward) return matrix.at(out, in);
  return static_cast<Real>(matrix.size()) * matrix.inverse_at(out, in);
}

}  // namespace

bool has_complex_coefficients(const AxisTransform& transform) {
  return transform.is_fourier() || (transform.matrix != nullptr && transform.matrix->is_complex());
}

Value coefficient(const AxisTransform& transform, Sign sign, std::int64_t size, std::int64_t in,
                  std::int64_t out) {
  const bool forward = sign == Sign::forward;
  const std::int64_t n = forward ? in : out;
  const std::int64_t k = forward ? out : in;
  switch (transform.kind) {
    case TransformKind::dft:
    case TransformKind::fft:
      return dft(sign, size, n, k);
    case TransformKind::dct:
      return dct(sign, transform.weighted, size, n, k);
    case TransformKind::dht:
      return dht(size, n, k);
    case TransformKind::wht:
      return wht(n, k);
    case TransformKind::dst:
      return dst(sign, transform.weighted, size, n, k);
    case TransformKind::matrix:
      return of_matrix(*transform.matrix, forward, in, out);
  }
  TOROID_CHECK(false);
}

}  // namespace toroid::fft
