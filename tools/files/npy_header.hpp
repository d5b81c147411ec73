// Reads and writes the header of a .npy file (everything before its data), which contains the
// literal of a Python dict.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hal/check.hpp"
#include "tools/files/leniency.hpp"
#include "tools/files/npy.hpp"

namespace toroid::npy {

inline constexpr std::string_view kMagic = "\x93NUMPY";

struct Header {
  std::string dtype;
  bool fortran_order;
  std::vector<std::size_t> shape;
};

// The messages of BadInput below do not include the file's name.

/// Removes the header from `bytes`, which then begins at the data, and returns it. Checks magic,
/// version and length.
Header take_header(std::span<const std::byte>& bytes);
/// Returns the number of elements of an array. Throws BadInput, as NumPy does, if the product of
/// the extents other than 0 is too large, even if another extent is 0.
std::size_t element_count(std::span<const std::size_t> shape, std::size_t item_size);
/// The array that the header describes. `data`: the bytes after the header.
StoredArray stored(Header header, std::span<const std::byte> data, const Leniency& leniency = {});
/// The array in a complete file. `leniency` may excuse bytes after the data.
StoredArray stored(std::span<const std::byte> bytes, const Leniency& leniency = {});

/// Returns the number of bytes of an array of this shape. Throws BadInput unless it is `found`;
/// `leniency` may excuse that more bytes were found.
std::size_t check_data_size(std::span<const std::size_t> shape, std::size_t item_size,
                            std::size_t found, const Leniency& leniency = {});

/// All bytes before the data in a file of format 1.0.
std::string header_text(std::span<const std::size_t> shape, std::string_view dtype,
                        bool fortran_order);
std::string header_text(std::span<const std::size_t> shape, NpyType type, bool fortran_order);

/// Parses a dict literal with exactly the keys descr, fortran_order and shape. Throws BadInput for
/// anything else.
Header parse_dict(std::string_view text);

BadInput unsupported_dtype(std::string_view dtype);
/// The supported dtypes: all numbers of NumPy except the long doubles of other machines.
inline constexpr std::string_view kAcceptedDtypes =
    "expected b1, i1 to i8, u1 to u8, f2 to f8, c8 or c16 in either byte order, <f16 or <c32";

}  // namespace toroid::npy
