// Turns the axes of a map into those of its cell.
#pragma once

#include "tools/files/npy.hpp"

namespace toroid {

/// The same map with Z as sections, Y as rows and X as columns, whatever MAPC, MAPR and MAPS say;
/// its frame says so. An axis of volumes stays the first. An image, which has no sections, gets an
/// axis for them if its columns or rows are Z. REQUIRES: the array has a frame, and is in C order.
StoredArray turned_to_xyz(const StoredArray& map);

}  // namespace toroid
