// Reads NumPy's .npz: a zip archive with a .npy file for each array.
#pragma once

#include <cstddef>
#include <span>

#include "tools/files/npy.hpp"

namespace toroid {

/// The one array of the archive `bytes`. Members whose names do not end in .npy are ignored. Throws
/// BadInput, without the file's name; where there are several arrays it names them.
StoredArray stored_npz(std::span<const std::byte> bytes);

}  // namespace toroid
