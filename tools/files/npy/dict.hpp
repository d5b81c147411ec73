// Parses the Python dict literal in the header of a .npy file.
#pragma once

#include <string_view>

#include "hal/check.hpp"
#include "tools/files/npy/header.hpp"

namespace toroid::npy {

/// The header of a literal with exactly the keys descr, fortran_order and shape. Throws BadInput,
/// without the file's name, where the text is anything else.
Header parse_dict(std::string_view text);

BadInput unsupported_dtype(std::string_view dtype);
/// The dtypes that are read: all numbers of NumPy but the long doubles of other machines.
inline constexpr std::string_view kAcceptedDtypes =
    "expected b1, i1 to i8, u1 to u8, f2 to f8, c8 or c16 in either byte order, <f16 or <c32";

}  // namespace toroid::npy
