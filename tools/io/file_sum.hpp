// A checksum that tells files apart that changed.
#pragma once

#include <string>

namespace toroid {

/// CRC-32 of a file's bytes, eight hexadecimal digits; of nothing where it cannot be read.
std::string file_sum(const std::string& path);

}  // namespace toroid
