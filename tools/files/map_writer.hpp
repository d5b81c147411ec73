// Writes MRC2014 maps, which programs for CCP4 maps also read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string_view>

#include "tools/files/map_frame.hpp"

namespace toroid {

/// What a map's numbers are: reals (mode 2), or real and imaginary parts in turn (mode 4).
enum class MapNumbers : std::uint8_t { real, complex };

/// Throws BadInput, with a message that begins with `name`, unless maps may have this many axes.
void check_map_axes(std::string_view name, std::size_t axes);

/// Writes a little-endian map without an extended header. `shape` has 2 axes (an image: rows,
/// columns), 3 (sections first) or 4 (a stack of volumes); `numbers` are in C order. `kept`: the
/// frame of the map from which the array comes; if it is null, a voxel has edges of 1 angstrom and
/// columns, rows and sections are X, Y and Z. DMIN, DMAX, DMEAN and RMS are those of the numbers;
/// they say "unknown" if numbers are complex or not finite. Throws RunFailed if an extent does not
/// fit the header. A failed write leaves an error state in `out`. REQUIRES: 2 to 4 axes; as many
/// numbers as the shape says.
void write_map(std::ostream& out, std::span<const std::size_t> shape,
               std::span<const float> numbers, MapNumbers kind, const MapFrame* kept = nullptr);

}  // namespace toroid
