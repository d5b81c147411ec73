// The format of an array file that is written, which the ending of its name decides.
#pragma once

#include <cstdint>
#include <string>

namespace toroid {

enum class OutputFormat : std::uint8_t { npy, map };

/// .map, .mrc and .ccp4, in any case, name a map; all else, including no ending and "-", is .npy.
/// Throws BadInput if the ending names a known format that cannot be written, such as .npz or
/// .npy.gz.
OutputFormat output_format(const std::string& path);

}  // namespace toroid
