// Reads a CSV file that says which box of an array each node holds. After a header line it has a
// line per box: the node, then for each axis the first index and the index after the last:
//
//   node,begin0,end0,begin1,end1
//   0,0,4,0,6
//   2,4,9,0,6
//   3,0,0,0,0
//
// A box that ends where it begins along an axis is empty.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fft/layout/box.hpp"
#include "hal/shape.hpp"
#include "tools/files/host_array.hpp"

namespace toroid {

/// Returns the box of every node; a node without a line, or with an empty box, holds nothing. The
/// last line may lack its newline or be empty. Throws BadInput with file, line and what was
/// expected, also if a node has two boxes, or if the boxes overlap or leave a gap (as in a
/// truncated file).
std::vector<fft::Box> parse_boxes(std::string_view text, std::string_view file, const Size& size,
                                  Rank nodes);
/// parse_boxes() of a file's content. Throws BadInput also if the file cannot be read.
std::vector<fft::Box> read_boxes(const std::string& path, const Size& size, Rank nodes);

}  // namespace toroid
