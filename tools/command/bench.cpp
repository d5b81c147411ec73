// toroid bench: latency, bandwidth, message rate and all-to-all, with the options and headers of
// the OSU benchmarks; and how much of the communication of a transform is hidden by overlap.
#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hal/check.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/block_messages.hpp"
#include "packet/exchange/exchange_plan.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tools/command/bench_overlap.hpp"
#include "tools/command/commands.hpp"
#include "tools/files/output_file.hpp"
#include "tools/lab/benchmarks/bounds.hpp"
#include "tools/lab/benchmarks/kind.hpp"
#include "tools/lab/benchmarks/measure.hpp"
#include "tools/lab/benchmarks/node_pairs.hpp"
#include "tools/lab/benchmarks/table.hpp"
#include "tools/options/common_options.hpp"
#include "tools/options/option_values.hpp"
#include "tools/options/single_process_check.hpp"
#include "tools/run/estimate.hpp"
#include "tools/run/interruption.hpp"
#include "tools/run/policy_effects.hpp"
#include "tools/run/progress.hpp"
#include "tools/run/report_output.hpp"
#include "tools/run/run_options.hpp"
#include "tools/run/run_result.hpp"
#include "tools/run/run_setup.hpp"
#include "tools/text/json.hpp"
#include "tools/text/spelling.hpp"

