// A table whose rows are printed as they come: its columns are fixed before the first one.
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <string>
#include <vector>

namespace toroid {

/// A number with so many decimals.
inline std::string fixed_text(double number, int digits) {
  return fmt::format("{:.{}f}", number, digits);
}

struct TableColumn {
  std::string name;
  std::size_t width = 0;  ///< of the longest cell to come; the name may be longer
  bool is_text = false;   ///< stands to the left; numbers to the right
  unsigned spared = 0;    ///< left out where lines are short, the highest first; 0: never
};

/// Lines of at most `width` characters. Columns that find no room are left out, then the longest
/// texts are shortened, with "..." at their end; a number too long for its column gets an exponent.
class Table {
 public:
  Table(std::vector<TableColumn> columns, std::size_t width);

  std::string header() const;
  /// A cell per column, also of those left out. Fewer: the last one is a text that runs on, over
  /// more lines where it must.
  std::string line(const std::vector<std::string>& cells) const;
  /// A line that names the columns left out and says where they are; empty: none.
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
