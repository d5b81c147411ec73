// Distributions of an array as users name them:
//
//   LAYOUT[,ORDER][@NODES]
//
//   blocks          a block per node, the torus' first dimension along the first axis and so on,
//                   all that are left along the last axis
//   blocks:4x2x1    a grid of blocks on the first eight nodes
//   slabs:AXIS      planes of the axis, x or 0 being the first
//   lines:AXIS      whole lines along the axis, numbered in C order of the other axes
//   FILE            any boxes; its path has a dot or a slash; see tools/files/box_file.hpp
//
// ORDER is that of the axes in a node's memory, from the slowest to the fastest: "zyx"; C order
// without it. Lines are numbered in the order of the axes before their own, which is the last.
// NODES says which nodes hold the parts 0, 1, ...: "0-7,12", "8-1"; without it they are the first.
#pragma once

#include <string>

#include "fft/layout/distribution.hpp"
#include "hal/shape.hpp"
#include "tools/files/array_io.hpp"

namespace toroid {

/// Throws BadInput that begins with `option`.
fft::Distribution parse_distribution(const std::string& option, const std::string& text,
                                     const Size& size, const Shape& shape);
/// The path of the file of boxes in a text that parse_distribution takes; empty: it names none.
std::string box_file_of(const std::string& text);

}  // namespace toroid
