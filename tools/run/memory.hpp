// What of the host's memory runs take.
#pragma once

#include <string>
#include <string_view>

#include "hal/shape.hpp"

namespace toroid {

/// Bytes that this process may have: the host's, or its control group's where that is less.
double present_memory();

/// "120 MB", "3.4 GB".
std::string memory_text(double bytes);

/// Throws BadInput where so much cannot be had; `remedy` says what would need less. Without it the
/// system would promise the memory and kill the process when it is used.
void check_memory(double bytes, std::string_view remedy = "");
/// Likewise of the nodes, at the least, and so many bytes of arrays.
void check_memory(const Shape& shape, double array_bytes);

}  // namespace toroid
