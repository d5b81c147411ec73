// The transforms by their definitions, in long double. All methods are compared with them. They use
// no code under test except the names of the kinds.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <numbers>
#include <random>
#include <span>
#include <vector>

#include "fft/plan/transform_kind.hpp"

namespace toroid::testing {

using Exact = std::complex<long double>;

/// One axis of an array in C order.
struct ReferenceAxis {
  std::size_t extent = 1;
  fft::TransformKind kind = fft::TransformKind::dft;
  fft::Sign sign = fft::Sign::forward;
  std::vector<Exact> own{};  ///< the user's matrix, row by row; empty if the kind's is used
};

/// The factor by which x[in] contributes to X[out].
inline Exact reference_coefficient(const ReferenceAxis& axis, std::size_t in, std::size_t out) {
  const bool forward = axis.sign == fft::Sign::forward;
  const std::size_t size = axis.extent;
  const std::size_t n = forward ? in : out;
  const std::size_t k = forward ? out : in;
  const auto half_turns = [](std::size_t part, std::size_t whole) {  // part/whole of π
    return std::numbers::pi_v<long double> * static_cast<long double>(part % (2 * whole)) /
           static_cast<long double>(whole);
  };
  const long double angle = half_turns(2 * n * k, size);
  if (axis.kind == fft::TransformKind::dft) return std::polar(1.0L, forward ? -angle : angle);
  if (axis.kind == fft::TransformKind::dht) return std::cos(angle) - std::sin(angle);
  if (axis.kind == fft::TransformKind::dct)
    return std::cos(half_turns((2 * n + 1) * k, 2 * size)) * (forward || k == 0 ? 1 : 2);
  if (axis.kind == fft::TransformKind::dst)
    return std::sin(half_turns((2 * n + 1) * (k + 1), 2 * size)) *
           (forward || k + 1 == size ? 1 : 2);
  int sign = 1;
  for (std::size_t both = n & k; both != 0; both &= both - 1) sign = -sign;
  return sign;
}

/// The matrix of an axis, row by row: [out · extent + in].
inline std::vector<Exact> reference_matrix(const ReferenceAxis& axis) {
  if (!axis.own.empty()) return axis.own;
  std::vector<Exact> matrix;
  for (std::size_t out = 0; out < axis.extent; ++out)
    for (std::size_t in = 0; in < axis.extent; ++in)
      matrix.push_back(reference_coefficient(axis, in, out));
  return matrix;
}

/// Transforms along one axis, whose elements are `stride` apart.
inline void reference_transform(const ReferenceAxis& axis, std::size_t stride,
                                std::vector<Exact>& array) {
  const std::vector<Exact> matrix = reference_matrix(axis);
  std::vector<Exact> line(axis.extent);
  for (std::size_t first = 0; first < array.size(); ++first) {
    if (first / stride % axis.extent != 0) continue;
    for (std::size_t n = 0; n < axis.extent; ++n) line[n] = array[first + n * stride];
    for (std::size_t k = 0; k < axis.extent; ++k) {
      Exact sum = 0;
      for (std::size_t n = 0; n < axis.extent; ++n) sum += matrix[k * axis.extent + n] * line[n];
      array[first + k * stride] = sum;
    }
  }
}

/// The unscaled transform along all axes; the first axis is the slowest in memory.
inline std::vector<Exact> reference_transform(std::span<const ReferenceAxis> axes,
                                              std::vector<Exact> array) {
  std::size_t stride = array.size();
  for (const ReferenceAxis& axis : axes) {
    stride /= axis.extent;
    reference_transform(axis, stride, array);
  }
  return array;
}

/// Converts real or complex numbers to exact ones.
template <typename T>
std::vector<Exact> exactly(std::span<const T> values) {
  std::vector<Exact> exact;
  for (const std::complex<long double> value : values) exact.push_back(value);
  return exact;
}

/// Random numbers, uniform in [-1, 1]. If T is complex, both parts are random.
template <typename T>
std::vector<T> noise_of(std::size_t count, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<T> values(count);
  for (T& value : values) {
    if constexpr (std::is_floating_point_v<T>) {
      value = static_cast<T>(uniform(engine));
    } else {
      using Real = typename T::value_type;
      value.real(static_cast<Real>(uniform(engine)));
      value.imag(static_cast<Real>(uniform(engine)));
    }
  }
  return values;
}

/// Whether all bits are equal. By this measure 0 and -0 differ.
template <typename T>
bool equal_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

/// |a - scale·b| / |scale·b| in the Euclidean norm; 1 if the sizes differ.
inline double relative_l2(std::span<const Exact> a, std::span<const Exact> b,
                          long double scale = 1) {
  if (a.size() != b.size()) return 1;
  long double difference = 0;
  long double norm = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += std::norm(a[i] - scale * b[i]);
    norm += std::norm(scale * b[i]);
  }
  return static_cast<double>(std::sqrt(difference / std::max(norm, 1e-300L)));
}

}  // namespace toroid::testing
