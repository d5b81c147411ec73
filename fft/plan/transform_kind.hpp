// Separable transforms.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace toroid {

/// Of the exponent of the dft; which matrix of the others.
enum class Sign : int { forward = -1, inverse = +1 };

/// See fft/orbital/coefficients.hpp for what they sum.
enum class TransformKind : std::uint8_t { dft, dct, dht, wht };
inline constexpr std::array<std::string_view, 4> kTransformKindNames = {"dft", "dct", "dht", "wht"};

}  // namespace toroid
