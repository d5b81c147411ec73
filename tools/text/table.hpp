// A table whose rows are printed as soon as they are known, so its columns are fixed before the
// first row.
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <string>
#include <vector>

namespace toroid {

/// The number with `digits` decimals.
inline std::string fixed_text(double number, int digits) {
  return fmt::format("{:.{}f}", number, digits);
}

struct TableColumn {
  std::string name;
  std::size_t width = 0;  ///< characters of the longest expected cell; the name may be longer
  bool is_text = false;   ///< cells are left-aligned; numbers are right-aligned
  unsigned spared = 0;    ///< columns with larger numbers are hidden first; those with 0, never
};

/// Makes lines of at most `width` characters. If the cells do not fit, it first hides columns, and
/// then cuts the longest texts, which then end in "...". A number that is too long for its column
/// is written with an exponent.
class Table {
 public:
  Table(std::vector<TableColumn> columns, std::size_t width);

  std::string header() const;
  /// The line of a row. `cells` has one cell for each column, even for hidden ones. If it has
  /// fewer, the last cell is a text that continues to the end of the line, and over further lines
  /// if necessary.
  std::string line(const std::vector<std::string>& cells) const;
  /// A line that lists the hidden columns; empty if there are none.
  std::string remark() const;

 private:
  std::size_t taken() const;
  void leave_out();
  void shorten();
  std::string cell(const TableColumn& column, const std::string& text) const;

  std::vector<TableColumn> columns_;
  std::vector<bool> shown_;
  std::size_t width_;
};

}  // namespace toroid
