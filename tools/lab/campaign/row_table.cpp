#include "tools/lab/campaign/row_table.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "tools/options/common_options.hpp"
#include "tools/run/terminal.hpp"
#include "tools/text/split_and_wrap.hpp"

namespace toroid {
namespace {

/// TableColumn::spared of the seconds. They are hidden first, because the cycles say the same.
constexpr unsigned kSaidByCycles = 100;

const Json* value_at(const Json& row, std::string_view place) {
  const Json::json_pointer pointer{std::string(place)};
  if (!row.contains(pointer) || row.at(pointer).is_null()) return nullptr;
  return &row.at(pointer);
}

std::string cell_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// The keys that have a column: the policy, and all whose values differ between cases.
std::vector<std::string> names_of(const Json& axes) {
  std::vector<std::string> names = {"policy"};
  for (const auto& [key, values] : axes.items())
    if (key != "policy" && values.size() > 1) names.push_back(key);
  return names;
}

std::string title_of(const Json& axes, const CampaignSettings& settings) {
  std::string text;
  if (!axes.contains("machine")) text += fmt::format("machine {}, ", settings.machine.name);
  if (!axes.contains("seed")) text += fmt::format("seed {}, ", settings.common.seed);
  text += fmt::format("fabric {}", settings.common.fabric);
  if (settings.run.fabric == FabricName::ofi)
    text += fmt::format(" ({} processes)", settings.processes);
  for (const char* key : {"traffic", "torus"})
    if (axes[key].size() == 1) text += fmt::format(", {} {}", key, cell_text(axes[key][0]));
  if (axes["bytes"].size() == 1 && !axes["bytes"][0].is_null())
    text += fmt::format(", {} bytes", cell_text(axes["bytes"][0]));
  return text + (settings.is_virtual() ? "; latencies in cycles" : "");
}

std::size_t longest(const Json& values) {
  std::size_t most = 0;
  for (const Json& value : values) most = std::max(most, cell_text(value).size());
  return most;
}

std::vector<TableColumn> all_columns(const Json& axes, const std::vector<std::string>& names,
                                     const std::vector<FigureColumn>& figures) {
  std::vector<TableColumn> columns;
  for (const std::string& name : names)
    columns.push_back({name, longest(axes[name]), name != "bytes", 0});
  for (const FigureColumn& figure : figures) columns.push_back(figure.column);
  return columns;
}

}  // namespace

std::string figure_at(const Json& row, std::string_view place) {
  const Json* value = value_at(row, place);
  return value == nullptr ? "-" : cell_text(*value);
}

std::string figure_at(const Json& row, std::string_view place, int digits) {
  const Json* value = value_at(row, place);
  return value == nullptr ? "-" : fixed_text(value->get<double>(), digits);
}

std::string seconds_at(const Json& row, std::string_view place) {
  const Json* value = value_at(row, place);
  return value == nullptr ? "-" : fmt::format("{:.4e}", value->get<double>());
}

FigureColumn figure_column(TableColumn column, std::string_view place, std::optional<int> digits) {
  return {std::move(column), [=](const Json& row) {
            return digits ? figure_at(row, place, *digits) : figure_at(row, place);
          }};
}

std::vector<FigureColumn> time_columns(const CampaignSettings& settings) {
  const bool is_virtual = settings.is_virtual();
  const auto seconds = [](const char* name, const char* place) -> FigureColumn {
    return {{name, 10}, [=](const Json& row) { return seconds_at(row, place); }};
  };
  std::vector<FigureColumn> columns = {seconds("time, s", "/time_s")};
  if (is_virtual) columns.front().column.spared = kSaidByCycles;
  if (is_virtual) columns.push_back(figure_column({"cycles", 9}, "/cycles"));
  columns.push_back(is_virtual ? figure_column({"bound", 9}, "/bound_cycles")
                               : seconds("bound, s", "/bound_s"));
  columns.push_back(figure_column({"by", is_virtual ? 9u : 4u, true}, "/bound_by"));
  columns.push_back(figure_column({"% bound", 5}, "/percent_of_bound", 1));
  return columns;
}

std::vector<FigureColumn> latency_columns(const CampaignSettings& settings,
                                          std::array<unsigned, 2> spare) {
  if (settings.is_virtual())
    return {figure_column({"p50", 7, false, spare[0]}, "/latency/p50"),
            figure_column({"p99", 7, false, spare[1]}, "/latency/p99")};
  if (settings.common.route == "direct" || settings.run.fabric == FabricName::ofi) return {};
  const auto seconds = [](const char* place) {
    return [=](const Json& row) { return seconds_at(row, place); };
  };
  return {{{"p50, s", 10, false, spare[0]}, seconds("/latency_s/p50")},
          {{"p99, s", 10, false, spare[1]}, seconds("/latency_s/p99")}};
}

namespace {

/// The figures that other network simulators report.
std::vector<FigureColumn> network_columns(const CampaignSettings& settings) {
  std::vector<FigureColumn> columns;
  if (settings.is_virtual()) {
    columns.push_back(figure_column({"mean latency", 12}, "/latency/mean", 1));
    columns.push_back(figure_column({"accepted rate", 13}, "/accepted_rate", 6));
  } else {
    columns.push_back({{"mean latency, s", 15},
                       [](const Json& row) { return seconds_at(row, "/latency_s/mean"); }});
  }
  columns.push_back(figure_column({"mean hops", 9}, "/mean_hops", 3));
  columns.push_back(figure_column({"links", 7}, "/links/count"));
  columns.push_back(figure_column({"packet length", 13}, "/packet_length", 1));
  return columns;
}

}  // namespace

std::vector<FigureColumn> chosen_columns(ColumnChoice choice, std::vector<FigureColumn> usual,
                                         const CampaignSettings& settings) {
  if (choice == ColumnChoice::usual) return usual;
  std::vector<FigureColumn> columns = network_columns(settings);
  if (choice == ColumnChoice::network) return columns;
  std::ranges::move(columns, std::back_inserter(usual));
  return usual;
}

namespace {

/// A column for the quotient of two counts of the profile, times `scale`; "-" if a count is missing
/// or the divisor is 0.
FigureColumn ratio_column(TableColumn column, std::string part, std::string whole, double scale,
                          int digits) {
  return {std::move(column), [=](const Json& row) -> std::string {
            const Json* of = value_at(row, "/profile" + whole);
            const Json* count = value_at(row, "/profile" + part);
            if (of == nullptr || count == nullptr || *of == 0) return "-";
            return fixed_text(scale * count->get<double>() / of->get<double>(), digits);
          }};
}

}  // namespace

std::vector<FigureColumn> profile_columns(unsigned spare) {
  const auto share_of_turns = [](const char* name, unsigned spared, const char* part) {
    return ratio_column({name, 5, false, spared}, part, "/drain/turns", 100, 1);
  };
  return {share_of_turns("stuck %", spare - 4, "/drain/stuck_turns"),
          ratio_column({"heads", 6, false, spare - 3}, "/drain/stuck_heads", "/drain/stuck_turns",
                       1, 1),
          share_of_turns("full %", spare - 2, "/drain/full_turns"),
          share_of_turns("idle %", spare - 1, "/drain/idle_turns"),
          ratio_column({"stops", 5, false, spare}, "/fill/stops", "/fill/packets", 1, 2)};
}

RowTable::RowTable(std::span<const CampaignCase> cases, std::vector<FigureColumn> figures,
                   const CampaignSettings& settings)
    : title_(with_hanging_indent(title_of(axes_of(cases), settings), line_width(), 2)),
      names_(names_of(axes_of(cases))),
      figures_(std::move(figures)),
      table_(all_columns(axes_of(cases), names_, figures_), line_width()) {}

std::string RowTable::head() const {
  return title_ + table_.header();
}

std::string RowTable::line(const Json& row) const {
  std::vector<std::string> cells;
  for (const std::string& name : names_) cells.push_back(cell_text(row[name]));
  if (row.contains("error"))
    cells.push_back(row["error"].get<std::string>());
  else
    for (const FigureColumn& figure : figures_) cells.push_back(figure.cell(row));
  return table_.line(cells);
}

namespace {

/// Adds a unit, as a number alone does not say what it counts.
std::string text_with_unit(std::string_view column, const std::string& text) {
  if (column == "bytes") return text + " bytes";
  if (column == "output_queues") return text + " queues";
  if (column == "packets_per_visit") return text + " packets per visit";
  return column == "seed" ? "seed " + text : text;
}

}  // namespace

std::string RowTable::case_text(const Json& row) const {
  std::vector<std::string> words;
  for (const std::string& name : names_)
    if (row.contains(name)) words.push_back(text_with_unit(name, cell_text(row[name])));
  return fmt::format("{}", fmt::join(words, ", "));
}

Json axes_of(std::span<const CampaignCase> cases) {
  Json axes = Json::object();
  for (const CampaignCase& one : cases) {
    const Json row = one.json();
    for (const char* key : kCaseKeys)
      if (row.contains(key) && std::ranges::find(axes[key], row[key]) == axes[key].end())
        axes[key].push_back(row[key]);
  }
  return axes;
}

}  // namespace toroid
