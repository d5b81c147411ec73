// Rows as comma-separated values (RFC 4180).
#pragma once

#include <span>
#include <string>

#include "tools/results/json.hpp"

namespace toroid {

/// A line of names, then a line per row, with one number or one text per cell. The columns are all
/// that any row has, each behind the one that it follows in its row; those of an object inside a
/// row are named `outer_inner`, those of an array `name_0`, `name_1`, ... Null is an empty cell.
std::string csv_text(std::span<const Json> rows);

}  // namespace toroid
