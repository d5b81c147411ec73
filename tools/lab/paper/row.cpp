#include "tools/lab/paper/row.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "tools/text/wrap.hpp"

namespace toroid {
namespace {

std::string paper_figure(const std::optional<double>& value) {
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

constexpr std::size_t kFigures = 41;  // columns of the four figures
constexpr std::size_t kLongest = 53;  // "what" of the longest row
constexpr std::size_t kSourceWidth = 20;

std::size_t what_width(std::size_t width) {
  return std::min(kLongest, width - kFigures);
}

std::string without_blanks(const std::string& line) {
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

/// What a row is about and its figures, in one line or, where there is no room, in two.
std::string figures_line(const PaperRow& row, std::size_t width) {
  const std::optional<double> ratio = row.ratio();
  const std::string what = fmt::format("  {}, {}", row.what, row.unit);
  const std::string figures =
      fmt::format(" {:>10} {:>10} {:>7} {:>10}", paper_figure(row.seed),
                  row.ours ? paper_figure(*row.ours) : "left out",
                  ratio ? fmt::format("{:.3f}", *ratio) : "-", paper_figure(row.bound));
  const std::size_t room = what_width(width);
  if (what.size() <= room) return fmt::format("{:<{}}{}", what, room, figures);
  return with_hanging_indent(what, width, 4) + std::string(room, ' ') + figures;
}

std::string row_lines(const PaperRow& row, bool repeats_source, std::size_t width) {
  const std::string figures = figures_line(row, width);
  const std::string beside =
      without_blanks(fmt::format("{}  {:<{}} {}", figures, row.source, kSourceWidth, remark(row)));
  if (beside.size() <= width) return beside + "\n";
  std::string below = repeats_source ? "" : row.source;
  if (!remark(row).empty()) below += (below.empty() ? "" : "; ") + remark(row);
  return figures + "\n" +
         (below.empty() ? "" : "      " + with_hanging_indent(below, width - 6, 6));
}

}  // namespace

std::optional<double> PaperRow::ratio() const {
  if (!seed || !ours || *seed == 0) return std::nullopt;
  return *ours / *seed;
}

std::optional<double> PaperRow::percent_of_bound() const {
  if (!ours || !bound || *ours == 0 || *bound == 0) return std::nullopt;
  return 100 * (unit == "s" ? *bound / *ours : *ours / *bound);
}

bool PaperRow::misses_bar() const {
  const std::optional<double> ratio = this->ratio();
  return bar && ratio && !bar->holds(*ratio);
}

std::string rows_head(std::size_t width) {
  const std::string figures = fmt::format("{:<{}} {:>10} {:>10} {:>7} {:>10}", "what",
                                          what_width(width), "published", "ours", "ratio", "bound");
  const std::string beside = fmt::format("{}  {:<{}} bar, note", figures, "source", kSourceWidth);
  return (beside.size() <= width ? beside : figures) + "\n";
}

std::string rows_table(const std::vector<PaperRow>& rows, std::size_t width) {
  std::string text;
  const PaperRow* before = nullptr;
  for (const PaperRow& row : rows) {
    const bool begins = before == nullptr || row.section != before->section;
    if (begins) text += row.section + "\n";
    text += row_lines(row, !begins && row.source == before->source, width);
    before = &row;
  }
  return text;
}

}  // namespace toroid
