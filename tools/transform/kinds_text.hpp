// Kinds of transforms as --transform has them.
#pragma once

#include <array>
#include <string>

#include "fft/plan/transform_kind.hpp"

namespace toroid {

/// Of each axis: one name for all or three, as "dct,dft,wht"; matrix:FILE by the matrix of that
/// file. Throws BadInput.
std::array<fft::AxisTransform, 3> kinds_of(const std::string& text);

/// Whether an axis of such a text is transformed by factors, which takes line transforms.
bool transforms_lines(const std::string& text);

}  // namespace toroid
