// Reads NumPy's .npz: a zip archive with a .npy file for each array.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "tools/files/leniency.hpp"
#include "tools/files/npy.hpp"

namespace toroid {

/// Returns an array of the archive `bytes`: the one called `name` or, if `name` is empty, the only
/// one. Ignores members whose names do not end in .npy. Throws BadInput if there is no such array.
/// The message does not have the file's name; it lists the arrays.
StoredArray stored_npz(std::span<const std::byte> bytes, std::string_view name,
                       const Leniency& leniency = {});

}  // namespace toroid
