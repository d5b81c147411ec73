// Checks that the host's memory is enough for a run.
#pragma once

#include <string>
#include <string_view>

#include "hal/shape.hpp"

namespace toroid {

/// The bytes that this process may use: those of the host, or of its control group or the limit of
/// its address space (`ulimit -v`) if that is less.
double present_memory();

/// "120 MB", "3.4 GB".
std::string memory_text(double bytes);

/// Throws BadInput where so many bytes are not available; `remedy` says what would need less.
/// Without this check the system would promise the memory and kill the process when it is used.
void check_memory(double bytes, std::string_view remedy = "");
/// The same for the nodes of the shape, at the least, and so many bytes of arrays.
void check_memory(const Shape& shape, double array_bytes);

}  // namespace toroid
