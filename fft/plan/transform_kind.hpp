// The separable transforms.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

namespace toroid::fft {

class SquareMatrix;

/// The sign of the dft's exponent; for the other kinds, which of their two matrices.
enum class Sign : int { forward = -1, inverse = +1 };

/// fft/orbital/coefficients.hpp gives their formulas.
enum class TransformKind : std::uint8_t {
  dft,
  dct,
  dht,
  wht,
  dst,
  fft,     ///< the dft by factors, frequencies by digits: fft/orbital/factors.hpp
  matrix,  ///< the user's; AxisTransform has it
};
/// The names of those that need no matrix.
inline constexpr std::array<std::string_view, 6> kTransformKindNames = {"dft", "dct", "dht",
                                                                        "wht", "dst", "fft"};

/// The transform along one axis: one of the kinds, or a matrix of the user's.
struct AxisTransform {
  TransformKind kind = TransformKind::dft;
  std::shared_ptr<const SquareMatrix> matrix{};  ///< where kind says so

  AxisTransform() = default;
  AxisTransform(TransformKind kind) : kind(kind) {}  // a kind is a transform
  AxisTransform(std::shared_ptr<const SquareMatrix> matrix)
      : kind(TransformKind::matrix), matrix(std::move(matrix)) {}

  /// Whether its nodes transform lines of their blocks, and its frequencies are by digits.
  bool by_factors() const { return kind == TransformKind::fft; }
  /// Whether its matrix is the dft's.
  bool is_fourier() const { return kind == TransformKind::dft || by_factors(); }

  bool operator==(const AxisTransform&) const = default;
};

}  // namespace toroid::fft
