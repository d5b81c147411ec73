#include "tools/io/npy/npy.hpp"

#include <cstring>

#include "tools/io/npy/file.hpp"
#include "tools/io/npy/header.hpp"

namespace toroid {
bool is_npy(std::span<const std::byte> bytes) {
  return bytes.size() >= npy::kMagic.size() &&
         std::memcmp(bytes.data(), npy::kMagic.data(), npy::kMagic.size()) == 0;
}

NpyArray parse_npy(std::span<const std::byte> bytes, std::string_view name) {
  return npy::naming(name, [bytes] { return npy::parse(bytes); });
}

NpyArray read_npy(const std::filesystem::path& path) {
  return npy::naming(path.native(), [&path] { return npy::parse(npy::read_bytes(path, is_npy)); });
}

}  // namespace toroid
