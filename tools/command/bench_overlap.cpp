#include "tools/command/bench_overlap.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "hal/check.hpp"
#include "hal/shape.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tools/files/host_array.hpp"
#include "tools/options/option_values.hpp"
#include "tools/options/single_process_check.hpp"
#include "tools/run/estimate.hpp"
#include "tools/run/interruption.hpp"
#include "tools/run/policy_effects.hpp"
#include "tools/run/run_result.hpp"
#include "tools/run/run_setup.hpp"
#include "tools/text/json.hpp"
#include "tools/text/numbers.hpp"
#include "tools/text/spelling.hpp"
#include "tools/transform/input.hpp"
#include "tools/transform/options.hpp"
#include "tools/transform/run.hpp"
#include "tools/transform/work_estimate.hpp"

namespace toroid {
namespace {

/// The options of the equivalent `toroid fft --method slab`.
FftOptions fft_options(const OverlapOptions& options, const CommonOptions& common,
                       const TorusOptions& torus) {
  FftOptions fft;
  fft.common = common;
  fft.torus = torus;
  fft.method = "slab";
  fft.size = options.size;
  fft.box_cut = options.box_cut;
  fft.inverse = options.inverse;
  return fft;
}

/// 1, 2, 4, ... nodes per worker thread, up to the number of nodes of a process.
std::vector<std::uint64_t> doubled_nodes(const OverlapBench& bench) {
  std::vector<std::uint64_t> numbers;
  const Rank nodes = bench.shape.size() / bench.run.processes.count();
  for (std::uint64_t number = 1; number <= nodes; number *= 2) numbers.push_back(number);
  return numbers;
}

/// Measures rows and prints each one when it is finished.
class OverlapRows {
 public:
  OverlapRows(const OverlapBench& bench, const HostArray& input, bool visible)
      : bench_(bench), input_(input), visible_(visible) {}

  /// Throws RunFailed if interrupted; rows() then has the rows so far.
  void measure(const std::vector<OverlapPoint>& points) {
    for (const OverlapPoint& point : points) {
      throw_if_interrupted();
      const bool is_first = rows_.empty() || rows_.back()["varied"] != point.varied;
      rows_.push_back(overlap_row(bench_, point, input_));
      if (!visible_) continue;
      fmt::print("{}{}", is_first ? overlap_header(point.varied) : "", overlap_line(rows_.back()));
      std::fflush(stdout);
    }
  }
  const Json& rows() const { return rows_; }

