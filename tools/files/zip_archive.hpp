// Reads zip archives with libzip.
#pragma once

#include <zip.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace toroid {

/// Whether a file that begins with these bytes is a zip archive.
bool is_zip(std::span<const std::byte> bytes);

/// An archive in memory. The memory must outlive this object.
class ZipArchive {
 public:
  /// Throws BadInput if the bytes are not a complete archive.
  explicit ZipArchive(std::span<const std::byte> bytes);

  /// The names of the members, in the order of the archive's directory.
  std::vector<std::string> names() const;
  /// Returns a member's content after checking its CRC. Throws BadInput if it is encrypted,
  /// truncated, damaged or compressed by a method that libzip does not support.
  std::vector<std::byte> content(std::size_t member) const;

 private:
  std::size_t bytes_;
  std::unique_ptr<zip_t, decltype(&::zip_discard)> archive_;
};

}  // namespace toroid
