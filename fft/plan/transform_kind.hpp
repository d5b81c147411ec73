// The separable transforms.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace toroid::fft {

/// The sign of the dft's exponent; for the other kinds, which of their two matrices.
enum class Sign : int { forward = -1, inverse = +1 };

/// fft/orbital/coefficients.hpp gives their formulas.
enum class TransformKind : std::uint8_t { dft, dct, dht, wht };
inline constexpr std::array<std::string_view, 4> kTransformKindNames = {"dft", "dct", "dht", "wht"};

}  // namespace toroid::fft
