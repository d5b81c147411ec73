#include "fft/orbital/product.hpp"

#include <utility>

#include "fft/kernels/blas.hpp"
#include "fft/orbital/coefficients.hpp"
#include "fft/orbital/plan.hpp"
#include "hal/check.hpp"

namespace toroid::fft {
namespace {

template <typename U>
U rounded(const std::complex<long double>& value) {
  using Real = typename RealOf<U>::type;
  if constexpr (std::is_same_v<U, Real>)
    return static_cast<Real>(value.real());
  else
    return {static_cast<Real>(value.real()), static_cast<Real>(value.imag())};
}

/// Writes the real parts, then the imaginary parts.
template <typename Real>
void part(const std::complex<Real>* from, std::size_t count, Real* parts) {
  for (std::size_t i = 0; i < count; ++i) {
    parts[i] = from[i].real();
    parts[count + i] = from[i].imag();
  }
}

template <typename Real>
void join(const Real* parts, std::size_t count, bool add, std::complex<Real>* to) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::complex<Real> value(parts[i], parts[count + i]);
    to[i] = add ? to[i] + value : value;
  }
}

}  // namespace

template <typename T>
OrbitalProduct<T>::OrbitalProduct(AxisTransform transform, unsigned axis, const Block& block)
    : transform_(std::move(transform)),
      axis_(axis),
      block_(block),
      same_type_(!kComplex || has_complex_coefficients(transform_)),
      parts_(same_type_ || axis != 2 ? 0 : 4 * plane_elements()) {
  TOROID_CHECK(kComplex || !has_complex_coefficients(transform_));
}

template <typename T>
OrbitalProduct<T>::OrbitalProduct(const OrbitalPlan& plan, unsigned axis)
    : OrbitalProduct(plan.options().kinds[axis], axis,
                     {plan.block(0), plan.block(1), plan.block(2)}) {}

template <typename T>
std::size_t OrbitalProduct<T>::coefficient_bytes() const {
  const auto b = by_factors() ? 1 : static_cast<std::size_t>(edge());
  return b * b * (same_type_ ? sizeof(T) : sizeof(Real));
}

template <typename T>
void OrbitalProduct<T>::fill(std::byte* coefficients, Sign sign, std::int64_t size, unsigned in,
                             unsigned out) const {
  if (by_factors())
    *reinterpret_cast<T*>(coefficients) =
        rounded<T>(coefficient(TransformKind::dft, sign, size / edge(), in, out));
  else if (same_type_)
    fill_as(reinterpret_cast<T*>(coefficients), sign, size, in, out);
  else
    fill_as(reinterpret_cast<Real*>(coefficients), sign, size, in, out);
}

template <typename T>
template <typename U>
void OrbitalProduct<T>::fill_as(U* place, Sign sign, std::int64_t size, unsigned in,
                                unsigned out) const {
  const std::int64_t first_in = std::int64_t{in} * edge();
  const std::int64_t first_out = std::int64_t{out} * edge();
  for (std::int64_t i = first_in; i < first_in + edge(); ++i)
    for (std::int64_t o = first_out; o < first_out + edge(); ++o)
      *place++ = rounded<U>(coefficient(transform_, sign, size, i, o));
}

template <typename T>
void OrbitalProduct<T>::run(const std::byte* coefficients, const T* data, bool add, T* sum,
                            const Planes& planes) {
  const auto* const real = reinterpret_cast<const Real*>(coefficients);
  if (by_factors())
    run_by_factor(reinterpret_cast<const T*>(coefficients), data, add, sum, planes);
  else if (same_type_)
    run_as(reinterpret_cast<const T*>(coefficients), data, add, sum, planes);
  else if (axis_ == 2)
    run_by_parts(real, data, add, sum, planes);
  else
    run_as(real, reinterpret_cast<const Real*>(data), add, reinterpret_cast<Real*>(sum), planes);
}

/// Along axis 0 the planes select columns of the coefficients; along other axes, planes of the
/// data.
template <typename T>
template <typename U>
void OrbitalProduct<T>::run_as(const U* coefficients, const U* data, bool add, U* sum,
                               const Planes& planes) const {
  const auto [a, b, c] = block_;
  const int row = c * static_cast<int>(sizeof(T) / sizeof(U));  // elements of U along the last axis
  const U beta = add ? U(1) : U(0);
  const std::ptrdiff_t plane = std::ptrdiff_t{b} * row;
  sum += planes.first * plane;
  if (axis_ == 0)
    return multiply(Transpose::yes, {planes.count, b * row, a, a}, coefficients + planes.first,
                    data, beta, sum);
  data += planes.first * plane;
  if (axis_ == 2)
    return multiply(Transpose::no, {planes.count * b, c, c}, data, coefficients, beta, sum);
  for (int i = 0; i < planes.count; ++i, data += plane, sum += plane)
    multiply(Transpose::yes, {b, row, b}, coefficients, data, beta, sum);
}

template <typename T>
void OrbitalProduct<T>::run_by_factor([[maybe_unused]] const T* factor,
                                      [[maybe_unused]] const T* data, [[maybe_unused]] bool add,
                                      [[maybe_unused]] T* sum,
                                      [[maybe_unused]] const Planes& planes) const {
  if constexpr (kComplex) {
    const std::size_t begin = static_cast<std::size_t>(planes.first) * plane_elements();
    const std::size_t end = begin + static_cast<std::size_t>(planes.count) * plane_elements();
    const T number = *factor;
    for (std::size_t i = begin; i < end; ++i) {
      const T product = times(data[i], number);
      sum[i] = add ? sum[i] + product : product;
    }
  }
}

/// Goes plane by plane, so that the real and imaginary parts stay in the cache.
template <typename T>
void OrbitalProduct<T>::run_by_parts([[maybe_unused]] const Real* coefficients,
                                     [[maybe_unused]] const T* data, [[maybe_unused]] bool add,
                                     [[maybe_unused]] T* sum,
                                     [[maybe_unused]] const Planes& planes) {
  if constexpr (kComplex) {
    const std::size_t plane = parts_.size() / 4;
    Real* const before = parts_.data();
    Real* const after = before + 2 * plane;
    const int b = block_[1];
    const int c = block_[2];
    data += static_cast<std::size_t>(planes.first) * plane;
    sum += static_cast<std::size_t>(planes.first) * plane;
    for (int i = 0; i < planes.count; ++i, data += plane, sum += plane) {
      part(data, plane, before);
      multiply(Transpose::no, {2 * b, c, c}, before, coefficients, Real(0), after);
      join(after, plane, add, sum);
    }
  }
}

template <typename T>
std::uint64_t OrbitalProduct<T>::fmas_of_plane() const {
  std::uint64_t fmas = !kComplex ? 1 : has_complex_coefficients(transform_) ? 4 : 2;
  if (!by_factors()) fmas *= static_cast<std::uint64_t>(edge());
  return fmas * plane_elements();
}

template class OrbitalProduct<float>;
template class OrbitalProduct<double>;
template class OrbitalProduct<std::complex<float>>;
template class OrbitalProduct<std::complex<double>>;

}  // namespace toroid::fft
