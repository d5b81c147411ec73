#include "tools/lab/table.hpp"

#include <algorithm>

namespace toroid {

std::vector<std::size_t> TextTable::widths() const {
  std::vector<std::size_t> widths(lines_.front().size());
  for (const auto& cells : lines_) {
    const std::size_t fixed = cells.size() < widths.size() ? cells.size() - 1 : cells.size();
    for (std::size_t c = 0; c < fixed; ++c) widths[c] = std::max(widths[c], cells[c].size());
  }
  return widths;
}

std::string figure_text(const Json& figure) {
  return figure.is_null() ? "-" : figure.dump();
}

std::string figure_text(const Json& figure, int digits) {
  return figure.is_null() ? "-" : fixed_text(figure, digits);
}

std::string TextTable::text() const {
  const std::vector<std::size_t> wide = widths();
  std::string text;
  for (const auto& cells : lines_) {
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const bool runs_on = cells.size() < wide.size() && c + 1 == cells.size();
      const std::string space = c == 0 ? "" : "  ";
      line += runs_on || c < names_ ? fmt::format("{}{:<{}}", space, cells[c], wide[c])
                                    : fmt::format("{}{:>{}}", space, cells[c], wide[c]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

}  // namespace toroid
