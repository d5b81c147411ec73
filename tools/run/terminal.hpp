// Standard output as a terminal, or as what stands in its place.
#pragma once

#include <cstddef>
#include <string_view>

namespace toroid {

/// Whether standard output is a terminal.
bool is_terminal();

/// The columns of a line of standard output: those of the terminal (40 at least), else 100.
std::size_t line_width();

/// Writes to standard output and flushes it, so that the reader of a pipe sees each row as it
/// comes. Throws RunFailed where it cannot be written.
void print_now(std::string_view text);

}  // namespace toroid
