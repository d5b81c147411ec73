// toroid fft: a distributed transform by active packets on the emulated torus.
#include <fmt/core.h>

#include <memory>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>
#include "fft/kernels/kernel.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "hal/check.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/node/settings.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tools/command/commands.hpp"
#include "tools/files/host_array.hpp"
#include "tools/files/machine_file.hpp"
#include "tools/files/npy.hpp"
#include "tools/options/common_options.hpp"
#include "tools/options/option_effects.hpp"
#include "tools/options/single_process_check.hpp"
#include "tools/run/embedding_program.hpp"
#include "tools/run/emulation.hpp"
#include "tools/run/estimate.hpp"
#include "tools/run/run_options.hpp"
#include "tools/run/run_session.hpp"
#include "tools/run/run_setup.hpp"
#include "tools/text/json.hpp"
#include "tools/text/spelling.hpp"
#include "tools/text/warning.hpp"
#include "tools/transform/input.hpp"
#include "tools/transform/kinds_text.hpp"
#include "tools/transform/method_options.hpp"
#include "tools/transform/options.hpp"
#include "tools/transform/outputs.hpp"
#include "tools/transform/plane_tuner.hpp"
#include "tools/transform/run.hpp"
#include "tools/transform/serial_transform.hpp"
#include "tools/transform/slab_timings.hpp"
#include "tools/transform/transform_json.hpp"
#include "tools/transform/work_estimate.hpp"

namespace toroid {
namespace {

NpyType type_of(bool real, fft::Precision precision) {
  if (precision == fft::Precision::single) return real ? NpyType::f4 : NpyType::c8;
  return real ? NpyType::f8 : NpyType::c16;
}

/// One run of the command in one process.
class FftCommand {
 public:
  FftCommand(const FftOptions& options, const Shape& shape, const Machine& machine,
             const RunOptions& run)
      : options_(options), shape_(shape), machine_(machine), run_(run) {}

  int run() {
    fft::Description description = describe(options_, run_.fabric);
    input_ = input();
    choose_method(options_, input_.size.size());
    description.method = method_of(options_);
    description.size = input_.size;
    set_boxes(description, options_, shape_);
    // Maps hold the numbers of all results, rounded to single precision.
    check_output(options_.out, input_.array.shape_in_file().size(), "<f4");
    // Refuses impossible plans before anything is measured.
    const fft::Blueprint blueprint(description, shape_);
    (void)under_policy(run_, blueprint, machine_);
    if (!options_.wisdom.empty()) fft::local::load_wisdom(options_.wisdom);
    TransformOutputs outputs(paths(), run_.processes.reports());
    RunSession session(options_.common, shape_, machine_, run_, outputs.beside());
    if (options_.timings) timings_ = slab_timings(trial(description), input_.array);
    if (options_.planes_of_way() < 0)
      description.overlap.set_planes(options_.way(),
                                     tuned_planes(trial(description), input_.array, true));
    return transform(description, outputs, session);
  }

 private:
  OutputPaths paths() const {
    return {.in = options_.in,
            .boxes = {options_.in_boxes, options_.out_boxes},
            .out = options_.out,
            .json = options_.common.json,
            .wisdom = options_.wisdom,
            .observation = options_.observation,
            .export_to = options_.export_to};
  }
  SlabTrial trial(const fft::Description& description) const {
    return {description, options_.way(), shape_, machine_, run_, wisdom_key()};
  }
  /// Whether messages may move by put if both ends share memory.
  bool moves_by_put() const {
    return run_.fabric != FabricName::sim && run_.node.transfer != TransferMode::packets;
  }
  std::string wisdom_key() const {
    const std::string route =
        run_.fabric == FabricName::sim
            ? ""
            : fmt::format(" {}", name_of<RingRoute>(kRingRouteNames, run_.ring.route));
    const char* const put = run_.node.transfer == TransferMode::packets ? "" : " put";
    const std::string kernel =
        library_of(options_.kernel) == fft::LibraryName::fftw ? "" : " " + options_.kernel;
    return fmt::format("{}{}{}{} {}", options_.common.fabric, route, put, kernel, machine_.name);
  }

  /// The array of the host program, if there is one; otherwise the array that the options name.
  FftInput input() const {
    const EmbeddingProgram* const host = embedding_program();
    if (host == nullptr || host->input() == nullptr) return fft_input(options_, shape_);
    return host_input(options_, shape_, *host->input());
  }

