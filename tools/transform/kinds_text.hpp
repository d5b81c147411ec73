// Kinds of transforms as typed after --transform.
#pragma once

#include <array>
#include <string>

#include "fft/plan/transform_kind.hpp"

namespace toroid {

/// The transform of each axis. The text has one name for all axes, or three names such as
/// "dct,dft,wht"; the name matrix:FILE stands for a multiplication by the matrix in the file.
/// Throws BadInput.
std::array<fft::AxisTransform, 3> kinds_of(const std::string& text);

/// Whether an axis is transformed by factors, which uses line transforms.
bool transforms_lines(const std::string& text);

}  // namespace toroid
