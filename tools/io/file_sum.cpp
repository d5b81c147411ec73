#include "tools/io/file_sum.hpp"

#include <fmt/core.h>
#include <zlib.h>

#include <cstddef>
#include <fstream>
#include <ios>
#include <string>
#include <vector>

namespace toroid {

std::string file_sum(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> block(std::size_t{1} << 16);
  unsigned long crc = ::crc32_z(0, nullptr, 0);
  do {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    crc = ::crc32_z(crc, reinterpret_cast<const unsigned char*>(block.data()),
                    static_cast<std::size_t>(file.gcount()));
  } while (file);
  return fmt::format("{:08x}", crc);
}

}  // namespace toroid
