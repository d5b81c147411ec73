#include "tools/lab/campaign/result_formats.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "tools/lab/campaign/run_case.hpp"

namespace toroid {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

std::string field_of(const Json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return value.get<std::string>();
  return with_plain_numbers(value).dump();
}

void flatten(const Json& value, const std::string& name, Fields& fields) {
  const std::string prefix = name.empty() ? "" : name + '_';
  if (value.is_object()) {
    for (const auto& [key, part] : value.items())
      if (key != "node") flatten(part, prefix + key, fields);  // its rank stands beside it
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i)
      flatten(value[i], prefix + std::to_string(i), fields);
  } else {
    fields.emplace_back(name, field_of(value));
  }
}

/// Adds the columns of a row. A new column is put after the column that precedes it in this row.
void add_columns(const Fields& fields, std::vector<std::string>& columns) {
  auto at = columns.begin();
  for (const auto& [name, text] : fields) {
    const auto found = std::ranges::find(columns, name);
    at = std::next(found != columns.end() ? found : columns.insert(at, name));
  }
}

std::string csv_quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

std::string csv_line(const std::vector<std::string>& columns, const Fields& fields) {
  std::string line;
  for (const std::string& column : columns) {
    if (&column != &columns.front()) line += ',';
    const auto found = std::ranges::find(fields, column, &Fields::value_type::first);
    if (found != fields.end()) line += csv_quoted(found->second);
  }
  return line + '\n';
}

}  // namespace

std::string csv_text(std::span<const Json> rows) {
  std::vector<Fields> flat(rows.size());
  std::vector<std::string> columns;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    flatten(rows[i], "", flat[i]);
    add_columns(flat[i], columns);
  }
  std::string text;
  for (const std::string& column : columns)
    text += (&column == &columns.front() ? "" : ",") + csv_quoted(column);
  text += '\n';
  for (const Fields& fields : flat) text += csv_line(columns, fields);
  return text;
}

Json campaign_report(const CampaignResult& result, const CampaignSettings& settings) {
  Json report = campaign_head(result.verb, settings);
  report["axis"] = result.axis;
  report["axes"] = result.axes;
  report["peers"] = settings.peers == 0 ? Json() : Json(settings.peers);
  if (!result.shard.empty()) report["shard"] = result.shard;
  if (!result.settings.is_null()) report.update(result.settings);
  report["rows"] = result.rows;
  if (!result.saturation.is_null()) report["saturation"] = result.saturation;
  if (!result.summary.is_null()) report["summary"] = result.summary;
  if (!result.summary_there.is_null()) report["summary_there"] = result.summary_there;
  if (!result.agreement.is_null()) report["agreement"] = result.agreement;
  if (!result.failed_there.is_null()) report["failed_there"] = result.failed_there;
  if (result.interrupted) report["interrupted"] = true;
  report["result_hash"] = rows_hash(result.rows, settings);
  return report;
}

}  // namespace toroid
