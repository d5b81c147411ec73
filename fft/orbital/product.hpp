// The product of a step of the orbital transform: a block of the array times a block of
// coefficients along one axis.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "fft/plan/transform_kind.hpp"

namespace toroid::fft {

class OrbitalPlan;

template <typename T>
struct RealOf {
  using type = T;
};
template <typename T>
struct RealOf<std::complex<T>> {
  using type = T;
};

/// a·b by the usual formula. operator* would also check for infinities, which never occur in
/// coefficients.
template <typename Real>
constexpr std::complex<Real> times(const std::complex<Real>& a, const std::complex<Real>& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Multiplies blocks of a x b x c elements of T: float, double or complex of these. A BLAS computes
/// matrix products on the blocks in their C order. For p planes of the sum: along axis 0, one
/// product of p x a by a x bc; along axis 1, one of b x b by b x c per plane; along axis 2, one of
/// pb x c by c x c.
template <typename T>
class OrbitalProduct {
 public:
  using Real = typename RealOf<T>::type;
  static constexpr bool kComplex = !std::is_same_v<T, Real>;

  /// Extents of a block.
  using Block = std::array<int, 3>;

  /// REQUIRES: T is complex if the transform's coefficients are.
  OrbitalProduct(AxisTransform transform, unsigned axis, const Block& block);
  /// The product for a plan's blocks and its transform along an axis.
  OrbitalProduct(const OrbitalPlan& plan, unsigned axis);

  /// Bytes of a block of coefficients. If the array's block has b elements along the axis, there
  /// are b x b coefficients, or a single one if the axis is transformed by factors. They are stored
  /// as real numbers if the transform's coefficients are real.
  std::size_t coefficient_bytes() const;
  /// Fills a block with the coefficients that lead from block `in` to block `out` of an axis of
  /// `size` elements. By factors, this is the single coefficient by which block `in` is multiplied.
  void fill(std::byte* coefficients, Sign sign, std::int64_t size, unsigned in, unsigned out) const;
  /// Planes of the sum: `count` indices along axis 0, from `first` on. They are contiguous in
  /// memory.
  struct Planes {
    int first;
    int count;
  };
  /// sum = data·coefficients, or sum += data·coefficients if `add`, for some planes of the sum.
  void run(const std::byte* coefficients, const T* data, bool add, T* sum, const Planes& planes);
  /// Number of real multiply-adds for one plane: its number of elements times the block's length
  /// along the product's axis (by factors: times 1). Twice as many if T is complex, four times as
  /// many if the coefficients are complex too.
  std::uint64_t fmas_of_plane() const;

 private:
  template <typename U>
  void fill_as(U* place, Sign sign, std::int64_t size, unsigned in, unsigned out) const;
  /// Multiplies by coefficients of type U, which is T or its real type.
  template <typename U>
  void run_as(const U* coefficients, const U* data, bool add, U* sum, const Planes& planes) const;
  /// Multiplies all elements by the same number.
  void run_by_factor(const T* factor, const T* data, bool add, T* sum, const Planes& planes) const;
  /// Multiplies complex data by real coefficients along the last axis: real and imaginary parts
  /// separately.
  void run_by_parts(const Real* coefficients, const T* data, bool add, T* sum,
                    const Planes& planes);

  /// Number of elements of a block along the axis of the product.
  int edge() const { return block_[axis_]; }
  bool by_factors() const { return transform_.by_factors(); }
  std::size_t plane_elements() const {
    return static_cast<std::size_t>(block_[1]) * static_cast<std::size_t>(block_[2]);
  }

  AxisTransform transform_;
  unsigned axis_;
  Block block_;
  bool same_type_;           ///< whether the coefficients are of type T
  std::vector<Real> parts_;  ///< real and imaginary parts of a plane, then those of its product
};

extern template class OrbitalProduct<float>;
extern template class OrbitalProduct<double>;
extern template class OrbitalProduct<std::complex<float>>;
extern template class OrbitalProduct<std::complex<double>>;

}  // namespace toroid::fft
