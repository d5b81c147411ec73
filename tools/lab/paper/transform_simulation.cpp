#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "hal/shape.hpp"
#include "tools/files/host_array.hpp"
#include "tools/lab/paper/simulation.hpp"
#include "tools/options/common_options.hpp"
#include "tools/report/binding_bound.hpp"
#include "tools/run/emulation.hpp"
#include "tools/run/estimate.hpp"
#include "tools/run/run_options.hpp"
#include "tools/text/json.hpp"
#include "tools/text/spelling.hpp"
#include "tools/transform/input.hpp"
#include "tools/transform/options.hpp"
#include "tools/transform/plane_tuner.hpp"
#include "tools/transform/run.hpp"
#include "tools/transform/slab_timings.hpp"
#include "tools/transform/work_estimate.hpp"

namespace toroid {
namespace {

/// The options with which `toroid fft` would run this case.
FftOptions options_of(const TransformCase& what, const PaperSetting& setting) {
  FftOptions options;
  options.method = name_of<fft::Method>(fft::kMethodNames, what.method);
  options.layer = name_of<fft::Layer>(fft::kLayerNames, what.layer);
  options.variant = name_of<fft::OrbitalVariant>(fft::kOrbitalVariantNames, what.variant);
  options.batch = what.batch;
  options.torus.torus = what.torus;
  options.size = std::to_string(what.size);
  options.common.seed = setting.seed;
  options.common.quiet = true;
  return options;
}

TransformJob job_of(const FftOptions& options, const Shape& shape) {
  fft::Description description = describe(options, FabricName::sim);
  description.size = parse_size(options.size);
  return {std::make_shared<const fft::Blueprint>(description, shape)};
}

Json plan_bounds_json(const PlanBounds& bounds) {
  const Bound bound = binding(bounds.total.bounds);
  return {{"bound_cycles", bound.cycles},
          {"bound_by", name_of(kBoundByNames, bound.by)},
          {"paper_model_cycles", bounds.paper_model}};
}

/// All stages have the same number of steps, and all steps of a stage send the same amount.
Json steps_json(const std::vector<std::uint64_t>& numbers_shifted) {
  const std::size_t steps = numbers_shifted.size() / 3;
  return {{"steps", numbers_shifted.size()},
          {"stage1", numbers_shifted.at(0)},
          {"stage2", numbers_shifted.at(steps)},
          {"stage3", numbers_shifted.at(2 * steps)}};
}

Json run_transform(const TransformCase& what, const PaperSetting& setting) {
  const FftOptions options = options_of(what, setting);
  const Shape shape = shape_of(options.torus);
  const TransformJob job = job_of(options, shape);
  Json figures = plan_bounds_json(bounds_of(*job.blueprint, job.way, setting.machine));
  const HostArray input = fft_input(options, shape).array;
  const RunOptions run = under_policy(run_options(options.common, options.torus, setting.machine),
                                      *job.blueprint, setting.machine);
  Emulation emulation(shape, setting.machine, run, true, 0);
  const Outcome outcome = transform(emulation, job, input);
  figures["nodes"] = shape.size();
  figures["cycles"] = outcome.median().cycles();
  if (what.method == fft::Method::orbital) figures.update(steps_json(outcome.numbers_shifted));
  return figures;
}

Json run_model(const TransformCase& what, const PaperSetting& setting) {
  const FftOptions options = options_of(what, setting);
  const TransformJob job = job_of(options, shape_of(options.torus));
  return plan_bounds_json(bounds_of(*job.blueprint, job.way, setting.machine));
}

Json run_slab(const SlabCase& what, const PaperSetting& setting) {
  FftOptions options = options_of({fft::Method::slab, what.torus, what.size}, setting);
  options.planes = what.planes;
  options.box_cut = what.box_cut;
  const Shape shape = shape_of(options.torus);
  fft::Description description = describe(options, FabricName::sim);
  const FftInput input = fft_input(options, shape);
  description.size = input.size;
  const RunOptions run = run_options(options.common, options.torus, setting.machine);
  const SlabTrial trial{description, fft::Way::forward, shape, setting.machine, run, ""};
  return slab_comparison(trial, input.array);
}

RunEstimate estimate_transform(const TransformCase& what, const PaperSetting& setting,
                               double runs) {
  const FftOptions options = options_of(what, setting);
  const Shape shape = shape_of(options.torus);
  const TransformJob job = job_of(options, shape);
  return estimate_run(transform_work(*job.blueprint) * runs, shape, setting.machine,
                      RunOptions{.threads = 1},
                      fft_bytes(options, parse_size(options.size), shape));
}

}  // namespace

std::string TransformCase::key() const {
  std::string text =
      fmt::format("{} {} on {}", name_of<fft::Method>(fft::kMethodNames, method), size, torus);
  if (variant != fft::OrbitalVariant::cra)
    text += fmt::format(" by {}", name_of<fft::OrbitalVariant>(fft::kOrbitalVariantNames, variant));
  if (batch > 1) text += fmt::format(", {} arrays", batch);
  if (layer == fft::Layer::packets) return text;
  return text + fmt::format(" over {}", name_of<fft::Layer>(fft::kLayerNames, layer));
}

Simulation transform_simulation(const TransformCase& what, bool is_long) {
  return {what.key(), [what](const PaperSetting& s) { return run_transform(what, s); }, is_long,
          [what](const PaperSetting& s) { return estimate_transform(what, s, 1); }};
}

Simulation model_simulation(const TransformCase& what) {
  return {"model of " + what.key(), [what](const PaperSetting& s) { return run_model(what, s); }};
}

std::string SlabCase::key() const {
  return fmt::format("blocks of slab {} on {}, box cut {}, {} planes at a time", size, torus,
                     box_cut, planes);
}

Simulation slab_simulation(const SlabCase& what) {
  constexpr double kRuns = 2;  // blocking and non-blocking
  return {what.key(), [what](const PaperSetting& s) { return run_slab(what, s); }, false,
          [what](const PaperSetting& s) {
            return estimate_transform({fft::Method::slab, what.torus, what.size}, s, kRuns);
          }};
}

}  // namespace toroid
