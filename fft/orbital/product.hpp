// The product of a step of the orbital transform: a block of the array times a block of
// coefficients along one axis.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "fft/execute/local_array.hpp"
#include "fft/plan/transform_kind.hpp"

namespace toroid::fft {

template <typename T>
struct RealOf {
  using type = T;
};
template <typename T>
struct RealOf<std::complex<T>> {
  using type = T;
};

/// Multiplies blocks of b x b x b elements of T: float, double or complex of these. A BLAS computes
/// matrix products on the blocks in their C order. For p planes of the sum: along axis 0 one of
/// p x b by b x b², along axis 1 one of b x b by b x b per plane, along axis 2 one of pb x b by
/// b x b.
template <typename T>
class OrbitalProduct {
 public:
  using Real = typename RealOf<T>::type;
  static constexpr bool kComplex = !std::is_same_v<T, Real>;

  /// REQUIRES: T is complex if the kind's coefficients are.
  OrbitalProduct(TransformKind kind, unsigned axis, int block);

  /// Bytes of a block of b x b coefficients, which are real if the kind's are.
  std::size_t coefficient_bytes() const;
  /// Writes the block of coefficients from block `in` of an axis of `size` elements to block `out`.
  void fill(LocalArray& coefficients, Sign sign, std::int64_t size, unsigned in,
            unsigned out) const;
  /// Planes of the sum: its rows along axis 0 from `first` on, which are contiguous.
  struct Planes {
    int first;
    int count;
  };
  /// sum = data·coefficients, or sum += data·coefficients if `add`, for some planes of the sum.
  void run(const LocalArray& coefficients, const T* data, bool add, T* sum, const Planes& planes);
  /// Real multiply-adds for one plane: b^3; twice as many if T is complex, four times as many if
  /// the coefficients are complex too.
  std::uint64_t fmas_of_plane() const;

 private:
  template <typename U>
  void fill_as(U* place, Sign sign, std::int64_t size, unsigned in, unsigned out) const;
  /// Multiplies by coefficients of type U, which is T or its real type.
  template <typename U>
  void run_as(const U* coefficients, const U* data, bool add, U* sum, const Planes& planes) const;
  /// Complex data by real coefficients along the last axis: real and imaginary parts apart.
  void run_by_parts(const Real* coefficients, const T* data, bool add, T* sum,
                    const Planes& planes);

  TransformKind kind_;
  unsigned axis_;
  int block_;
  bool same_type_;           ///< the coefficients are of type T
  std::vector<Real> parts_;  ///< real and imaginary parts of a plane, then those of its product
};

extern template class OrbitalProduct<float>;
extern template class OrbitalProduct<double>;
extern template class OrbitalProduct<std::complex<float>>;
extern template class OrbitalProduct<std::complex<double>>;

}  // namespace toroid::fft
