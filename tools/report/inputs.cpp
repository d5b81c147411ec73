#include "tools/report/inputs.hpp"

#include <fmt/ranges.h>

#include "hal/check.hpp"

namespace toroid {
namespace {

constexpr std::uint64_t kMostExact = std::uint64_t{1} << 53;  // what a number of JavaScript counts

void copy_text(const JsonPlace& from, Json& to, const char* key) {
  if (from.has(key)) to[key] = from.at(key).text();
}

void copy_number(const JsonPlace& from, Json& to, const char* key) {
  if (from.has(key)) to[key] = from.at(key).number();
}

/// Null is what was not counted.
void copy_figure(const JsonPlace& from, Json& to, const char* key) {
  if (!from.value().is_null()) to[key] = from.number();
}

Shape shape_at(const JsonPlace& torus) {
  try {
    return Shape::parse(torus.text());
  } catch (const BadInput&) {
    torus.refuse("a torus such as 8x8x8");
  }
}

/// What every kind of run has: its name, its time, its bound.
Json figures(const JsonPlace& run, const std::string& file) {
  Json figures = {{"file", file},
                  {"torus", run.at("torus").text()},
                  {"cycles", run.at("cycles").count(0, kMostExact)},
                  {"bound_cycles", run.at("bound_cycles").count(0, kMostExact)},
                  {"percent_of_peak", run.at("percent_of_peak").number()}};
  for (const char* key : {"policy", "traffic", "order", "routing", "machine", "fabric", "method"})
    copy_text(run, figures, key);
  for (const char* key : {"bytes", "seed"}) copy_number(run, figures, key);
  if (run.has("links")) {
    figures["max_load"] = run.at("links").at("max_load").number();
    figures["mean_load"] = run.at("links").at("mean_load").number();
  }
  if (run.has("latency")) {
    copy_figure(run.at("latency").at("p50"), figures, "latency_p50");
    copy_figure(run.at("latency").at("p99"), figures, "latency_p99");
  }
  return figures;
}

/// What a row of compare or a point of sweep has in common with others.
Json words_of(const JsonPlace& row) {
  Json words;
  for (const char* key : {"policy", "traffic", "torus"}) copy_text(row, words, key);
  copy_number(row, words, "bytes");
  return words;
}

/// What tells this run from others.
std::string name_of(const Json& run) {
  std::vector<std::string> words;
  const char* const order = run.contains("policy") ? "policy" : "order";
  for (const char* key : {"verb", order, "traffic", "torus", "method", "routing"})
    if (run.contains(key)) words.push_back(run[key].get<std::string>());
  if (run.contains("bytes")) words.push_back(fmt::format("{} B", run["bytes"].get<double>()));
  return fmt::format("{}", fmt::join(words, " "));
}

ReportRun single_run(const JsonPlace& file, const std::string& path) {
  ReportRun run{{{"verb", file.at("verb").text()}}, {}};
  run.head.update(figures(file, path));
  run.head["name"] = name_of(run.head);
  const Shape shape = shape_at(file.at("torus"));
  if (file.has("recording")) run.recording = Recording::from_json(file.at("recording"), shape);
  return run;
}

/// True: the row is a run that came to nothing, and is noted as such.
bool add_failure(const JsonPlace& row, std::vector<Json>& failed) {
  if (!row.has("error")) return false;
  failed.push_back({{"name", name_of(words_of(row))}, {"error", row.at("error").text()}});
  return true;
}

void add_rows(const JsonPlace& file, const std::string& path, ReportInputs& inputs) {
  for (const JsonPlace& row : file.at("rows").items()) {
    if (add_failure(row, inputs.failed)) continue;
    Json head = figures(row, path);
    head["name"] = name_of(head);
    inputs.runs.push_back({std::move(head), {}});
  }
}

Json sweep_point(const JsonPlace& point, const std::string& axis) {
  Json json = {{"x", point.at(axis == "load" ? "offered" : axis.c_str()).number()}};
  for (const char* key :
       {"accepted", "latency_p50", "latency_p99", "cycles", "bound_cycles", "percent_of_peak"})
    copy_number(point, json, key);
  if (axis == "load")
    for (const char* key : {"latency_p50", "latency_p99"}) json[key] = point.at(key).number();
  else
    for (const char* key : {"cycles", "bound_cycles"}) json[key] = point.at(key).number();
  std::vector<std::string> words;
  for (const char* key : {"policy", "traffic", "torus"})
    if (point.has(key) && !(axis == "nodes" && std::string_view(key) == "torus"))
      words.push_back(point.at(key).text());
  json["series"] = fmt::format("{}", fmt::join(words, " "));
  json["saturated"] = point.has("saturated") && point.at("saturated").truth();
  return json;
}

Json sweep(const JsonPlace& file, const std::string& path, std::vector<Json>& failed) {
  const std::string axis = file.at("axis").text();
  if (axis != "load" && axis != "bytes" && axis != "nodes")
    file.at("axis").refuse("load, bytes or nodes");
  Json points = Json::array();
  for (const JsonPlace& point : file.at("points").items())
    if (!add_failure(point, failed)) points.push_back(sweep_point(point, axis));
  return {{"axis", axis}, {"file", path}, {"points", points}};
}

}  // namespace

ReportInputs read_report_inputs(std::span<const std::string> paths) {
  ReportInputs inputs;
  for (const std::string& path : paths) {
    const Json json = read_json(path);
    const JsonPlace file(json, path);
    const std::string verb = file.at("verb").text();
    if (verb == "compare")
      add_rows(file, path, inputs);
    else if (verb == "sweep")
      inputs.sweeps.push_back(sweep(file, path, inputs.failed));
    else if (file.has("percent_of_peak"))
      inputs.runs.push_back(single_run(file, path));
    else
      file.at("verb").refuse("a verb whose result has a percent_of_peak, or compare or sweep");
  }
  return inputs;
}

}  // namespace toroid
