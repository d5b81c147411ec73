// Standard output, which may be a terminal.
#pragma once

#include <cstddef>
#include <string_view>

namespace toroid {

/// Whether standard output is a terminal.
bool is_terminal();

/// The width of a line of standard output in columns: that of the terminal, but at least 48; 100 if
/// standard output is not a terminal.
std::size_t line_width();

/// Writes to standard output and flushes it, so that the reader of a pipe sees each row at once.
/// Throws RunFailed if it cannot be written.
void print_now(std::string_view text);

}  // namespace toroid
