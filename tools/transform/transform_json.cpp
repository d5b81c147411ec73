#include "tools/transform/transform_json.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/tune_planes.hpp"
#include "hal/bounds.hpp"
#include "hal/counters.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "tools/files/host_array.hpp"
#include "tools/report/flowchart_json.hpp"
#include "tools/report/provenance.hpp"
#include "tools/run/host_copy_rate.hpp"
#include "tools/run/run_result.hpp"
#include "tools/text/spelling.hpp"
#include "tools/transform/kinds_text.hpp"
#include "tools/transform/method_options.hpp"
#include "tools/transform/orbital_json.hpp"

namespace toroid {
namespace {

/// The job's stages in the order in which they run.
std::vector<const fft::Stage*> stages_of(const TransformJob& job) {
  std::vector<const fft::Stage*> stages;
  for (const fft::Way way : job.ways()) {
    const auto begin = static_cast<std::ptrdiff_t>(stages.size());
    for (const fft::Stage& stage : job.blueprint->stages()) stages.push_back(&stage);
    if (way == fft::Way::backward) std::reverse(stages.begin() + begin, stages.end());
  }
  return stages;
}

/// A phase: a stage, from the moment at which the last node ended the previous stage until the last
/// node ended this one. Such phases add up to the whole time, although each node begins a stage as
/// soon as it can. The exchange lasts from the first node that began it until the last node has all
/// its data.
struct Phase {
  Tick took = 0;
  Tick overlap = 0;  ///< time of the exchange that is within earlier phases
  Tick exchange = 0;
};

Phase phase_of(const StageSpan& span, Tick before) {
  return {span.end - before, before > span.begin ? before - span.begin : 0,
          span.exchanged - span.begin};
}

Json virtual_phase(const Phase& phase, const Bounds& bounds, const Machine& machine) {
  const Bound bound = binding(bounds);
  return {{"cycles", phase.took},
          {"time_s", static_cast<double>(phase.took) / machine.clock_hz},
          {"overlap_cycles", phase.overlap},
          {"exchange_cycles", phase.exchange},
          {"exchange_bound_cycles", bound.cycles},
          {"bound_by", name_of(kBoundByNames, bound.by)},
          {"percent_of_bound", percent(bound.cycles, phase.exchange)},
          {"percent_of_peak", percent(bounds.hottest_link, phase.exchange)}};
}

Json wall_clock_phase(const Phase& phase, double bound_s, const Machine& machine) {
  const auto seconds = [&](Tick ticks) { return static_cast<double>(ticks) / machine.clock_hz; };
  return {{"time_s", seconds(phase.took)},
          {"overlap_s", seconds(phase.overlap)},
          {"exchange_s", seconds(phase.exchange)},
          {"exchange_bound_s", bound_s},
          {"bound_by", name_of(kBoundByNames, BoundBy::copy)},
          {"percent_of_bound", percent_of(bound_s, seconds(phase.exchange))}};
}

}  // namespace

Json phases_json(const TransformJob& job, const Outcome& outcome, const PlanBounds& bounds,
                 const Machine& machine, const Emulation* on_wall_clock) {
  Json phases = Json::array();
  const auto stages = stages_of(job);
  Tick before = outcome.median().stages.front().begin;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    if (s == 0 && stages[s]->is_empty()) continue;  // the initial layout of the data
    const StageSpan& span = outcome.median().stages[s];
    const Phase phase = phase_of(span, before);
    const PlanBound& bound = bounds.stages[s];
    Json json = {{"name", stages[s]->name}};
    json.update(on_wall_clock == nullptr
                    ? virtual_phase(phase, bound.bounds, machine)
                    : wall_clock_phase(phase,
                                       exchange_copy_seconds(
                                           static_cast<double>(bound.payload_bytes),
                                           on_wall_clock->workers(), on_wall_clock->transfer()),
                                       machine));
    json["packets"] = bound.packets;
    phases.push_back(std::move(json));
    before = span.end;
  }
  return phases;
}

