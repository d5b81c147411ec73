#include "tools/files/npy/npy.hpp"

#include <cstring>

#include "tools/files/npy/element.hpp"
#include "tools/files/npy/file.hpp"
#include "tools/files/npy/header.hpp"

namespace toroid {

NpyArray decoded(const StoredArray& array) {
  return {array.shape,
          npy::decode(array.data, array.shape, array.fortran_order, npy::format_of(array.dtype)),
          array.dtype};
}

bool is_npy(std::span<const std::byte> bytes) {
  return bytes.size() >= npy::kMagic.size() &&
         std::memcmp(bytes.data(), npy::kMagic.data(), npy::kMagic.size()) == 0;
}

NpyArray parse_npy(std::span<const std::byte> bytes, std::string_view name) {
  return npy::naming(name, [bytes] { return decoded(npy::stored(bytes)); });
}

NpyArray read_npy(const std::filesystem::path& path) {
  return npy::naming(path.native(), [&path] {
    const std::vector<std::byte> bytes = npy::read_bytes(path, is_npy);
    return decoded(npy::stored(bytes));
  });
}

}  // namespace toroid
