#include "tools/lab/csv.hpp"

#include <algorithm>

namespace toroid {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

std::string field_of(const Json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string text;
  for (const Json& one : value) text += (text.empty() ? "" : " ") + field_of(one);
  return text;
}

void flatten(const Json& object, const std::string& prefix, Fields& fields) {
  for (const auto& [name, value] : object.items())
    if (value.is_object())
      flatten(value, prefix + name + '_', fields);
    else
      fields.emplace_back(prefix + name, field_of(value));
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
    for (const auto& [name, value] : flat[i])
      if (std::ranges::find(columns, name) == columns.end()) columns.push_back(name);
  }
  std::string text;
  for (const std::string& column : columns)
    text += (&column == &columns.front() ? "" : ",") + csv_quoted(column);
  text += '\n';
  for (const Fields& fields : flat) text += csv_line(columns, fields);
  return text;
}

}  // namespace toroid
