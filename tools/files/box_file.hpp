// Reads which box of an array each node holds, as CSV: a header line, then a line per box with its
// node and, axis by axis, the first index and the one behind the last:
//
//   node,begin0,end0,begin1,end1
//   0,0,4,0,6
//   2,4,9,0,6
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fft/layout/box.hpp"
#include "hal/shape.hpp"
#include "tools/files/array_io.hpp"

namespace toroid {

/// The box of every node; a node without a line holds nothing. The last line may lack its
/// newline, or be empty. Throws BadInput with file, line and what was expected, where a node has
/// two boxes, and where the boxes overlap or leave a gap, as those of a file that was cut off do.
std::vector<fft::Box> parse_boxes(std::string_view text, std::string_view file, const Size& size,
                                  Rank nodes);
/// parse_boxes() of a file's content. Throws BadInput also where it cannot be read.
std::vector<fft::Box> read_boxes(const std::string& path, const Size& size, Rank nodes);

}  // namespace toroid
