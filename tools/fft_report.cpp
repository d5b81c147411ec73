#include "tools/fft_report.hpp"

#include <fmt/ranges.h>

#include <cmath>

#include "tools/plane_tuner.hpp"

namespace toroid {
namespace {

/// The job's stages in the order in which it goes through them.
std::vector<const Stage*> stages_of(const TransformJob& job) {
  std::vector<const Stage*> stages;
  for (const Stage& stage : job.blueprint->stages()) stages.push_back(&stage);
  if (job.way == Way::backward) std::ranges::reverse(stages);
  return stages;
}

Json phases_json(const TransformJob& job, const Outcome& outcome, const PlanBounds& bounds,
                 const Machine& machine) {
  Json phases = Json::array();
  const auto stages = stages_of(job);
  for (std::size_t s = 0; s < stages.size(); ++s) {
    if (s == 0 && stages[s]->is_empty()) continue;  // where the data stands
    const StageSpan& span = outcome.median().stages[s];
    const Tick exchange = span.exchanged - span.begin;
    phases.push_back({{"name", stages[s]->name},
                      {"cycles", span.end - span.begin},
                      {"time_s", static_cast<double>(span.end - span.begin) / machine.clock_hz},
                      {"exchange_cycles", exchange},
                      {"exchange_bound_cycles", bounds.stages[s].least},
                      {"percent_of_peak", percent(bounds.stages[s].peak, exchange)},
                      {"packets", bounds.stages[s].packets}});
  }
  return phases;
}

Json repetitions_json(const Outcome& outcome, const Machine& machine) {
  const auto seconds = [&](double quantile) {
    const auto last = static_cast<double>(outcome.repetitions.size() - 1);
    const auto at = static_cast<std::size_t>(std::lround(quantile * last));
    return static_cast<double>(outcome.repetitions[at].cycles()) / machine.clock_hz;
  };
  return {{"count", outcome.repetitions.size()},
          {"least_s", seconds(0)},
          {"lower_quartile_s", seconds(0.25)},
          {"median_s", static_cast<double>(outcome.median().cycles()) / machine.clock_hz},
          {"upper_quartile_s", seconds(0.75)},
          {"most_s", seconds(1)}};
}

void add_description(Json& report, const FftOptions& options, const TransformJob& job) {
  const Description& description = job.blueprint->description();
  report.update({{"size", description.size},
                 {"method", options.method},
                 {"transform", options.transform},
                 {"inverse", options.inverse},
                 {"data", options.real ? "real" : "complex"},
                 {"precision", options.precision},
                 {"batch", options.batch},
                 {"scale", options.scale}});
  if (description.method == Method::slab)
    report.update({{"planes", planes_used(*job.blueprint, job.way)},
                   {"window", description.overlap.window},
                   {"test_interval", description.overlap.test_interval},
                   {"box_cut", description.box_cut}});
  if (description.method == Method::orbital) report["schedule"] = options.schedule;
}

std::string repetitions_text(const Json& repetitions) {
  return fmt::format(
      "  {:>5} times       {:.6e} s the median, {:.3e} to {:.3e} s half of them, least {:.3e} s\n",
      repetitions["count"].get<std::size_t>(), repetitions["median_s"].get<double>(),
      repetitions["lower_quartile_s"].get<double>(), repetitions["upper_quartile_s"].get<double>(),
      repetitions["least_s"].get<double>());
}

std::string title(const Json& report) {
  std::string text =
      fmt::format("{} {} of {}, {}", report["inverse"].get<bool>() ? "inverse" : "forward",
                  report["transform"] == "dft" ? "FFT" : report["transform"].get<std::string>(),
                  fmt::join(report["size"].get<Size>(), "x"), report["method"].get<std::string>());
  if (report["data"] == "real") text += ", real data";
  if (report["precision"] == "single") text += ", single precision";
  if (report["batch"] != 1) text += fmt::format(", {} arrays", report["batch"].get<std::int64_t>());
  if (report.contains("box_cut") && report["box_cut"] != 1)
    text += fmt::format(", box cut {}", report["box_cut"].get<std::int64_t>());
  if (report.contains("planes"))
    text += report["planes"] == 0
                ? ", blocking"
                : fmt::format(", {} planes at a time", report["planes"].get<std::int64_t>());
  return text + "\n";
}

}  // namespace

Json fft_report(const FftOptions& options, const TransformJob& job, PlanBounds bounds,
                const Machine& machine, const Emulation& emulation, const Outcome& outcome) {
  const Description& description = job.blueprint->description();
  ResultHash hash;
  Json report = report_head("fft", options.common, job.blueprint->shape(), machine);
  add_description(report, options, job);
  add_workers(report, options.common, emulation);
  const Tick cycles = outcome.median().cycles();
  if (!is_virtual(report)) bounds = on_host(std::move(bounds), machine, emulation.workers());
  add_timing(report, {cycles, bounds.total.least, bounds.total.peak}, machine);
  if (is_virtual(report) && description.method == Method::volumetric)
    report["paper_model_cycles"] = bounds.paper_model;
  if (description.method == Method::orbital) {
    const std::size_t steps =  // of one array
        outcome.numbers_rolled.size() / static_cast<std::size_t>(description.batch);
    report["steps"] = steps;
    report["numbers_per_step"] = std::span(outcome.numbers_rolled).first(steps);
  }
  report["phases"] = phases_json(job, outcome, bounds, machine);
  if (!is_virtual(report)) report["repetitions"] = repetitions_json(outcome, machine);
  add_counters(report, hash, emulation.counters(), job.blueprint->shape(), machine, cycles);
  hash.add(outcome.result.values);
  add_hash(report, hash);
  add_wall_clock(report, emulation);
  return report;
}

std::string fft_table(const Json& report) {
  std::string text = title(report) + summary_table(report);
  if (report.contains("paper_model_cycles"))
    text +=
        fmt::format("  paper model                           {:>14} cycles (mean link at 80 %)\n",
                    report["paper_model_cycles"].get<Tick>());
  if (report.contains("repetitions")) text += repetitions_text(report["repetitions"]);
  text += "  phase        cycles      exchange         bound   of peak   packets\n";
  for (const auto& phase : report["phases"])
    text += fmt::format(
        "    {:<6} {:>9} {:>13} {:>13} {:>7.1f} % {:>9}\n", phase["name"].get<std::string>(),
        phase["cycles"].get<Tick>(), phase["exchange_cycles"].get<Tick>(),
        phase["exchange_bound_cycles"].get<Tick>(), phase["percent_of_peak"].get<double>(),
        phase["packets"].get<std::uint64_t>());
  if (report.contains("steps"))
    text +=
        fmt::format("  steps            {:>14}     numbers sent per node in each: {}\n",
                    report["steps"].get<std::size_t>(),
                    fmt::join(report["numbers_per_step"].get<std::vector<std::uint64_t>>(), " "));
  if (report.contains("l2_error"))
    text += fmt::format("  against serial   {:>14.2e} relative l2 error, {:.2e} largest error\n",
                        report["l2_error"].get<double>(), report["max_error"].get<double>());
  return text;
}

}  // namespace toroid
