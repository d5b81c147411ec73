// The header of a .npy file: what precedes its data, read and written.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/io/npy/npy.hpp"

namespace toroid::npy {

inline constexpr std::string_view kMagic = "\x93NUMPY";

struct Header {
  std::string dtype;
  bool fortran_order;
  std::vector<std::size_t> shape;
};

/// A text of the file or its name, fit for a message in one line.
std::string without_controls(std::string text);
std::string shortened(std::string_view text);

/// Checks magic, version and length; `bytes` then begins at the data. All of these throw BadInput
/// without the file's name.
Header take_header(std::span<const std::byte>& bytes);
/// Elements of an array; as NumPy does, refuses what overflows without its zero extents too.
std::size_t element_count(std::span<const std::size_t> shape, std::size_t item_size);
/// The array that the header describes, of the bytes after it.
NpyArray array_of(Header header, std::span<const std::byte> data);
/// The array of a complete file.
NpyArray parse(std::span<const std::byte> bytes);

/// Format 1.0, everything up to the data.
std::string header_text(std::span<const std::size_t> shape, NpyType type, bool fortran_order);

}  // namespace toroid::npy
