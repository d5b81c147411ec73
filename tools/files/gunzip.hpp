// Unpacks gzip files with zlib.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tools/files/leniency.hpp"

namespace toroid {

/// Whether a file that begins with these bytes is gzipped.
bool is_gzip(std::span<const std::byte> bytes);
/// The content of a gzip file of one or more members. `leniency` may excuse bytes after them.
/// Throws BadInput if the file is damaged.
std::vector<std::byte> gunzipped(std::span<const std::byte> bytes, const Leniency& leniency = {});

}  // namespace toroid
