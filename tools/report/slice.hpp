// Pictures of an array: planes through its middle, reduced to at most kMostPixels pixels a side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/report/checked_json.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// A plane of an array as bytes. All slices of one array and kind have the same scale from min to
/// max.
struct Slice {
  std::string kind;                ///< "density", "spectrum" or "potential"
  unsigned axis = 0;               ///< fixed axis; with more than three axes, one of the last three
  std::uint64_t index = 0;         ///< position on that axis in the array; 0 is frequency 0
  std::string where;               ///< as text, e.g. "x = 32" or "kx = 0"
  std::string rows;                ///< name of the axis that runs down, e.g. "y" or "ky"
  std::string columns;             ///< name of the axis that runs to the right
  std::size_t width = 1;           ///< pixels
  std::size_t height = 1;          ///< pixels
  std::size_t block = 1;           ///< elements per side of a pixel
  std::int64_t first_row = 0;      ///< number of the first element; negative for a frequency
  std::int64_t first_column = 0;   ///< same for columns
  std::uint64_t row_count = 1;     ///< elements from top to bottom
  std::uint64_t column_count = 1;  ///< elements from left to right
  std::string reduced_by{};        ///< "mean" or "max" of a block; empty if block is 1
  bool log = false;                ///< min and max are log10 of magnitudes
  double min = 0;                  ///< value of byte 0
  double max = 0;                  ///< value of byte 255
  std::string unit;                ///< unit of min and max
  std::vector<std::uint8_t> pixels;  ///< row by row, the first row on top

  Json to_json() const;
  /// Throws BadInput if the place does not hold a slice.
  static Slice from_json(const JsonPlace& place);
};

/// Maximum number of pixels per side. If an axis has more elements, a pixel stands for a block of
/// them.
inline constexpr std::size_t kMostPixels = 256;

}  // namespace toroid
