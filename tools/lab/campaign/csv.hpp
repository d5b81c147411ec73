// Rows as comma-separated values (RFC 4180).
#pragma once

#include <span>
#include <string>

#include "tools/text/json.hpp"

namespace toroid {

/// A line of column names, then a line per row; a cell holds one number or one text, and null is an
/// empty cell. The columns are those of any row, each behind the one that it follows in its row. A
/// value inside an object gets the column `outer_inner`, items of an array get `name_0`, `name_1`,
/// ...
std::string csv_text(std::span<const Json> rows);

}  // namespace toroid
