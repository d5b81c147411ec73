#include "tools/transform/plane_tuner.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "fft/kernels/kernel.hpp"
#include "fft/plan/tune_planes.hpp"
#include "hal/check.hpp"
#include "hal/parse_number.hpp"
#include "tools/run/emulation.hpp"

namespace toroid {
namespace {

constexpr unsigned kRounds = 15;  ///< repetitions of a trial in wall-clock time

/// The largest number of planes to try.
std::int64_t most_of(const SlabTrial& trial) {
  constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();
  return trial.run.fabric == FabricName::sim ? fft::kMostPlanesTried : kAll;
}

std::string wisdom_key(const SlabTrial& trial, bool blocking) {
  const fft::Description& d = trial.description;
  return one_line(fmt::format(
      "toroid planes {} {} {} batch {} {} {} cut {} window {} interval {} {}{}{} = ", trial.on,
      trial.shape.text(), fmt::join(d.size, "x"), d.batch,
      d.precision == fft::Precision::single ? "single" : "double", d.real ? "real" : "complex",
      d.box_cut, d.overlap.window, d.overlap.test_interval,
      trial.way == fft::Way::forward ? "forward" : "backward",
      fmt::format("{}{}{}{}", blocking ? "" : " non-blocking",
                  d.overlap.start == fft::Start::lines ? " by lines" : "",
                  d.overlap.taper ? " tapered" : "",
                  d.cores > 1 ? fmt::format(" cores {}", d.cores) : ""),
      most_of(trial) > fft::kMostPlanesTried ? " of all" : ""));
}

/// The remembered number of planes, if there is one that tuning could have found.
std::optional<std::int64_t> remembered(const std::string& key, bool blocking, std::int64_t most) {
  for (const std::string& line : fft::local::own_wisdom()) {
    if (!line.starts_with(key)) continue;
    const auto planes = parse_number<std::int64_t>(std::string_view(line).substr(key.size()));
    if (planes && *planes >= (blocking ? 0 : 1) && *planes <= most) return planes;
  }
  return std::nullopt;
}

/// The number that the reporting process remembers. The other processes use it too, because they
/// may have read another wisdom file, or none.
std::optional<std::int64_t> remembered_by_all(const SlabTrial& trial, const std::string& key,
                                              bool blocking) {
  constexpr std::int64_t kNone = -1;
  const std::int64_t mine = remembered(key, blocking, most_of(trial)).value_or(kNone);
  const auto planes =
      static_cast<std::int64_t>(trial.run.processes.numbers(static_cast<double>(mine))[0]);
  return planes == kNone ? std::nullopt : std::optional(planes);
}

/// The median time in ticks; every process gets the same.
double median_time(const SlabTrial& trial, const HostArray& input,
                   std::shared_ptr<const fft::Blueprint> blueprint) {
  const Outcome outcome = run_trial(trial, std::move(blueprint), input);
  const bool reports = trial.run.processes.reports();
  return trial.run.processes.numbers(reports ? static_cast<double>(outcome.median().cycles())
                                             : 0.0)[0];
}

}  // namespace

std::shared_ptr<const fft::Blueprint> blueprint_of(const SlabTrial& trial, std::int64_t planes) {
  return fft::with_planes(trial.description, trial.shape, trial.way, planes);
}

Outcome run_trial(const SlabTrial& trial, std::shared_ptr<const fft::Blueprint> blueprint,
                  const HostArray& input) {
  const bool is_virtual = trial.run.fabric == FabricName::sim;
  const TransformJob job{std::move(blueprint), trial.way, fft::Scale::none,
                         is_virtual ? 1 : kRounds};
  Emulation emulation(trial.shape, trial.machine,
                      under_policy(trial.run, *job.blueprint, trial.machine), true, 0);
  return transform(emulation, job, input);
}

std::int64_t tuned_planes(const SlabTrial& trial, const HostArray& input, bool blocking) {
  const std::string key = wisdom_key(trial, blocking);
  if (const auto planes = remembered_by_all(trial, key, blocking)) return *planes;
  const std::int64_t best = fft::tune_planes(
                                trial.description, trial.shape, trial.way,
                                blocking ? fft::Blocking::too : fft::Blocking::only_if_nothing_else,
                                [&](std::shared_ptr<const fft::Blueprint> blueprint) {
                                  return median_time(trial, input, std::move(blueprint));
                                },
                                most_of(trial))
                                .planes;
  fft::local::add_own_wisdom(key + std::to_string(best));
  return best;
}

}  // namespace toroid
