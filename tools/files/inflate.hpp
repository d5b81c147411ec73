// Unpacks gzip files and deflated data with zlib.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace toroid {

/// Whether a file that begins with these bytes is compressed with gzip.
bool is_gzip(std::span<const std::byte> bytes);
/// The content of a gzip file of one member or several. Throws BadInput where it is damaged.
std::vector<std::byte> gunzipped(std::span<const std::byte> bytes);

/// The content of a deflated member of a zip archive, exactly `size` bytes. Throws BadInput where
/// the member is damaged or has another size; allocates no more than its bytes can unpack to.
std::vector<std::byte> inflated(std::span<const std::byte> bytes, std::size_t size);

}  // namespace toroid
