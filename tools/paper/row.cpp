#include "tools/paper/row.hpp"

#include <fmt/format.h>

#include <limits>

namespace toroid {
namespace {

std::string figure_text(const std::optional<double>& value) {
  return value ? fmt::format("{:.4g}", *value) : "-";
}

std::string bar_text(const PaperRow& row) {
  if (!row.bar) return "";
  const bool open = row.bar->most == std::numeric_limits<double>::infinity();
  const std::string range = open ? fmt::format("at least {:.2f}", row.bar->least)
                                 : fmt::format("{:.2f} to {:.2f}", row.bar->least, row.bar->most);
  if (!row.ratio()) return range;
  return range + (row.misses_bar() ? ": MISSED" : ": held");
}

std::string remark(const PaperRow& row) {
  const std::string bar = bar_text(row);
  return bar + (bar.empty() || row.note.empty() ? "" : "; ") + row.note;
}

std::string row_line(const PaperRow& row) {
  const std::optional<double> ratio = row.ratio();
  const std::string line = fmt::format(
      "  {:<51} {:>10} {:>10} {:>7} {:>10}  {:<20} {}", fmt::format("{}, {}", row.what, row.unit),
      figure_text(row.seed), row.ours ? figure_text(*row.ours) : "left out",
      ratio ? fmt::format("{:.3f}", *ratio) : "-", figure_text(row.bound), row.source, remark(row));
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

}  // namespace

std::optional<double> PaperRow::ratio() const {
  if (!seed || !ours || *seed == 0) return std::nullopt;
  return *ours / *seed;
}

bool PaperRow::misses_bar() const {
  const std::optional<double> ratio = this->ratio();
  return bar && ratio && !bar->holds(*ratio);
}

std::string rows_table(const std::vector<PaperRow>& rows) {
  std::string text = fmt::format("{:<53} {:>10} {:>10} {:>7} {:>10}  {:<20} {}\n", "what",
                                 "published", "ours", "ratio", "bound", "source", "bar, note");
  std::string section;
  for (const PaperRow& row : rows) {
    if (row.section != section) text += fmt::format("{}\n", section = row.section);
    text += row_line(row);
  }
  return text;
}

}  // namespace toroid
