// The header of an MRC2014 or CCP4 map: the fields that are read or written, and the modes.
//
// The header has 256 words of 4 bytes, which are counted from 1, as in the format's description
// (Cheng et al., J. Struct. Biol. 192, 2015).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace toroid {

inline constexpr std::size_t kMapHeader = 1024;      ///< bytes
inline constexpr std::string_view kMapMark = "MAP";  ///< then a blank or a zero byte

/// A field of the header: its name and the number of its word. Fields of several words have the
/// number of their first.
enum class MapField : std::size_t {
  NX = 1,
  NY = 2,
  NZ = 3,
  MODE = 4,
  NXSTART = 5,  ///< 3 words: the first column, row and section
  MX = 8,       ///< 3 words: intervals along X, Y and Z of the cell
  MZ = 10,
  CELLA = 11,  ///< 3 words: the cell's edges X, Y and Z, in angstroms
  CELLB = 14,  ///< 3 words: the cell's angles, in degrees
  MAPC = 17,
  MAPR = 18,
  MAPS = 19,
  DMIN = 20,
  DMAX = 21,
  DMEAN = 22,
  ISPG = 23,
  NSYMBT = 24,
  NVERSION = 28,
  IMOD_STAMP = 39,
  IMOD_FLAGS = 40,
  ORIGIN = 50,  ///< 3 words: X, Y and Z, in angstroms
  MAP = 53,
  MACHST = 54,
  RMS = 55,
  NLABL = 56,
  LABEL = 57  ///< 10 texts of 80 bytes
};

constexpr std::size_t offset_of(MapField field) {
  return 4 * (static_cast<std::size_t>(field) - 1);
}

struct MapMode {
  std::int32_t mode;
  std::string_view code;  ///< NumPy's dtype without the byte order
};
inline constexpr std::array<MapMode, 6> kMapModes = {
    {{0, "i1"}, {1, "i2"}, {2, "f4"}, {4, "c8"}, {6, "u2"}, {12, "f2"}}};

/// Whether ISPG, the space group, says that the map is a stack of volumes.
constexpr bool is_stack_of_volumes(std::int32_t space_group) {
  return space_group >= 401 && space_group <= 630;
}

}  // namespace toroid
