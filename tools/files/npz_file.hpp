// Reads NumPy's .npz: a zip archive with a .npy file for each array.
#pragma once

#include <cstddef>
#include <span>

#include "tools/files/npy.hpp"

namespace toroid {

/// Returns the only array of the archive `bytes`. Ignores members whose names do not end in .npy.
/// Throws BadInput, without the file's name, unless there is exactly one; lists several.
StoredArray stored_npz(std::span<const std::byte> bytes);

}  // namespace toroid
