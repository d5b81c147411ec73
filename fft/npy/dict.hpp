// The Python dict literal in the header of a .npy file.
#pragma once

#include "fft/npy/header.hpp"
#include "hal/check.hpp"

namespace toroid::npy {

/// Throws BadInput, without the file's name, where the text is not exactly such a literal with the
/// keys descr, fortran_order and shape.
Header parse_dict(std::string_view text);

BadInput unsupported_dtype(std::string_view dtype);
inline constexpr std::string_view kAcceptedDtypes = "expected one of <f4, <f8, <c8, <c16";

}  // namespace toroid::npy
