// Reads NumPy's .npz: a zip archive with a .npy file for each array.
#pragma once

#include <cstddef>
#include <span>

#include "tools/files/npy.hpp"

namespace toroid {

/// Returns the only array of the archive `bytes`. Ignores members whose names do not end in .npy.
/// Throws BadInput unless there is exactly one array. The message does not have the file's name; if
/// there are several arrays, it lists them.
StoredArray stored_npz(std::span<const std::byte> bytes);

}  // namespace toroid
