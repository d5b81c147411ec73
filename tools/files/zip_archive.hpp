// Reads zip archives as NumPy and others write them: members stored or deflated, with or without
// Zip64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace toroid {

/// A member as the archive's directory describes it.
struct ZipMember {
  std::string name;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::uint32_t crc = 0;
  std::uint64_t packed_size = 0;  ///< bytes
  std::uint64_t size = 0;         ///< bytes
  std::uint64_t offset = 0;       ///< bytes before its local header
};

/// Whether a file that begins with these bytes is a zip archive.
bool is_zip(std::span<const std::byte> bytes);

/// The members of the archive `bytes`, in the order of its directory. Throws BadInput.
std::vector<ZipMember> zip_members(std::span<const std::byte> bytes);

/// A member's content with its CRC checked. Throws BadInput where it is encrypted, compressed by
/// another method, truncated or damaged.
std::vector<std::byte> zip_content(std::span<const std::byte> bytes, const ZipMember& member);

}  // namespace toroid