namespace {

/// The packets and hops of one barrier of all nodes. In round r each node sends a packet to the
/// node whose rank is 2^r higher, modulo the number of nodes.
struct BarrierCost {
  explicit BarrierCost(const Shape& shape) {
    for (std::uint64_t distance = 1; distance < shape.size(); distance *= 2)
      for (Rank node = 0; node < shape.size(); ++node, ++packets)
        hops += minimal_hops(shape, shape.coord(node),
                             shape.coord(static_cast<Rank>((node + distance) % shape.size())));
  }
  std::uint64_t packets = 0;
  std::uint64_t hops = 0;
};

/// Removes the packets of the barriers between repetitions, because the measured times exclude
/// these barriers, too. The number of barriers follows from the number of packets that the
/// transforms did not send. If this number is unknown, one barrier is assumed before each
/// repetition except the first.
FabricCounters without_barriers(FabricCounters counters, const Shape& shape,
                                const PlanBounds& bounds, unsigned repeat) {
  const BarrierCost cost(shape);
  if (cost.packets == 0) return counters;
  const std::uint64_t own = repeat * bounds.total.packets;
  const std::uint64_t barriers =
      own > 0 && counters.packets >= own ? (counters.packets - own) / cost.packets : repeat - 1;
  counters.packets -= barriers * cost.packets;
  counters.delivered -= barriers * cost.packets;
  counters.packet_hops -= std::min(counters.packet_hops, barriers * cost.hops);
  return counters;
}

/// 10^9 operations per second. Every transform of N points counts as 5 N log2 N operations, or half
/// of that for real data.
double gflops(const TransformJob& job, double time_s) {
  const fft::Description& description = job.blueprint->description();
  const double points = job.blueprint->points();
  const double of_one = 5 * points * std::log2(points) * (description.real ? 0.5 : 1);
  const double times =
      static_cast<double>(description.batch) * static_cast<double>(job.ways().size());
  return time_s == 0 ? 0 : of_one * times / time_s / 1e9;
}

/// The times of all repetitions, in ascending order.
std::vector<Tick> cycles_of(const Outcome& outcome) {
  std::vector<Tick> cycles;
  for (const Repetition& one : outcome.repetitions) cycles.push_back(one.cycles());
  return cycles;
}

/// The number as JSON. A whole number is written without a decimal point, as users type it.
Json number_json(double value) {
  const auto whole = static_cast<std::int64_t>(value);
  return static_cast<double>(whole) == value ? Json(whole) : Json(value);
}

void add_description(Json& report, const FftOptions& options, const TransformJob& job) {
  const fft::Description& description = job.blueprint->description();
  report.update({{"size", description.size},
                 {"method", options.method},
                 {"transform", options.transform},
                 {"inverse", options.inverse},
                 {"data", options.real ? "real" : "complex"},
                 {"precision", options.precision},
                 {"batch", options.batch},
                 {"norm", options.norm},
                 {"scale", fft::kScaleNames[static_cast<std::size_t>(job.scale)]}});
  if (description.method != fft::Method::orbital || transforms_lines(options.transform))
    report["kernel"] = options.kernel;
  if (description.layer != fft::Layer::packets) report["layer"] = options.layer;
  if (job.loops > 0) report["loops"] = job.loops;
  if (description.method == fft::Method::slab)
    report.update({{"planes", fft::planes_used(*job.blueprint, job.way)},
                   {"window", description.overlap.window},
                   {"test_interval", description.overlap.test_interval},
                   {"start", name_of(fft::kStartNames, description.overlap.start)},
                   {"taper", description.overlap.taper},
                   {"box_cut", number_json(description.box_cut)}});
  if (description.method == fft::Method::slab && description.cores > 1)
    report["cores"] = description.cores;
  if (!options.in_boxes.empty()) report["in_boxes"] = options.in_boxes;
  if (!options.out_boxes.empty()) report["out_boxes"] = options.out_boxes;
  if (description.overlap.backward_planes)
    report.update({{"forward_planes", fft::planes_used(*job.blueprint, fft::Way::forward)},
                   {"backward_planes", fft::planes_used(*job.blueprint, fft::Way::backward)}});
  if (description.method != fft::Method::orbital) return;
  report["variant"] = options.variant;
  if (description.variant == fft::OrbitalVariant::cra) report["schedule"] = options.schedule;
  report["stages"] = stage_letters(description);
  report["slicing"] = stage_letters(description).substr(2);
}

std::string rates_text(const Json& report) {
  return fmt::format(
      "  rate             {:>14.3f} GFlop/s, counting 5 N log2 N{}\n"
      "  arrays           {:>14.3f} MiB per process\n",
      report["gflops"].get<double>(), report["data"] == "real" ? " / 2" : "",
      report["bytes_per_process"].get<double>() / (1 << 20));
}

/// The bound, or "-" for a phase that exchanges nothing and so has no bound.
std::string bound_text(const Json& phase, const std::string& bound) {
  return phase["packets"] == 0 ? "-" : bound;
}

/// How close the exchange of a phase came to a bound; "-" if it has none.
std::string exchange_share(const Json& phase, const char* key) {
  return bound_text(phase, fmt::format("{:.1f} %", phase[key].get<double>()));
}

std::string by_text(const Json& phase) {
  return bound_text(phase, phase["bound_by"]);
}

/// A line about the exchanges that began before their phase. text_of() formats how much earlier one
/// began.
template <typename TextOf>
std::string overlap_text(const Json& phases, const char* key, const char* unit,
                         const TextOf& text_of) {
  std::vector<std::string> parts;
  for (const Json& phase : phases)
    if (phase[key] > 0)
      parts.push_back(phase["name"].get<std::string>() + " " + text_of(phase[key]));
  if (parts.empty()) return "";
  return fmt::format("    overlap of exchanges with the phases before them, {}: {}\n", unit,
                     fmt::join(parts, ", "));
}

std::string virtual_phases_text(const Json& phases) {
  std::string text =
      "  phase         cycles   exchange      bound  by         of bound  hottest link   packets\n";
  Tick sum = 0;
  for (const Json& phase : phases) {
    const auto count = [&](const char* key) { return phase[key].get<std::uint64_t>(); };
    text += fmt::format("    {:<6} {:>9} {:>10} {:>10}  {:<9} {:>9} {:>13} {:>9}\n",
                        phase["name"].get<std::string>(), count("cycles"), count("exchange_cycles"),
                        bound_text(phase, fmt::to_string(count("exchange_bound_cycles"))),
                        by_text(phase), exchange_share(phase, "percent_of_bound"),
                        exchange_share(phase, "percent_of_peak"), count("packets"));
    sum += count("cycles");
  }
  return text + fmt::format("    {:<6} {:>9}\n", "sum", sum) +
         overlap_text(phases, "overlap_cycles", "cycles",
                      [](const Json& cycles) { return fmt::to_string(cycles.get<Tick>()); });
}

std::string wall_clock_phases_text(const Json& phases) {
  std::string text =
      "  phase        time, s  exchange, s    bound, s  by         of bound   packets\n";
  double sum = 0;
  for (const Json& phase : phases) {
    const auto seconds = [&](const char* key) { return phase[key].get<double>(); };
    text += fmt::format("    {:<6} {:>9.3e} {:>12.3e} {:>11}  {:<9} {:>9} {:>9}\n",
                        phase["name"].get<std::string>(), seconds("time_s"), seconds("exchange_s"),
                        bound_text(phase, fmt::format("{:.3e}", seconds("exchange_bound_s"))),
                        by_text(phase), exchange_share(phase, "percent_of_bound"),
                        phase["packets"].get<std::uint64_t>());
    sum += seconds("time_s");
  }
  return text + fmt::format("    {:<6} {:>9.3e}\n", "sum", sum) +
         overlap_text(phases, "overlap_s", "s", [](const Json& seconds) {
           return fmt::format("{:.3e}", seconds.get<double>());
         });
}

std::string phases_text(const Json& report) {
  return is_virtual(report) ? virtual_phases_text(report["phases"])
                            : wall_clock_phases_text(report["phases"]);
}

std::string title(const Json& report) {
  std::string text =
      fmt::format("{} {} of {}, {}", report["inverse"].get<bool>() ? "inverse" : "forward",
                  report["transform"] == "dft" ? "FFT" : report["transform"].get<std::string>(),
                  fmt::join(report["size"].get<Size>(), "x"), report["method"].get<std::string>());
  if (report.value("variant", "cra") != "cra")
    text += " by broadcasts (" + report["variant"].get<std::string>() + ")";
  if (report.contains("layer")) text += " over " + report["layer"].get<std::string>();
  if (report.contains("loops"))
    text += fmt::format(", {} round trips", report["loops"].get<unsigned>());
  if (report["data"] == "real") text += ", real data";
  if (report["precision"] == "single") text += ", single precision";
  if (report.value("kernel", "") == "kissfft") text += ", lines by KissFFT";
  if (report["batch"] != 1) text += fmt::format(", {} arrays", report["batch"].get<std::int64_t>());
  if (report.contains("box_cut") && report["box_cut"] != 1)
    text += fmt::format(", box cut {}", report["box_cut"].get<double>());
  if (report.contains("planes"))
    text += report["planes"] == 0
                ? ", blocking"
                : fmt::format(", {} planes at a time{}{}", report["planes"].get<std::int64_t>(),
                              report["taper"].get<bool>() ? ", fewer at the end" : "",
                              report["start"] == "lines" ? ", lines as they arrive" : "");
  if (report.contains("cores"))
    text += fmt::format(", {} cores a node", report["cores"].get<unsigned>());
  return text + "\n";
}

}  // namespace

