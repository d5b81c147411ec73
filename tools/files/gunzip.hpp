// Unpacks gzip files with zlib.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace toroid {

/// Whether a file that begins with these bytes is gzipped.
bool is_gzip(std::span<const std::byte> bytes);
/// The content of a gzip file of one or more members. Throws BadInput if it is damaged.
std::vector<std::byte> gunzipped(std::span<const std::byte> bytes);

}  // namespace toroid
