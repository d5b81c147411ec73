// Reads the arrays that a user names: NumPy's .npy and .npz, MRC/CCP4 maps, or standard input.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "tools/files/npy.hpp"

namespace toroid {

/// Stands for a standard stream in the place of a file's name.
inline constexpr std::string_view kStandardStream = "-";

/// The name of the input `path` in messages.
std::string input_name(const std::string& path);

/// The one array of a file, or of standard input. The format, and whether all of it is compressed
/// with gzip, follow from the content, not from the name. Throws BadInput that begins with the
/// input's name.
NpyArray read_array(const std::string& path);
/// The same as it lies in the file, which it owns.
StoredArray read_stored_array(const std::string& path);

/// read_array() of a file's content. Where that begins as no format does, the ending of `name`
/// decides which format the message expects.
NpyArray parse_array(std::span<const std::byte> bytes, std::string_view name);

}  // namespace toroid