namespace toroid {
namespace {

struct BenchOptions {
  CommonOptions common;
  TorusOptions torus;
  OverlapOptions overlap;
  std::string kind;
  std::string report;
  std::vector<std::uint64_t> sizes;
  std::string message_size;
  std::optional<std::uint64_t> iterations;
  std::optional<std::uint64_t> warm_up;
  std::uint32_t window = 64;
  unsigned batches = 11;
  bool full = false;
};

constexpr std::string_view kOverlap = "overlap";

/// The message benchmarks and the overlap benchmark.
constexpr auto kBenchNames = [] {
  std::array<std::string_view, kBenchKindNames.size() + 1> names;
  *std::ranges::copy(kBenchKindNames, names.begin()).out = kOverlap;
  return names;
}();

std::vector<std::uint64_t> sizes_of(const BenchOptions& options, BenchKind kind) {
  if (!options.sizes.empty()) return options.sizes;
  if (!options.message_size.empty())
    return doubled(parse_message_sizes(options.message_size, default_sizes(kind)));
  if (kind == BenchKind::latency || kind == BenchKind::rate)  // these sizes include full packets
    return {8, 16, 32, 64, 128, 240, 480, 1024, 4096, 16384, 65536};
  return doubled(default_sizes(kind));
}

BatchTimes measure(BenchKind kind, const MessageBench& bench, std::uint64_t bytes) {
  switch (kind) {
    case BenchKind::latency:
      return measure_latency(bench, bytes);
    case BenchKind::bw:
      return measure_bandwidth(bench, bytes);
    case BenchKind::bibw:
      return measure_both_ways(bench, bytes);
    case BenchKind::rate:
      return measure_rate(bench, bytes);
    case BenchKind::alltoall:
      return measure_all_to_all(bench, bytes);
    case BenchKind::idle:
      break;
  }
  return measure_idle_turn(bench);
}

Json measured_row(BenchKind kind, const MessageBench& bench, const BenchBounds& bounds,
                  std::uint64_t bytes) {
  const BatchTimes times = measure(kind, bench, bytes);
  return bench_row(kind, bench, bytes, times, bounds.at(bytes, times.workers));
}

/// Prints and flushes, so that each line is seen at once.
void show(const std::string& text) {
  fmt::print("{}", text);
  std::fflush(stdout);
}

/// The rows of all sizes. If interrupted, returns the rows so far; throws if there are none.
Json sizes_json(const BenchOptions& options, BenchKind kind, const MessageBench& bench,
                bool visible) {
  if (visible) show(bench_header(kind, bench, options.full));
  Json sizes = Json::array();
  const BenchBounds bounds(kind, bench);
  const std::vector<std::uint64_t> all = sizes_of(options, kind);
  RunsProgress progress(options.common.quiet || !bench.run.processes.reports(), all.size(),
                        "sizes");
  for (std::size_t i = 0; i < all.size(); ++i) progress.expect(1);
  try {
    for (const std::uint64_t bytes : all) {
      throw_if_interrupted();
      progress.show();
      sizes.push_back(measured_row(kind, bench, bounds, bytes));
      progress.add(1);
      progress.clear();
      if (visible) show(bench_line(kind, sizes.back(), options.full));
    }
  } catch (const RunFailed&) {
    if (!is_interrupted() || sizes.empty()) throw;
  }
  return sizes;
}

/// The bytes of all buffers for messages of `bytes` bytes.
double buffer_bytes(BenchKind kind, const Shape& shape, std::uint64_t bytes) {
  const double nodes = shape.size();
  return (kind == BenchKind::alltoall ? 4 * nodes * nodes : 2 * nodes) * static_cast<double>(bytes);
}

void check_sizes(BenchKind kind, const std::vector<std::uint64_t>& sizes, const Shape& shape) {
  for (const std::uint64_t bytes : sizes) {
    if (kind == BenchKind::alltoall && bytes == 0)
      throw BadInput("bench alltoall: expected at least 1 byte per pair of nodes, found 0");
    if (kind == BenchKind::alltoall) BlockMessages::check(shape.size(), bytes);
    check_memory(shape, buffer_bytes(kind, shape, bytes));
  }
}

RunEstimate estimate_of(BenchKind kind, const MessageBench& bench,
                        const std::vector<std::uint64_t>& sizes) {
  RunWork work;
  double buffers = 0;
  for (const std::uint64_t bytes : sizes) {
    work += bench_work(kind, bench, bytes);
    buffers = std::max(buffers, buffer_bytes(kind, bench.shape, bytes));
  }
  return estimate_run(work, bench.shape, bench.machine, bench.run, buffers);
}

int run_on(const BenchOptions& options, BenchKind kind, const MessageBench& bench,
           const PolicyEffects& effects) {
  const Shape& shape = bench.shape;
  const bool reports = bench.run.processes.reports();
  if (kind != BenchKind::idle) check_sizes(kind, sizes_of(options, kind), shape);
  refuse_one_file_for_two(
      std::array{options.common.json == "-" ? "" : options.common.json, options.report});
  JsonOutput json(reports ? options.common.json : "");
  ReportOutput page(reports ? options.report : "",
                    report_notice(options.common.quiet, json.to_standard_output()));
  const bool visible = reports && !options.common.quiet && !json.to_standard_output();
  if (kind != BenchKind::idle)
    announce(estimate_of(kind, bench, sizes_of(options, kind)), options.common.quiet || !reports);
  Json report = report_head("bench", options.common, shape, bench.machine);
  report["bench"] = options.kind;
  add_policy(report, bench.run, effects);
  if (bench.run.fabric != FabricName::sim)
    report["route"] = name_of<RingRoute>(kRingRouteNames, bench.run.ring.route);
  report["batches"] = options.batches;
  if (has_window(kind)) report["window"] = options.window;
  if (kind == BenchKind::idle) {
    const double turn = measure(kind, bench, 0).median();
    report["turn_s"] = turn;
    if (visible)
      fmt::print("one turn of an idle node ({}): {:.2f} ns\n", nodes_text(shape), turn * 1e9);
  } else {
    report["sizes"] = sizes_json(options, kind, bench, visible);
  }
  if (is_interrupted()) report["interrupted"] = true;
  json.write(report);
  page.write(report);
  throw_if_interrupted();
  return 0;
}

/// The options of the run. In exchanges DMA engines move the packets, unless the policy prevents
/// it.
RunOptions run_of(const RunSetup& setup) {
  const RunOptions run = under_policy(setup.run, setup.shape, setup.machine);
  if (!run.sim.dma) return run;
  return moving_by(transfer_under(*run.node.policy, setup.shape, run.node.transfer), run);
}

int run(const CLI::App& command, const BenchOptions& options) {
  if (options.kind == kOverlap)
    return run_overlap_bench(command, options.overlap, options.common, options.torus);
  const auto kind = parse_choice<BenchKind>("benchmark", kBenchKindNames, options.kind);
  const Sent sent = kind == BenchKind::alltoall ? Sent::exchanges : Sent::streams;
  const RunSetup setup =
      set_up(command, {"bench " + options.kind, sent}, options.common, options.torus);
  if (setup.shape.size() < 2) throw BadInput("a benchmark of messages needs at least two nodes");
  const MessageBench bench{.shape = setup.shape,
                           .machine = setup.machine,
                           .run = run_of(setup),
                           .batches = options.batches,
                           .iterations = options.iterations,
                           .warm_up = options.warm_up,
                           .window = options.window};
  if (kind == BenchKind::alltoall) refuse_impossible_put(bench.run, setup.shape);
  refuse_several_processes(command, bench.run.processes.count());
  return bench.run.processes.run([&] { return run_on(options, kind, bench, setup.effects); });
}

void add_message_options(CLI::App& command, BenchOptions& options) {
  begin_group(command, "Messages");
  command
      .add_option("-m,--message-size", options.message_size,
                  "smallest and largest message in bytes, e.g. 8:4KiB; sizes double in between; "
                  "'8:' sets only the smallest, '4KiB' only the largest")
      ->type_name("MIN:MAX")
      ->check(not_empty());
  add_byte_list(command, "--sizes", options.sizes, {.max = std::uint64_t{1} << 30},
                "message sizes instead of -m, e.g. 8,240,4KiB or 8:64KiB:x2");
  command
      .add_option("-i,--iterations", options.iterations,
                  "measured iterations per size (default: automatic)")
      ->transform(whole_number(1, std::uint64_t{1} << 31));
  command
      .add_option("-x,--warmup", options.warm_up,
                  "iterations before the measured ones (default: as many as in one sample)")
      ->transform(whole_number(0, std::uint64_t{1} << 31));
  command
      .add_option("-W,--window-size", options.window,
                  "bw, bibw: messages per window; the sender waits after each window")
      ->transform(whole_number(1, 1 << 20))
      ->capture_default_str();
  command
      .add_option(
          "--batches", options.batches,
          "samples per size; the iterations are divided among them, and the median is reported")
      ->transform(whole_number(1, 100000))
      ->capture_default_str();
  command.add_flag("-f,--full", options.full,
                   "alltoall: also show the shortest and the longest sample, and the iterations");
}

}  // namespace

CommandRun add_bench_command(CLI::App& app) {
  auto options = std::make_shared<BenchOptions>();
  options->common.fabric = "shm";
  CLI::App* command = app.add_subcommand("bench", "measure latency, bandwidth and message rate");
  command->add_option("KIND", options->kind, "benchmark to run")
      ->required()
      ->check(one_of("benchmark", kBenchNames));
  add_torus_options(*command, options->torus);
  options->torus.torus = "2";
  command->get_option("--torus")->required(false)->capture_default_str();
  add_message_options(*command, *options);
  add_overlap_options(*command, options->overlap);
  add_report_option(*command, options->report);
  add_common_options(*command, options->common);
  add_examples(*command, {{"time of a message from one node to the other",
                           "toroid bench latency -m 8:4KiB -i 10000 -x 100"},
                          {"bytes per second, windows of 64 messages", "toroid bench bw -m 1:4MiB"},
                          {"messages per second from one node to the other",
                           "toroid bench rate --sizes 8,240"},
                          {"how much communication a non-blocking transform hides",
                           "toroid bench overlap --torus 4x2 --fabric sim --size 32"}});
  return [options, command] { return run(*command, *options); };
}

}  // namespace toroid
