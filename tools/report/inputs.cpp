#include "tools/report/inputs.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "hal/check.hpp"
#include "tools/report/checked_json.hpp"
#include "tools/report/deflate_base64.hpp"

namespace toroid {
namespace {

/// Up to this number JavaScript represents whole numbers exactly.
constexpr std::uint64_t kMostExact = std::uint64_t{1} << 53;

/// A result and the name of its file. The name is empty if there is no file.
struct ResultSource {
  JsonPlace place;
  std::string file;
};

bool is_scalar(const Json& value) {
  return value.is_string() || value.is_number() || value.is_boolean();
}

/// All texts, numbers and booleans of an object, its failed links and nodes, and `size` if it is a
/// list of extents.
Json scalars(const JsonPlace& place) {
  Json json = Json::object();
  for (const auto& [key, value] : place.value().items())
    if (is_scalar(value)) json[key] = value;
  for (const char* key : {"failed_links", "failed_nodes"})
    if (place.has(key) && place.at(key).value().is_array() && !place.at(key).value().empty() &&
        std::ranges::all_of(place.at(key).value(), is_scalar))
      json[key] = place.at(key).value();
  if (!place.has("size") || !place.at("size").value().is_array()) return json;
  json["size"] = Json::array();
  for (const JsonPlace& extent : place.at("size").items())
    json["size"].push_back(extent.count(1, kMostExact));
  return json;
}

/// The head of a whole result: the values that its rows have in common.
Json head_of(const ResultSource& source) {
  Json head = {{"verb", source.place.at("verb").text()}};
  if (!source.file.empty()) head["file"] = source.file;
  head.update(scalars(source.place));
  return head;
}

Shape shape_at(const JsonPlace& torus) {
  try {
    return Shape::parse(torus.text());
  } catch (const BadInput&) {
    torus.refuse("a torus such as 8x8x8");
  }
}

bool is_virtual_time(const Json& head) {
  return !head.contains("time_kind") || head["time_kind"] == "virtual";
}

/// Checks time and bound, in cycles for virtual time, and adds the percentages to the head.
void check_times(const JsonPlace& run, Json& head) {
  const bool in_cycles = is_virtual_time(head);
  const char* const time_key = in_cycles ? "cycles" : "time_s";
  const char* const bound_key = in_cycles ? "bound_cycles" : "bound_s";
  const double time = run.at(time_key).number();
  const double bound = run.at(bound_key).number();
  if (!run.has("percent_of_bound")) head["percent_of_bound"] = time > 0 ? 100 * bound / time : 100;
  if (in_cycles) head["percent_of_peak"] = run.at("percent_of_peak").number();
}

/// Adds the latencies to the head. A figure that is null was not measured and is left out.
void add_latencies(const JsonPlace& run, Json& head) {
  if (!run.has("latency")) return;
  for (const char* key : {"p50", "p99"}) {
    const JsonPlace figure = run.at("latency").at(key);
    if (!figure.value().is_null()) head[std::string("latency_") + key] = figure.number();
  }
}

/// The counts of one of the patent's flowcharts.
Json counts_from(const JsonPlace& place, std::span<const char* const> keys) {
  Json counts = Json::object();
  for (const char* key : keys) counts[key] = place.at(key).number();
  return counts;
}

/// Adds the counts of both flowcharts to the head; results of older versions have none.
void add_profile(const JsonPlace& run, Json& head) {
  constexpr const char* kFill[] = {"rounds",      "visits", "empty_visits", "packets",
                                   "descriptors", "stops",  "held_back"};
  constexpr const char* kDrain[] = {"turns",   "idle_turns",  "full_turns",    "stuck_turns",
                                    "packets", "stuck_heads", "skipped_queues"};
  if (!run.has("profile")) return;
  const JsonPlace profile = run.at("profile");
  const JsonPlace drain = profile.at("drain");
  head["profile"] = {{"fill", counts_from(profile.at("fill"), kFill)},
                     {"drain", counts_from(drain, kDrain)}};
  const JsonPlace stuck = drain.at("stuck_on");
  for (const auto& [direction, heads] : stuck.value().items())
    head["profile"]["drain"]["stuck_on"][direction] = stuck.at(direction.c_str()).number();
}

/// The figures of a node: its name and numbers.
Json node_from(const JsonPlace& place) {
  (void)place.at("node").text();
  Json node = Json::object();
  for (const auto& [key, value] : place.value().items())
    node[key] = key == "node" ? value : Json(place.at(key.c_str()).number());
  return node;
}

/// Adds the figures of single nodes to the head; results of older versions have none.
void add_nodes(const JsonPlace& run, Json& head) {
  if (!run.has("per_node") || run.at("per_node").value().is_null()) return;
  const JsonPlace place = run.at("per_node");
  Json nodes = {{"first", node_from(place.at("first"))}, {"last", node_from(place.at("last"))}};
  if (place.has("most_stalled")) nodes["most_stalled"] = node_from(place.at("most_stalled"));
  if (place.has("slowest"))
    for (const JsonPlace& node : place.at("slowest").items())
      nodes["slowest"].push_back(node_from(node));
  head["per_node"] = std::move(nodes);
}

/// Adds the figures of a run that need a check or come from inner objects.
void add_figures(const JsonPlace& run, Json& head) {
  head["torus"] = run.at("torus").text();
  check_times(run, head);
  if (run.has("links")) {
    head["max_load"] = run.at("links").at("max_load").number();
    head["mean_load"] = run.at("links").at("mean_load").number();
  }
  add_latencies(run, head);
  add_profile(run, head);
  add_nodes(run, head);
}

/// The name that distinguishes this run from others.
std::string run_name(const Json& run) {
  std::vector<std::string> words;
  const char* const order = run.contains("policy") ? "policy" : "order";
  for (const char* key : {"verb", order, "traffic", "torus", "method", "routing"})
    if (run.contains(key) && run[key].is_string()) words.push_back(run[key].get<std::string>());
  if (run.value("verb", Json()) == "alltoall")
    std::erase(words, "all-to-all");  // the default traffic
  if (run.contains("bytes") && run["bytes"].is_number())
    words.push_back(fmt::format("{} B", run["bytes"].get<double>()));
  return fmt::format("{}", fmt::join(words, " "));
}

/// The phases: objects, each with a name and numbers.
Json phases(const JsonPlace& place) {
  Json phases = Json::array();
  for (const JsonPlace& phase : place.items()) {
    (void)phase.at("name").text();
    phases.push_back(scalars(phase));
  }
  return phases;
}

LinkLoads loads_from(const JsonPlace& place, const Shape& shape) {
  const JsonPlace packed = place.at("packets");
  const std::size_t links = std::size_t{shape.size()} * shape.links();
  auto packets = unpack_words(packed.text(), links);
  if (!packets) packed.refuse(fmt::format("{} packed values", links));
  return {shape, *std::move(packets)};
}

ReportRun single_run(const ResultSource& source) {
  const JsonPlace& place = source.place;
  ReportRun run{head_of(source)};
  add_figures(place, run.head);
  run.head["name"] = run_name(run.head);
  if (place.has("phases")) run.head["phases"] = phases(place.at("phases"));
  const Shape shape = shape_at(place.at("torus"));
  if (place.has("recording")) run.recording = Recording::from_json(place.at("recording"), shape);
  if (place.has("loads")) run.loads = loads_from(place.at("loads"), shape);
  if (place.has("slices"))
    for (const JsonPlace& slice : place.at("slices").items())
      run.slices.push_back(Slice::from_json(slice));
  return run;
}

/// Returns whether the row's run has failed. If so, adds it to `failed`, with `where` appended to
/// its name.
bool add_failure(const JsonPlace& row, std::vector<Json>& failed, const std::string& where = "") {
  if (!row.has("error")) return false;
  Json words = Json::object();
  for (const char* key : {"policy", "traffic", "torus", "bytes"})
    if (row.has(key)) words[key] = row.at(key).value();
  failed.push_back({{"name", run_name(words) + where}, {"error", row.at("error").text()}});
  return true;
}

void add_rows(const ResultSource& source, ReportInputs& inputs) {
  for (const JsonPlace& row : source.place.at("rows").items()) {
    if (add_failure(row, inputs.failed)) continue;
    Json head = head_of(source);
    head.update(scalars(row));
    add_figures(row, head);
    head["name"] = run_name(head);
    inputs.runs.push_back({std::move(head)});
  }
  if (!source.place.has("failed_there")) return;
  for (const JsonPlace& row : source.place.at("failed_there").items())
    add_failure(row, inputs.failed, " on shm --route torus");
}

/// The values that distinguish a curve of a sweep from the others.
std::string series_of(const JsonPlace& point, const std::string& axis) {
  std::vector<std::string> words;
  for (const char* key : {"policy", "traffic", "torus"})
    if (point.has(key) && !(axis == "nodes" && std::string_view(key) == "torus"))
      words.push_back(point.at(key).text());
  if (point.has("bytes") && !point.at("bytes").value().is_null() && axis != "bytes")
    words.push_back(fmt::format("{} B", point.at("bytes").number()));
  return fmt::format("{}", fmt::join(words, " "));
}

Json sweep_point(const JsonPlace& point, const std::string& axis, Json head) {
  head.update(scalars(point));
  head["x"] = point.at(axis == "load" ? "offered" : axis.c_str()).number();
  if (axis == "load")
    add_latencies(point, head);
  else
    add_figures(point, head);
  head["series"] = series_of(point, axis);
  head["saturated"] = point.has("saturated") && point.at("saturated").truth();
  return head;
}

/// The head of a sweep, with the settings that all of its points share.
Json with_common(Json head, const Json& points, const std::string& axis) {
  for (const char* key : {"policy", "traffic", "torus", "bytes"}) {
    const auto agrees = [&](const Json& point) {
      return point.contains(key) && point[key] == points[0][key];
    };
    if (key != axis && !points.empty() && std::ranges::all_of(points, agrees))
      head[key] = points[0][key];
  }
  return head;
}

Json sweep_json(const ResultSource& source, std::vector<Json>& failed) {
  const std::string axis = source.place.at("axis").text();
  if (axis != "load" && axis != "bytes" && axis != "nodes")
    source.place.at("axis").refuse("load, bytes or nodes");
  const Json head = head_of(source);
  const Json common = {{"time_kind", is_virtual_time(head) ? Json("virtual") : head["time_kind"]}};
  Json points = Json::array();
  for (const JsonPlace& point : source.place.at("rows").items())
    if (!add_failure(point, failed)) points.push_back(sweep_point(point, axis, common));
  return {{"axis", axis},
          {"file", source.file},
          {"head", with_common(head, points, axis)},
          {"points", points}};
}

/// The rows of a benchmark: size, time and the figures of its kind.
Json bench_json(const ResultSource& source) {
  Json rows = Json::array();
  if (source.place.has("sizes"))
    for (const JsonPlace& row : source.place.at("sizes").items()) {
      for (const char* key : {"bytes", "time_s"}) (void)row.at(key).number();
      rows.push_back(scalars(row));
    }
  return {{"head", head_of(source)}, {"rows", rows}};
}

Json paper_row(const JsonPlace& row) {
  Json json = scalars(row);
  for (const char* key : {"section", "what"}) (void)row.at(key).text();
  for (const char* key : {"seed", "ours", "ratio", "bound"})
    if (!row.at(key).value().is_null()) (void)row.at(key).any_number();
  if (row.has("bar") && !row.at("bar").value().is_null()) json["bar"] = scalars(row.at("bar"));
  return json;
}

Json paper_json(const ResultSource& source) {
  Json rows = Json::array();
  for (const JsonPlace& row : source.place.at("rows").items()) rows.push_back(paper_row(row));
  Json curves = Json::array();
  if (source.place.has("curves"))
    for (const JsonPlace& point : source.place.at("curves").items()) {
      for (const char* key : {"size", "nodes", "time_s", "bound_s"}) (void)point.at(key).number();
      (void)point.at("method").text();
      curves.push_back(scalars(point));
    }
  return {{"head", head_of(source)}, {"rows", rows}, {"curves", curves}};
}

}  // namespace

void add_report_input(ReportInputs& inputs, const Json& result, const std::string& file) {
  const ResultSource source{JsonPlace(result, file.empty() ? "the result" : file), file};
  const std::string command = source.place.at("verb").text();
  if (command == "compare")
    add_rows(source, inputs);
  else if (command == "sweep")
    inputs.sweeps.push_back(sweep_json(source, inputs.failed));
  else if (command == "bench")
    inputs.benches.push_back(bench_json(source));
  else if (command == "paper")
    inputs.papers.push_back(paper_json(source));
  else if (command == "hello" || command == "info")
    throw BadInput(one_line(fmt::format("{}: a result of {} has nothing to show", file, command)));
  else
    inputs.runs.push_back(single_run(source));
}

ReportInputs read_report_inputs(std::span<const std::string> paths) {
  ReportInputs inputs;
  for (const std::string& path : paths) add_report_input(inputs, read_json(path), path);
  return inputs;
}

}  // namespace toroid
