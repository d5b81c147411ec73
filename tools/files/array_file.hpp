// Reads arrays from files that a user names or from standard input: NumPy's .npy and .npz and
// MRC/CCP4 maps.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "tools/files/npy.hpp"

namespace toroid {

/// The file name that means a standard stream.
inline constexpr std::string_view kStandardStream = "-";

/// The name of the input `path` for messages.
std::string input_name(const std::string& path);

/// A file and an array in it.
struct ArrayPlace {
  std::string file;
  std::string array;  ///< name in an .npz archive; empty: the only array
};
/// "a.npz:x" is array x of a.npz, unless a file has this whole name; "a.npz.gz:x" is an array of a
/// gzipped archive, "-:x" of one on standard input.
ArrayPlace place_of(const std::string& path);

/// Reads the array at place_of(path), or the only array in standard input. The content, not the
/// name, decides the format and whether the file is gzipped. Throws BadInput with a message that
/// begins with the input's name.
NpyArray read_array(const std::string& path);
/// How to read a file.
struct ReadingRules {
  /// Damaged marks, and bytes after the elements or after compressed data, are warned of, not
  /// refused.
  bool permissive = false;
  bool turns_axes = false;  ///< the file must be a map; its axes are turned into Z, Y, X
};
/// read_array() without conversion: the result owns the bytes of the file.
StoredArray read_stored_array(const std::string& path, const ReadingRules& rules = {});

/// read_array() of a file's content. If the content has no known format, the ending of `name`
/// decides which format the error message expects.
NpyArray parse_array(std::span<const std::byte> bytes, std::string_view name);

}  // namespace toroid
