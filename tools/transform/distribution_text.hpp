// Distributions of an array as users write them:
//
//   LAYOUT[,ORDER][@NODES]
//
//   blocks          one block per node; the torus' first dimension cuts the first axis, and so on;
//                   surplus dimensions cut the last axis
//   blocks:4x2x1    a grid of blocks on the first eight nodes
//   slabs:AXIS      planes of the axis; the first axis is x or 0
//   lines:AXIS      whole lines along the axis, numbered in C order of the other axes
//   FILE            any boxes, from a file whose path has a dot or a slash; see
//                   tools/files/box_file.hpp
//
// ORDER lists the axes in a node's memory from slowest to fastest, e.g. "zyx" (default: C order).
// For lines along an axis, ORDER must end with this axis; they are numbered in the order of the
// axes before it.
// NODES lists the nodes that hold parts 0, 1, ..., e.g. "0-7,12" or "8-1" (default: nodes 0, 1,
// ...).
#pragma once

#include <string>

#include "fft/layout/distribution.hpp"
#include "hal/shape.hpp"
#include "tools/files/host_array.hpp"

namespace toroid {

/// Throws BadInput; its message begins with `option`.
fft::Distribution parse_distribution(const std::string& option, const std::string& text,
                                     const Size& size, const Shape& shape);
/// Path of the box file in a text for parse_distribution; empty if the text names none.
std::string box_file_of(const std::string& text);

}  // namespace toroid
