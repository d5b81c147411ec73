#include "tools/transform/overlap_bench.hpp"

#include <fmt/core.h>

#include "fft/plan/tune_planes.hpp"
#include "tools/transform/plane_tuner.hpp"
#include "tools/transform/slab_timings.hpp"

namespace toroid {
namespace {

constexpr std::string_view kPlanes = "planes";

std::int64_t planes_on(const OverlapBench& bench, const Shape& shape, std::int64_t planes) {
  return fft::planes_used(*fft::with_planes(bench.description, shape, bench.way, planes),
                          bench.way);
}

/// The value in the column of the setting that is varied.
std::string value_of(const Json& row, std::string_view varied) {
  const auto value = row[std::string(varied)].get<std::int64_t>();
  return varied == "test_interval" && value == 0 ? "piece" : fmt::format("{}", value);
}

}  // namespace

std::vector<OverlapPoint> points_over_planes(const OverlapBench& bench, const OverlapAxes& axes) {
  std::vector<OverlapPoint> points;
  for (const Shape& shape : machine_and_halves(bench.shape, bench.run.processes.count())) {
    if (shape.size() == 1) continue;  // nothing is sent
    for (const std::uint64_t number : axes.planes) {
      const auto planes = static_cast<std::int64_t>(number);
      if (planes_on(bench, shape, planes) != planes) continue;
      OverlapPoint& point = points.emplace_back(kPlanes, shape, bench.description.overlap, 0u);
      point.overlap.set_planes(bench.way, planes);
    }
  }
  return points;
}

std::vector<OverlapPoint> other_points(const OverlapBench& bench, const OverlapAxes& axes,
                                       std::int64_t planes) {
  std::vector<OverlapPoint> points;
  const auto add = [&](std::string_view varied) -> OverlapPoint& {
    OverlapPoint& point = points.emplace_back(varied, bench.shape, bench.description.overlap, 0u);
    point.overlap.set_planes(bench.way, planes);
    return point;
  };
  for (const std::uint64_t window : axes.windows)
    add("window").overlap.window = static_cast<std::uint32_t>(window);
  for (const std::uint64_t lines : axes.test_intervals)
    add("test_interval").overlap.test_interval = static_cast<std::int64_t>(lines);
  const Rank nodes = bench.shape.size() / bench.run.processes.count();
  for (const std::uint64_t number : axes.nodes_per_process)
    if (nodes % number == 0)
      add("nodes_per_process").threads = static_cast<unsigned>(nodes / number);
  return points;
}

Json overlap_row(const OverlapBench& bench, const OverlapPoint& point, const HostArray& input) {
  fft::Description description = bench.description;
  description.overlap = point.overlap;
  RunOptions run = bench.run;
  if (point.threads > 0) run.threads = point.threads;
  const SlabTrial trial{description, bench.way, point.shape, bench.machine, run, ""};
  const std::int64_t planes = point.overlap.planes_of(bench.way);
  const Json both = slab_comparison(trial, input);
  const Json& blocking = both["blocking"];
  const Json& overlapped = both["non_blocking"];
  const auto processors = both["processors"].get<unsigned>();
  return {
      {"varied", point.varied},
      {"nodes", point.shape.nodes()},
      {"torus", point.shape.text()},
      {"processors", processors},
      {"nodes_per_process", point.shape.size() / processors},
      {"planes", overlapped["planes"]},
      {"window", point.overlap.window},
      {"test_interval", point.overlap.test_interval},
      {"message_bytes", piece_bytes(*blueprint_of(trial, planes), bench.way) / point.shape.size()},
      {"blocking_s", blocking["total"]},
      {"time_s", overlapped["total"]},
      {"ratio", both["ratio"]["total"]},
      {"blocking_communication_s", blocking["exposed"]},
      {"communication_s", overlapped["exposed"]},
      {"communication_left", both["ratio"]["exposed"]}};
}

std::int64_t fastest_planes(const Json& rows, const Shape& shape) {
  const Json* fastest = nullptr;
  for (const Json& row : rows)
    if (row["varied"] == kPlanes && row["nodes"] == shape.size() &&
        (fastest == nullptr || row["ratio"] < (*fastest)["ratio"]))
      fastest = &row;
  return fastest == nullptr ? 1 : (*fastest)["planes"].get<std::int64_t>();
}

std::string overlap_header(std::string_view varied) {
  return fmt::format("# by {}\n{:<18}{:>6}{:>10}{:>14}{:>14}{:>8}{:>10}\n", varied,
                     fmt::format("# {}", varied), "nodes", "bytes", "blocking, us", "overlap, us",
                     "ratio", "comm left");
}

std::string overlap_line(const Json& row) {
  const auto varied = row["varied"].get<std::string>();
  const auto us = [&](const char* key) { return row[key].get<double>() * 1e6; };
  const Json& left = row["communication_left"];
  return fmt::format(
      "{:<18}{:>6}{:>10.0f}{:>14.1f}{:>14.1f}{:>8.3f}{:>10}\n", value_of(row, varied),
      row["nodes"].get<Rank>(), row["message_bytes"].get<double>(), us("blocking_s"), us("time_s"),
      row["ratio"].get<double>(), left.is_null() ? "-" : fmt::format("{:.3f}", left.get<double>()));
}

}  // namespace toroid
