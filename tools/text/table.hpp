// A table whose rows are printed as they come: its columns are fixed before the first row.
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
  std::size_t width = 0;  ///< characters of the longest cell to come; the name may be longer
  bool is_text = false;   ///< cells stand to the left; numbers stand to the right
  unsigned spared = 0;    ///< order in which columns are left out, the highest first; 0: never
};

/// Makes lines of at most `width` characters. Columns without room are left out, then the longest
/// texts are cut and end in "..."; a number too long for its column gets an exponent.
class Table {
 public:
  Table(std::vector<TableColumn> columns, std::size_t width);

  std::string header() const;
  /// The line of a row. `cells`: one for each column, left out or not; where there are fewer, the
  /// last is a text that runs on to the end, over several lines if necessary.
  std::string line(const std::vector<std::string>& cells) const;
  /// A line that names the columns left out and says where they are; empty where there are none.
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