  int transform(const fft::Description& description, TransformOutputs& outputs,
                RunSession& session) {
    const TransformJob job{std::make_shared<const fft::Blueprint>(description, shape_),
                           options_.way(), scale_of(options_), options_.repeat, options_.loops};
    const RunOptions under = under_policy(run_, *job.blueprint, machine_);
    check_paths(job, under);
    const PlanBounds bounds =
        bounds_of(*job.blueprint, job.ways(), machine_, movement_of(under, *job.blueprint));
    const auto transforms = static_cast<double>(job.repeat * job.ways().size());
    session.announce(transform_work(*job.blueprint) * transforms,
                     fft_bytes(options_, description.size, shape_));
    Emulation emulation = session.emulation(under, bounds.total.packets * job.repeat);
    Outcome outcome = session.run([&] { return toroid::transform(emulation, job, input_.array); });
    if (!session.collect(emulation)) return 0;
    if (outputs.wisdom) {
      outputs.wisdom->stream() << fft::local::wisdom();
      outputs.wisdom->commit();
    }
    Json report = fft_report(options_, {job, bounds, machine_, under, emulation, outcome});
    if (!timings_.empty()) report["timings"] = timings_;
    outcome.result.has_batch_axis = input_.array.has_batch_axis;
    outcome.result.frame = input_.array.frame;
    const std::string fault = not_finite_text(outcome.result);
    if (!fault.empty() && !options_.check) warn(fault);
    if (options_.check || session.is_observed()) input_.array.hold_values();
    const bool good =
        !options_.check || (check(job.blueprint->description(), outcome, report) && fault.empty());
    session.print(fft_table(report) +
                  (timings_.empty() ? "" : timings_table(timings_, moves_by_put())));
    if (outputs.array && good)
      outputs.prepare_array(outcome.result, type_of(job.gives_real(), description.precision));
    Json pictures = Json::object();
    if (session.is_observed()) pictures["slices"] = slices_json(job, input_.array, outcome.result);
    if (EmbeddingProgram* const host = embedding_program())
      host->take_array(std::move(outcome.result));
    session.write(emulation, report, job.repeat, pictures);
    outputs.commit_array();
    session.check(emulation);
    if (!good && !fault.empty()) throw RunFailed(fault);
    if (!good)
      throw RunFailed(fmt::format("the result differs from a serial transform by more than {}",
                                  tolerance_of(description)));
    return 0;
  }

  /// Says that an element is infinite or NaN: the host program's array may have such elements, and
  /// sums of large numbers may overflow. Empty if all are finite.
  std::string not_finite_text(const HostArray& result) const {
    const auto element = find_not_finite(result);
    if (!element) return {};
    if (const auto given = find_not_finite(input_.array))
      return fmt::format("the input has NaN or infinity: element {} in C order of {}", *given,
                         host_array_name(input_.array));
    return fmt::format(
        "the result is not finite: element {} in C order; the numbers of the "
        "transform exceed the largest of {} precision",
        *element, options_.precision);
  }

  bool check(const fft::Description& description, const Outcome& outcome, Json& report) const {
    const HostArray serial =
        options_.loops > 0
            ? input_.array
            : serial_transform(description, options_.way(), scale_of(options_), input_.array);
    const ArrayError error = compare(outcome.result.values, serial.values);
    report["max_error"] = error.max;
    report["l2_error"] = error.l2;
    return error.l2 <= tolerance_of(description);
  }

  FftOptions options_;
  const Shape& shape_;
  const Machine& machine_;
  const RunOptions& run_;
  FftInput input_;
  Json timings_;
};

/// What the run sends, and its name. The orbital method also accepts policies that differ from
/// `random` only in settings without effect.
Sender sender_of(const FftOptions& options) {
  const fft::Method method = method_of(options);
  const auto layer = parse_choice<fft::Layer>("layer", fft::kLayerNames, options.layer);
  const auto variant =
      parse_choice<fft::OrbitalVariant>("variant", fft::kOrbitalVariantNames, options.variant);
  std::string what = "fft --method " + options.method;
  if (layer != fft::Layer::packets) what += " --layer " + options.layer;
  if (variant != fft::OrbitalVariant::cra) what += " --variant " + options.variant;
  return {what, sent_by(method, layer, variant), method == fft::Method::orbital};
}

RunSetup setup_of(const CLI::App& verb, const FftOptions& options) {
  const Sender sender = sender_of(options);
  const Machine machine = load_machine(options.common.machine);
  RunSetting setting = setting_of(verb, sender, options.common, options.torus, machine);
  setting.set("--method", options.method);
  if (all_blocking(options))
    setting.unset("--planes");
  else
    setting.set("--planes", options.planes_of_way() < 0 ? "-1" : "1");
  if (transforms_lines(options.transform)) setting.set("--transform", "fft");
  return set_up(verb, setting, sender, options.common, options.torus, machine);
}

int run(const CLI::App& verb, FftOptions options) {
  if (!options.size.empty()) choose_method(options, parse_size(options.size).size());
  const RunSetup setup = setup_of(verb, options);
  check_fft_options(options);
  refuse_twisted(setup.shape);
  (void)scale_of(options);
  refuse_several_processes(verb, setup.run.processes.count());
  return setup.run.processes.run(
      [&] { return FftCommand(options, setup.shape, setup.machine, setup.run).run(); });
}

}  // namespace

CommandRun add_fft_command(CLI::App& app) {
  auto options = std::make_shared<FftOptions>();
  CLI::App* verb = app.add_subcommand("fft", "run a distributed transform");
  add_fft_options(*verb, *options);
  return [options, verb] { return run(*verb, *options); };
}

}  // namespace toroid
