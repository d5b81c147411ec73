#include "tools/files/file_sum.hpp"

#include <fmt/core.h>
#include <zlib.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ios>
#include <vector>

#include "hal/check.hpp"

namespace toroid {
namespace {

/// `crc` goes on with the file's bytes.
unsigned long crc_with(unsigned long crc, const std::string& path) {
  if (std::filesystem::exists(path) && !std::filesystem::is_regular_file(path))
    throw BadInput(one_line(path + " is not a regular file"));  // such a one may never end
  std::ifstream file(path, std::ios::binary);
  std::vector<char> block(std::size_t{1} << 16);
  do {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    crc = ::crc32_z(crc, reinterpret_cast<const unsigned char*>(block.data()),
                    static_cast<std::size_t>(file.gcount()));
  } while (file);
  return crc;
}

}  // namespace

std::string file_sum(const std::string& path) {
  return file_sum(std::span(&path, 1));
}

std::string file_sum(std::span<const std::string> paths) {
  unsigned long crc = ::crc32_z(0, nullptr, 0);
  for (const std::string& path : paths) crc = crc_with(crc, path);
  return fmt::format("{:08x}", crc);
}

}  // namespace toroid
