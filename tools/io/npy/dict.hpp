// The Python dict literal in the header of a .npy file.
#pragma once

#include <string_view>

#include "hal/check.hpp"
#include "tools/io/npy/header.hpp"

namespace toroid::npy {

/// Throws BadInput, without the file's name, where the text is not exactly such a literal with the
/// keys descr, fortran_order and shape.
Header parse_dict(std::string_view text);

BadInput unsupported_dtype(std::string_view dtype);
/// NumPy's numbers, all but what a machine's own long double may be elsewhere.
inline constexpr std::string_view kAcceptedDtypes =
    "expected b1, i1 to i8, u1 to u8, f2 to f8, c8 or c16 in either byte order, <f16 or <c32";

}  // namespace toroid::npy
