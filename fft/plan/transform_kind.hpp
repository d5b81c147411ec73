// The separable transforms.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace toroid::fft {

class SquareMatrix;

/// The sign of the dft's exponent. For the other kinds of transforms, it says which of their two
/// matrices is used.
enum class Sign : int { forward = -1, inverse = +1 };

/// The kinds of transforms. Their formulas are in fft/orbital/coefficients.hpp.
enum class TransformKind : std::uint8_t {
  dft,
  dct,
  dht,
  wht,
  dst,
  fft,     ///< the dft by factors, with frequencies in digit order: fft/orbital/factors.hpp
  matrix,  ///< a user-defined matrix, held in AxisTransform
};
/// The names of the kinds that need no user-defined matrix.
inline constexpr std::array<std::string_view, 6> kTransformKindNames = {"dft", "dct", "dht",
                                                                        "wht", "dst", "fft"};

/// The transform along one axis: one of the kinds, or a user-defined matrix.
struct AxisTransform {
  TransformKind kind = TransformKind::dft;
  std::shared_ptr<const SquareMatrix> matrix{};  ///< set if kind is `matrix`
  /// For dct and dst: with the weight that makes the rows of the matrix equally long
  /// (fft/orbital/coefficients.hpp). Plans set it as Description::norm asks.
  bool weighted = false;

  AxisTransform() = default;
  AxisTransform(TransformKind kind) : kind(kind) {}  // implicit: a kind is a transform
  AxisTransform(std::shared_ptr<const SquareMatrix> matrix)
      : kind(TransformKind::matrix), matrix(std::move(matrix)) {}

  /// Whether it is the dft by factors: nodes transform lines of their own blocks, and frequencies
  /// are in digit order.
  bool by_factors() const { return kind == TransformKind::fft; }
  /// Whether it is a discrete Fourier transform, in whichever frequency order.
  bool is_fourier() const { return kind == TransformKind::dft || by_factors(); }

  bool operator==(const AxisTransform&) const = default;
};

/// The name of a transform: "matrix NAME" for a matrix, otherwise that of its kind, such as "dct".
std::string name_of(const AxisTransform& transform);

}  // namespace toroid::fft
