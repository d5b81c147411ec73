// What zlib unpacks.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace toroid {

/// Whether a file that begins so is compressed with gzip.
bool is_gzip(std::span<const std::byte> bytes);
/// The content of a gzip file of one member or several. Throws BadInput where it is damaged.
std::vector<std::byte> gunzipped(std::span<const std::byte> bytes);

/// What a deflated member of a zip archive holds: exactly `size` bytes. Throws BadInput where it is
/// damaged or holds more or less; allocates no more than its own bytes can unpack to.
std::vector<std::byte> inflated(std::span<const std::byte> bytes, std::size_t size);

}  // namespace toroid
