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

/// An archive in memory, which outlives this.
class ZipArchive {
 public:
  /// Throws BadInput where the bytes are no whole archive.
  explicit ZipArchive(std::span<const std::byte> bytes);

  /// The names of its members, in the order of its directory.
  std::vector<std::string> names() const;
  /// A member's content, its CRC checked. Throws BadInput where it is encrypted, truncated, damaged
  /// or compressed by a method that libzip does not read.
  std::vector<std::byte> content(std::size_t member) const;

 private:
  std::size_t bytes_;
  std::unique_ptr<zip_t, decltype(&::zip_discard)> archive_;
};

}  // namespace toroid
