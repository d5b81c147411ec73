#include "tools/transform/orbital_json.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "fft/orbital/base.hpp"
#include "fft/orbital/plan.hpp"
#include "fft/orbital/stage_adapter.hpp"
#include "fft/orbital/stage_bound.hpp"
#include "fft/plan/description.hpp"
#include "hal/tick.hpp"
#include "tools/report/binding_bound.hpp"
#include "tools/run/run_result.hpp"
#include "tools/text/spelling.hpp"

namespace toroid {
namespace {

Json virtual_stage(const fft::OrbitalTimes& times, const fft::OrbitalStageBound& bound) {
  const Tick took = times.end - times.begin;
  return {{"cycles", took},
          {"computing_cycles", times.computing},
          {"waiting_cycles", times.waiting},
          {"bound_cycles", bound.cycles()},
          {"bound_by",
           name_of(kBoundByNames,
                   bound.link > bound.busiest_processor() ? BoundBy::link : BoundBy::processor)},
          {"percent_of_bound", percent(bound.cycles(), took)}};
}

/// There is no key for computing: in wall-clock time it is not measured, and is the time minus the
/// waiting.
Json wall_clock_stage(const fft::OrbitalTimes& times, const Machine& machine) {
  const auto seconds = [&](Tick ticks) { return static_cast<double>(ticks) / machine.clock_hz; };
  return {{"time_s", seconds(times.end - times.begin)}, {"waiting_s", seconds(times.waiting)}};
}

std::string stage_text(const Json& stage) {
  const auto name = stage["axis"].get<std::string>();
  if (!stage.contains("cycles"))
    return fmt::format("    {:<6} {:>9.3e} {:>10.3e}\n", name, stage["time_s"].get<double>(),
                       stage["waiting_s"].get<double>());
  const auto count = [&](const char* key) { return stage[key].get<std::uint64_t>(); };
  return fmt::format("    {:<6} {:>9} {:>10} {:>10} {:>10}  {:<9} {:>7.1f} %\n", name,
                     count("cycles"), count("computing_cycles"), count("waiting_cycles"),
                     count("bound_cycles"), stage["bound_by"].get<std::string>(),
                     stage["percent_of_bound"].get<double>());
}

/// The number of arrays in the last group of a batch. A batch is transformed in groups of arrays,
/// and the times of the last group are reported.
unsigned lanes_of_last_run(const fft::Description& description) {
  const std::int64_t lanes = fft::orbital_lanes(description.batch, description.variant);
  return static_cast<unsigned>((description.batch - 1) % lanes + 1);
}

}  // namespace

void add_orbital(Json& report, const TransformJob& job, const Outcome& outcome,
                 const Machine& machine) {
  constexpr std::string_view kAxes = "xyz";
  const fft::Description& description = job.blueprint->description();
  const fft::OrbitalPlan plan =
      fft::orbital_plan(description, job.blueprint->shape(), job.last_way());
  const unsigned lanes = lanes_of_last_run(description);
  report["steps"] = outcome.numbers_shifted.size();
  report["numbers_per_step"] = outcome.numbers_shifted;
  Json& stages = report["stage_times"] = Json::array();
  for (std::size_t s = 0; s < outcome.orbital_times.size(); ++s) {
    const auto number = static_cast<unsigned>(s);
    Json stage = {{"axis", std::string(1, kAxes[plan.stage(number).axis])}};
    const fft::OrbitalTimes& times = outcome.orbital_times[s];
    stage.update(is_virtual(report)
                     ? virtual_stage(times, fft::bound_of_stage(plan, number, machine, lanes))
                     : wall_clock_stage(times, machine));
    stages.push_back(std::move(stage));
  }
}

std::string orbital_text(const Json& report) {
  std::string text =
      fmt::format("  steps            {:>14}     numbers sent per node in each: {}\n",
                  report["steps"].get<std::size_t>(),
                  fmt::join(report["numbers_per_step"].get<std::vector<std::uint64_t>>(), " "));
  text += is_virtual(report)
              ? "  stage         cycles  computing    waiting      bound  by         of bound\n"
              : "  stage        time, s    waiting\n";
  for (const Json& stage : report["stage_times"]) text += stage_text(stage);
  return text;
}

}  // namespace toroid
