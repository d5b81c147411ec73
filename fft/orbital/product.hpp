// One node's share of a step: a block times a block of coefficients along one axis.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "fft/execute/local_array.hpp"
#include "fft/plan/transform_kind.hpp"

namespace toroid {

template <typename T>
struct RealOf {
  using type = T;
};
template <typename T>
struct RealOf<std::complex<T>> {
  using type = T;
};

/// Blocks of b x b x b elements of T: float, double or complex of these. Matrix products of a BLAS
/// on the blocks as they are: along axis 0 one of b x b by b x b², along axis 1 one per plane,
/// along axis 2 one of b² x b by b x b.
template <typename T>
class OrbitalProduct {
 public:
  using Real = typename RealOf<T>::type;
  static constexpr bool kComplex = !std::is_same_v<T, Real>;

  /// REQUIRES: T is complex where the kind's coefficients are.
  OrbitalProduct(TransformKind kind, unsigned axis, int block);

  /// Of a block of b x b coefficients.
  std::size_t coefficient_bytes() const;
  /// Writes the block that takes block `in` of an axis of `size` elements to block `out`.
  void fill(LocalArray& coefficients, Sign sign, std::int64_t size, unsigned in,
            unsigned out) const;
  /// sum = data·coefficients, added to what is there if `add`.
  void run(const LocalArray& coefficients, const T* data, bool add, T* sum);
  /// Real multiply-adds that it takes: b^4, twice as many if T is complex, four times if the
  /// coefficients are too.
  std::uint64_t fmas() const;

 private:
  template <typename U>
  void fill_as(U* place, Sign sign, std::int64_t size, unsigned in, unsigned out) const;
  /// With coefficients of type U, T or its real type.
  template <typename U>
  void run_as(const U* coefficients, const U* data, bool add, U* sum) const;
  void run_by_parts(const Real* coefficients, const T* data, bool add, T* sum);

  TransformKind kind_;
  unsigned axis_;
  int block_;
  bool same_type_;           ///< whether the coefficients are of type T
  std::vector<Real> parts_;  ///< of a plane: real, imaginary; before and after
};

extern template class OrbitalProduct<float>;
extern template class OrbitalProduct<double>;
extern template class OrbitalProduct<std::complex<float>>;
extern template class OrbitalProduct<std::complex<double>>;

}  // namespace toroid
