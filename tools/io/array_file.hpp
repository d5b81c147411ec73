// Arrays that a user names: in NumPy's .npy and .npz, as MRC/CCP4 maps, or on standard input.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "tools/io/npy/npy.hpp"

namespace toroid {

/// What stands for a standard stream instead of a file's name.
inline constexpr std::string_view kStandardStream = "-";

/// How messages call the input `path`.
std::string input_name(const std::string& path);

/// The one array of a file, or of standard input. The content says which format it is, not the
/// name, nor whether it is compressed with gzip as a whole. Throws BadInput that begins with the
/// input's name.
NpyArray read_array(const std::string& path);

/// read_array() of a file's content. Where it begins as no format does, the ending of `name` says
/// which one is missed.
NpyArray parse_array(std::span<const std::byte> bytes, std::string_view name);

}  // namespace toroid
