#include "tools/lab/paper/comparison_rows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "fft/plan/description.hpp"
#include "tools/run/run_result.hpp"
#include "tools/text/spelling.hpp"
#include "tools/text/split_and_wrap.hpp"

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

constexpr std::size_t kFigures = 41;  // width of the four columns of figures
constexpr std::size_t kLongest = 53;  // length of the longest row's "what"
constexpr std::size_t kSourceWidth = 20;

std::size_t what_width(std::size_t width) {
  return std::min(kLongest, width - kFigures);
}

std::string without_blanks(const std::string& line) {
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

/// The row's subject and its figures, in one line or, if it is too long, in two.
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

namespace {

Json json_of(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

Json bar_json(const PaperRow& row) {
  if (!row.bar) return {};
  return {{"least", row.bar->least}, {"most", row.bar->most}, {"held", !row.misses_bar()}};
}

/// The text in quotes, which CSV allows around any field.
std::string csv_field(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string csv_field(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}

std::string csv_line(const PaperRow& row) {
  const auto bar = [&](double RatioBar::*end) {
    return csv_field(row.bar ? std::optional(*row.bar.*end) : std::nullopt);
  };
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", row.section, csv_field(row.what),
                     row.unit, csv_field(row.seed), csv_field(row.ours), csv_field(row.ratio()),
                     csv_field(row.bound), row.bound_by, csv_field(row.percent_of_bound()),
                     bar(&RatioBar::least), bar(&RatioBar::most), csv_field(row.source),
                     csv_field(row.note));
}

std::string method_name(const CurvePoint& point) {
  return std::string(name_of<fft::Method>(fft::kMethodNames, point.method));
}

std::string layer_name(const CurvePoint& point) {
  return std::string(name_of<fft::Layer>(fft::kLayerNames, point.layer));
}

std::string curve_name(const CurvePoint& point) {
  if (point.layer == fft::Layer::packets) return method_name(point);
  return method_name(point) + " over " + layer_name(point);
}

}  // namespace

Json rows_json(const std::vector<PaperRow>& rows) {
  Json json = Json::array();
  for (const PaperRow& row : rows)
    json.push_back({{"section", row.section},
                    {"what", row.what},
                    {"unit", row.unit},
                    {"seed", json_of(row.seed)},
                    {"ours", json_of(row.ours)},
                    {"ratio", json_of(row.ratio())},
                    {"bound", json_of(row.bound)},
                    {"bound_by", row.bound_by.empty() ? Json() : Json(row.bound_by)},
                    {"percent_of_bound", json_of(row.percent_of_bound())},
                    {"bar", bar_json(row)},
                    {"source", row.source},
                    {"note", row.note}});
  return json;
}

Json curves_json(const std::vector<CurvePoint>& points) {
  Json json = Json::array();
  for (const CurvePoint& point : points)
    json.push_back({{"size", point.size},
                    {"nodes", point.nodes},
                    {"torus", point.torus},
                    {"method", curve_name(point)},
                    {"layer", layer_name(point)},
                    {"time_s", point.time_s},
                    {"bound_s", point.bound_s},
                    {"bound_by", point.bound_by},
                    {"percent_of_bound", percent_of(point.bound_s, point.time_s)},
                    {"paper_model_s", point.model_s},
                    {"speedup", point.speedup},
                    {"time_nodes_2_3_s", point.scaled_s()}});
  return json;
}

std::string rows_csv(const std::vector<PaperRow>& rows) {
  std::string text =
      "section,what,unit,seed,ours,ratio,bound,bound_by,percent_of_bound,least,most,source,note\n";
  for (const PaperRow& row : rows) text += csv_line(row);
  return text;
}

std::string curves_csv(const std::vector<CurvePoint>& points) {
  std::string text;
  for (const CurvePoint& point : points) {
    PaperRow row{std::string(kCurves),
                 fmt::format("{}^3 on {} nodes, {}", point.size, point.nodes, curve_name(point)),
                 "Figures 2 to 5", "s"};
    row.ours = point.time_s;
    row.bound = point.bound_s;
    row.bound_by = point.bound_by;
    text += csv_line(row);
  }
  return text;
}

Json fitted_numbers(const Machine& machine) {
  Json numbers = Json::object();
  for (const auto& [key, source] : machine.sources)
    if (source.starts_with("fitted"))
      for (const MachineField& field : machine_fields())
        if (field.key == key) numbers[key] = value_of(machine, field);
  return numbers;
}

}  // namespace toroid