 private:
  const OverlapBench& bench_;
  const HostArray& input_;
  bool visible_;
  Json rows_ = Json::array();
};

/// The number of planes that was the fastest when process 0 measured; every process gets this
/// number.
std::int64_t agreed_planes(const OverlapBench& bench, const Json& rows) {
  const std::int64_t mine = fastest_planes(rows, bench.shape);
  return static_cast<std::int64_t>(bench.run.processes.numbers(static_cast<double>(mine))[0]);
}

/// All rows. If interrupted, returns the rows so far; throws if there are none.
Json rows_of(const OverlapBench& bench, const OverlapAxes& axes, const HostArray& input,
             bool visible) {
  OverlapRows rows(bench, input, visible);
  try {
    rows.measure(points_over_planes(bench, axes));
    rows.measure(other_points(bench, axes, agreed_planes(bench, rows.rows())));
  } catch (const RunFailed&) {
    if (!is_interrupted() || rows.rows().empty()) throw;
  }
  return rows.rows();
}

RunEstimate estimate_of(const OverlapBench& bench, const OverlapAxes& axes, const FftOptions& fft) {
  constexpr double kBoth = 2;  // blocking and non-blocking
  const fft::Blueprint blueprint(bench.description, bench.shape);
  const std::size_t rows = points_over_planes(bench, axes).size() + axes.windows.size() +
                           axes.test_intervals.size() + axes.nodes_per_process.size();
  return estimate_run(transform_work(blueprint) * (kBoth * static_cast<double>(rows)), bench.shape,
                      bench.machine, bench.run,
                      fft_bytes(fft, bench.description.size, bench.shape));
}

Json report_of(const OverlapBench& bench, const CommonOptions& common, const FftOptions& fft) {
  Json report = report_head("bench", common, bench.shape, bench.machine);
  report["bench"] = "overlap";
  report["size"] = bench.description.size;
  report["box_cut"] = fft.box_cut;
  report["inverse"] = fft.inverse;
  const fft::Blueprint blueprint(bench.description, bench.shape);
  add_policy(report, under_policy(bench.run, blueprint, bench.machine),
             transform_effects(fft::Method::slab, bench.run));
  if (bench.run.fabric != FabricName::sim)
    report["route"] = name_of<RingRoute>(kRingRouteNames, bench.run.ring.route);
  return report;
}

/// Times of work are those of one processor.
void refuse_shared_processors(const OverlapBench& bench) {
  if (bench.machine.coprocessor != 0 && bench.run.fabric == FabricName::sim)
    throw BadInput(fmt::format("bench overlap needs a machine without a coprocessor, unlike {}",
                               bench.machine.name));
  if (bench.shape.ranks().are_shared() && bench.run.fabric != FabricName::sim)
    throw BadInput(
        fmt::format("torus {}: with several ranks per node, bench overlap needs --fabric sim",
                    bench.shape.text()));
}

int run_here(OverlapBench bench, const OverlapOptions& options, const FftOptions& fft) {
  refuse_shared_processors(bench);
  const FftInput input = fft_input(fft, bench.shape);
  bench.description.size = input.size;
  (void)fft::Blueprint(bench.description, bench.shape);  // refuses before anything is measured
  OverlapAxes axes = options.axes;
  if (bench.run.fabric != FabricName::sim && axes.nodes_per_process.empty())
    axes.nodes_per_process = doubled_nodes(bench);
  const bool reports = bench.run.processes.reports();
  JsonOutput json(reports ? fft.common.json : "");
  const bool visible = reports && !fft.common.quiet && !json.to_standard_output();
  announce(estimate_of(bench, axes, fft), fft.common.quiet || !reports);
  if (visible)
    fmt::print(
        "# toroid Overlap Test, {} slab FFT of {}\n"
        "# ratio: overlap / blocking; comm left: this ratio for exposed communication\n",
        fft.inverse ? "inverse" : "forward", options.size);
  Json report = report_of(bench, fft.common, fft);
  report["rows"] = rows_of(bench, axes, input.array, visible);
  if (is_interrupted()) report["interrupted"] = true;
  json.write(report);
  throw_if_interrupted();
  return 0;
}

constexpr ByteLimits kCounts{.min = 1, .max = std::uint64_t{1} << 20};

}  // namespace

void add_overlap_options(CLI::App& command, OverlapOptions& options) {
  begin_group(command, "Overlap");
  command.add_option("--size", options.size, "size of the array: 64x64x64, or 64 for a cube")
      ->type_name("SIZE")
      ->check(not_empty())
      ->capture_default_str();
  command
      .add_option("--box-cut", options.box_cut,
                  "factor by which each axis of the spectrum is cut, as in toroid fft")
      ->check(box_cut())
      ->capture_default_str();
  command.add_flag("--inverse", options.inverse, "measure the inverse transform");
  add_count_list(command, "--planes", options.axes.planes, kCounts,
                 "compare these numbers of planes per exchange");
  add_count_list(command, "--windows", options.axes.windows,
                 {.min = 1, .max = fft::kMostOutstanding},
                 "compare these maximum numbers of outstanding exchanges");
  add_count_list(command, "--test-intervals", options.axes.test_intervals, kCounts,
                 "compare these numbers of lines between two polls of the network");
  add_count_list(command, "--nodes-per-process", options.axes.nodes_per_process, kCounts,
                 "compare these numbers of nodes per worker thread (default: 1, 2, 4, ...)");
}

int run_overlap_bench(const CLI::App& command, const OverlapOptions& options,
                      const CommonOptions& common, const TorusOptions& torus) {
  const RunSetup setup = set_up(command, {"bench overlap", Sent::exchanges}, common, torus);
  refuse_twisted(setup.shape);
  if (setup.shape.size() < 2) throw BadInput("bench overlap needs at least two nodes");
  const FftOptions fft = fft_options(options, common, torus);
  refuse_several_processes(command, setup.run.processes.count());
  const OverlapBench bench{describe(fft, setup.run.fabric), fft.way(), setup.shape, setup.machine,
                           setup.run};
  return setup.run.processes.run([&] { return run_here(bench, options, fft); });
}

}  // namespace toroid
