// Reads densities from MRC2014 and CCP4 maps.
//
// A map begins with a header of 256 words of 4 bytes, which are counted from 1, as in the format's
// description. NSYMBT bytes of symmetry or of another extended header follow, then the elements.
// Columns vary fastest, then rows, then sections.
#pragma once

#include <cstddef>
#include <span>

#include "tools/files/leniency.hpp"
#include "tools/files/npy.hpp"

namespace toroid {

/// Whether a file that begins with these bytes has a map's mark: 'MAP' and a blank or a zero byte.
bool is_map(std::span<const std::byte> bytes);

/// Returns the array in the order of the file, NZ x NY x NX, sections first, like Python's mrcfile,
/// with its frame. MAPC, MAPR and MAPS, which name the cell's axes, are only kept in the frame; if
/// all are 0, they count as 1, 2, 3, with a warning. A single image (ISPG 0, NZ 1) has two axes, a
/// stack of volumes (ISPG 401 to 630) four. Reads modes 0 (int8 or uint8), 1 (int16), 2 (float32),
/// 4 (complex64), 6 (uint16) and 12 (float16) in either byte order. Bytes are unsigned if IMOD's
/// stamp says so or, in a file without that stamp, if DMIN is not negative and DMAX above 127.
/// `leniency` may excuse the mark, the machine stamp, MAPC to MAPS that are no order of the axes,
/// and bytes after the elements. Throws BadInput with the wrong field, but without the file's name.
StoredArray stored_map(std::span<const std::byte> bytes, const Leniency& leniency = {});

}  // namespace toroid
