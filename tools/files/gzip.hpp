// Unpacks gzip files with zlib.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace toroid {

/// Whether a file that begins with these bytes is compressed with gzip.
bool is_gzip(std::span<const std::byte> bytes);
/// The content of a gzip file of one member or several. Throws BadInput where it is damaged.
std::vector<std::byte> gunzipped(std::span<const std::byte> bytes);

}  // namespace toroid
