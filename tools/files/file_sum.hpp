// A checksum that tells files apart that changed.
#pragma once

#include <span>
#include <string>

namespace toroid {

/// CRC-32 of a file's bytes, eight hexadecimal digits; of nothing where it cannot be read.
std::string file_sum(const std::string& path);
/// The same of several files, one behind the other.
std::string file_sum(std::span<const std::string> paths);

}  // namespace toroid
