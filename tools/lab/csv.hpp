// Rows as comma-separated values (RFC 4180).
#pragma once

#include <span>
#include <string>

#include "tools/report.hpp"

namespace toroid {

/// A line of names, then a line per row. The columns are all that any row has, in the order in
/// which they first come; those of an object inside a row are named `outer_inner`, an array's
/// numbers stand in one field with blanks between them.
std::string csv_text(std::span<const Json> rows);

}  // namespace toroid
