#include "tools/text/table.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "hal/parse_number.hpp"
#include "tools/text/split_and_wrap.hpp"

namespace toroid {
namespace {

constexpr std::size_t kGap = 2;           // between columns
constexpr std::size_t kShortestText = 8;  // texts are cut to no fewer characters, with the ellipsis
constexpr std::string_view kEllipsis = "...";

/// Cuts the text to the width; a number that is too long is written with an exponent.
std::string fitted(const std::string& text, std::size_t width) {
  if (text.size() <= width) return text;
  if (const auto number = parse_number<double>(text))
    for (int digits = 3; digits >= 0; --digits)
      if (std::string short_one = fmt::format("{:.{}e}", *number, digits);
          short_one.size() <= width || digits == 0)
        return short_one;
  return text.substr(0, width - kEllipsis.size()) + std::string(kEllipsis);
}

std::string trimmed(const std::string& line) {
  return line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
}

}  // namespace

Table::Table(std::vector<TableColumn> columns, std::size_t width)
    : columns_(std::move(columns)), shown_(columns_.size(), true), width_(width) {
  for (TableColumn& column : columns_) column.width = std::max(column.width, column.name.size());
  leave_out();
  shorten();
}

std::size_t Table::taken() const {
  std::size_t sum = 0;
  for (std::size_t c = 0; c < columns_.size(); ++c)
    if (shown_[c]) sum += columns_[c].width + kGap;
  return sum - std::min(sum, kGap);
}

void Table::leave_out() {
  while (taken() > width_) {
    std::size_t most = 0;
    for (std::size_t c = 0; c < columns_.size(); ++c)
      if (shown_[c] && (!shown_[most] || columns_[c].spared > columns_[most].spared)) most = c;
    if (columns_[most].spared == 0) return;
    shown_[most] = false;
  }
}

void Table::shorten() {
  while (taken() > width_) {
    const auto longest = std::ranges::max_element(
        columns_, {}, [](const TableColumn& c) { return c.is_text ? c.width : 0; });
    if (!longest->is_text || longest->width <= kShortestText) return;
    --longest->width;
  }
}

std::string Table::cell(const TableColumn& column, const std::string& text) const {
  const std::string fits = fitted(text, column.width);
  return column.is_text ? fmt::format("{:<{}}", fits, column.width)
                        : fmt::format("{:>{}}", fits, column.width);
}

std::string Table::header() const {
  std::vector<std::string> names;
  for (const TableColumn& column : columns_) names.push_back(column.name);
  return line(names);
}

std::string Table::line(const std::vector<std::string>& cells) const {
  const bool runs_on = cells.size() < columns_.size();
  const std::size_t fixed = runs_on ? cells.size() - 1 : cells.size();
  std::string line;
  for (std::size_t c = 0; c < fixed; ++c)
    if (shown_[c])
      line += (line.empty() ? "" : std::string(kGap, ' ')) + cell(columns_[c], cells[c]);
  if (!runs_on) return trimmed(line);
  const std::string whole = line + std::string(line.empty() ? 0 : kGap, ' ') + cells.back();
  return whole.size() <= width_
             ? trimmed(whole)
             : trimmed(line) + "    " + with_hanging_indent(cells.back(), width_ - 4, 4);
}

std::string Table::remark() const {
  std::string names;
  for (std::size_t c = 0; c < columns_.size(); ++c)
    if (!shown_[c]) names += (names.empty() ? "" : ", ") + columns_[c].name;
  if (names.empty()) return "";
  return with_hanging_indent("hidden columns: " + names + "; --json and --csv show all", width_, 2);
}

}  // namespace toroid