Timing add_run(Json& report, const PlanFigures& figures) {
  const fft::Description& description = figures.job.blueprint->description();
  add_policy(
      report, figures.run,
      transform_effects(description.method, figures.run, description.layer, description.variant));
  add_workers(report, figures.emulation);
  const Timing timing = plan_timing(figures.bounds, figures.machine, figures.emulation,
                                    is_virtual(report), figures.outcome.median().cycles());
  add_timing(report, timing);
  return timing;
}

void add_counts(Json& report, const PlanFigures& figures) {
  const auto& [job, bounds, machine, run, emulation, outcome] = figures;
  if (!is_virtual(report)) report["repetitions"] = repetitions_json(cycles_of(outcome), machine);
  const Shape& shape = job.blueprint->shape();
  const FabricCounters counters =
      is_virtual(report) ? emulation.counters()
                         : without_barriers(emulation.counters(), shape, bounds, job.repeat);
  ResultHash hash;
  add_counters(report, hash, {counters, shape, machine, outcome.median().cycles(), job.repeat});
  report["profile"] = profile_json(emulation.profile(), shape);
  hash.add(outcome.result.values);
  add_hash(report, hash);
  add_wall_clock(report, emulation);
}

Json fft_report(const FftOptions& options, const PlanFigures& figures) {
  const auto& [job, bounds, machine, run, emulation, outcome] = figures;
  const fft::Description& description = job.blueprint->description();
  Json report = report_head("fft", options.common, job.blueprint->shape(), machine);
  add_description(report, options, job);
  const Timing timing = add_run(report, figures);
  report["gflops"] = gflops(job, timing.time_s);
  report["bytes_per_process"] = static_cast<std::uint64_t>(outcome.bytes_per_process);
  if (is_virtual(report) && description.method == fft::Method::volumetric)
    report["paper_model_cycles"] = bounds.paper_model;
  if (description.method == fft::Method::orbital) add_orbital(report, job, outcome, machine);
  report["phases"] =
      phases_json(job, outcome, bounds, machine, is_virtual(report) ? nullptr : &emulation);
  add_counts(report, figures);
  return report;
}

std::string fft_table(const Json& report) {
  std::string text = title(report) + summary_table(report);
  if (report.contains("paper_model_cycles"))
    text +=
        fmt::format("  paper model                           {:>14} cycles (mean link at 80 %)\n",
                    report["paper_model_cycles"].get<Tick>());
  if (report.contains("repetitions")) text += repetitions_text(report["repetitions"]);
  text += rates_text(report) + phases_text(report);
  if (report.contains("steps")) text += orbital_text(report);
  if (report.contains("l2_error"))
    text += fmt::format("  against serial   {:>14.2e} relative l2 error, {:.2e} largest error{}\n",
                        report["l2_error"].get<double>(), report["max_error"].get<double>(),
                        report["max_error"] == 0 ? ": identical bits" : "");
  return text;
}

}  // namespace toroid
