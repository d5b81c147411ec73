// Densities as MRC2014 or CCP4 maps.
//
// A header of 256 words of 4 bytes, counted from 1 as the format's description does, then NSYMBT
// bytes of symmetry or of another extended header, then the elements: columns fastest, then rows,
// then sections.
#pragma once

#include <cstddef>
#include <span>

#include "tools/io/npy/npy.hpp"

namespace toroid {

/// Whether these bytes, the first of a file, have the mark of a map.
bool is_map(std::span<const std::byte> bytes);

/// The array in the order of the file, NZ x NY x NX, sections first, whatever axes of the crystal
/// MAPC, MAPR and MAPS name, as Python's mrcfile gives it: a single image (ISPG 0, NZ 1) has two
/// axes, a stack of volumes (ISPG 401 to 630) four. Modes 0 (int8), 1 (int16), 2 (float32),
/// 4 (complex64), 6 (uint16) and 12 (float16), in either byte order. Throws BadInput, without the
/// file's name, with the field that is wrong.
NpyArray parse_map(std::span<const std::byte> bytes);

}  // namespace toroid
