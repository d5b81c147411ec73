// Reads and writes arrays in NumPy's .npy format, as std::complex<double> or as exact integers.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace toroid {

struct MapFrame;

/// NumPy's limit on the number of dimensions.
inline constexpr std::size_t kMaxNpyDimensions = 32;

/// An array as it lies in a file.
struct StoredArray {
  std::string dtype;  ///< as NumPy names it, e.g. "<f4"
  bool fortran_order = false;
  std::vector<std::size_t> shape;     ///< 0 to kMaxNpyDimensions extents; an extent may be 0
  std::span<const std::byte> data{};  ///< bytes of the elements; their size matches the shape
  /// Owner of `data`; null if the caller owns it.
  std::shared_ptr<const std::vector<std::byte>> owner{};
  std::shared_ptr<const MapFrame> frame{};  ///< of a map; null for all other formats
};

struct NpyArray {
  std::vector<std::size_t> shape;            ///< 0 to kMaxNpyDimensions extents; each may be 0
  std::vector<std::complex<double>> values;  ///< in C order, whatever the file's order
  std::string dtype;                         ///< as in the file, e.g. "<f4"
};

/// The element types that can be written, all little-endian.
enum class NpyType { f4, f8, c8, c16 };

/// Converts the elements to double precision and C order.
NpyArray decoded(const StoredArray& array);

/// Whether a file that begins with these bytes is a .npy file.
bool is_npy(std::span<const std::byte> bytes);

/// Reads a complete .npy file from memory: format 1.0, 2.0 or 3.0, C or Fortran order, elements of
/// any boolean, integer, float or complex type in either byte order (long double in the machine's
/// own). Integers of more than 53 bits and long doubles are rounded to the nearest double; all
/// other finite elements are converted exactly, and the imaginary part of a real element is +0. For
/// anything else throws BadInput with a message that begins with `name`. Allocates in proportion to
/// bytes.size(), whatever the header claims.
NpyArray parse_npy(std::span<const std::byte> bytes, std::string_view name);

/// parse_npy() of a file's content. Throws BadInput also if the file cannot be read.
NpyArray read_npy(const std::filesystem::path& path);

/// Writes format 1.0. `values` are in C order and match `shape`; `fortran_order` is the order in
/// the file only. f4 and c8 round to the nearest float; f4 and f8 drop the imaginary part. A failed
/// write leaves an error state in `out`.
void write_npy(std::ostream& out, std::span<const std::size_t> shape,
               std::span<const std::complex<double>> values, NpyType type = NpyType::c16,
               bool fortran_order = false);

/// Writes the array as it is, in format 1.0. A failed write leaves an error state in `out`.
void write_npy(std::ostream& out, const StoredArray& array);

struct NpyIntegers {
  std::vector<std::size_t> shape;
  std::vector<std::int64_t> values;  ///< in C order, whatever the file's order
};

/// Reads a .npy file of integers of 1 to 8 bytes, signed or not, in either byte order. Values above
/// 2^63 - 1 become 2^63 - 1. Throws BadInput with a message that begins with the file's name.
NpyIntegers read_npy_integers(const std::filesystem::path& path);

/// Writes format 1.0, `<i4` or `<i8`, in C order. A failed write leaves an error state in `out`.
void write_npy(std::ostream& out, std::span<const std::size_t> shape,
               std::span<const std::int32_t> values);
void write_npy(std::ostream& out, std::span<const std::size_t> shape,
               std::span<const std::int64_t> values);

}  // namespace toroid
