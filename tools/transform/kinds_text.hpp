// Kinds of transforms as typed after --transform.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "fft/layout/box.hpp"
#include "fft/plan/transform_kind.hpp"

namespace toroid {

/// The transforms along the axes.
using AxisTransforms = std::array<fft::AxisTransform, fft::kMaxAxes>;

/// Reads one name for all axes, or a name for each axis such as "dct,dft,wht". The name matrix:FILE
/// stands for a multiplication by the matrix in the file. Axes beyond those named have the dft.
/// Throws BadInput.
AxisTransforms kinds_of(const std::string& text);
/// Throws BadInput if the text has several names, but not one for each axis of the array.
void check_number_of_kinds(const std::string& text, std::size_t axes);

/// Whether an axis is transformed by factors, which uses line transforms.
bool transforms_lines(const std::string& text);

}  // namespace toroid
