// What a map's header says about the place of its array in space.
#pragma once

#include <array>
#include <cstdint>

namespace toroid {

/// The cell, its division into voxels, the origin and the order of the axes. A program that changes
/// only the elements of a map keeps it.
struct MapFrame {
  std::array<std::int32_t, 3> start{};      ///< of columns, rows, sections: NXSTART to NZSTART
  std::array<std::int32_t, 3> intervals{};  ///< along X, Y, Z of the cell: MX to MZ
  std::array<float, 3> cell{};              ///< edges X, Y, Z, in angstroms
  std::array<float, 3> angles{};            ///< in degrees
  /// Axes of columns, rows, sections, as X = 1, Y = 2, Z = 3: MAPC, MAPR, MAPS. They are a
  /// permutation of 1, 2, 3.
  std::array<std::int32_t, 3> axes{};
  std::array<float, 3> origin{};  ///< X, Y, Z, in angstroms
  std::int32_t space_group = 1;   ///< ISPG; 0: images, 401 to 630: a stack of volumes

  bool operator==(const MapFrame&) const = default;
};

}  // namespace toroid
