// Standard output as a place where people read.
#pragma once

#include <cstddef>
#include <string_view>

namespace toroid {

/// Whether standard output is one.
bool is_terminal();

/// Columns that a line of standard output may have: the terminal's (40 at least), or 100 where it
/// is none.
std::size_t line_width();

/// Writes to standard output and flushes, so that whoever reads a pipe sees each row as it comes.
/// Throws RunFailed where it cannot be written.
void print_now(std::string_view text);

}  // namespace toroid
