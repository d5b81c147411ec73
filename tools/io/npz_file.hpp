// NumPy's .npz: a zip archive with a .npy file for each array.
#pragma once

#include <cstddef>
#include <span>

#include "tools/io/npy/npy.hpp"

namespace toroid {

/// The one array of the archive that `bytes` are. Members whose names do not end in .npy are no
/// arrays and are left alone. Throws BadInput, without the file's name: where there are several
/// arrays, with their names.
NpyArray parse_npz(std::span<const std::byte> bytes);

}  // namespace toroid
