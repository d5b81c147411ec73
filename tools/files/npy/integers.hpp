// Tables of integers in NumPy's .npy format, every one exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <span>
#include <vector>

namespace toroid {

struct NpyIntegers {
  std::vector<std::size_t> shape;
  std::vector<std::int64_t> values;  ///< in C order, whatever the file's order
};

/// Reads a .npy file of integers of 1 to 8 bytes, signed or not, in either byte order. Of those
/// beyond 2^63 - 1 it reads that. Throws BadInput that begins with the file's name.
NpyIntegers read_npy_integers(const std::filesystem::path& path);

/// Writes format 1.0, `<i4` or `<i8`, in C order. A failure to write stays in the state of `out`.
void write_npy(std::ostream& out, std::span<const std::size_t> shape,
               std::span<const std::int32_t> values);
void write_npy(std::ostream& out, std::span<const std::size_t> shape,
               std::span<const std::int64_t> values);

}  // namespace toroid
