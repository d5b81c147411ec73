// toroid fft: a distributed transform by active packets on the emulated torus.
#include <algorithm>

#include "fft/npy/npy.hpp"
#include "tools/fft_check.hpp"
#include "tools/fft_options.hpp"
#include "tools/fft_report.hpp"
#include "tools/fft_run.hpp"
#include "tools/message_export.hpp"
#include "tools/slab_timings.hpp"
#include "tools/verbs.hpp"
#include "tools/watch.hpp"

namespace toroid {
namespace {

/// Opened before the run, so that a bad path costs nothing.
struct Outputs {
  explicit Outputs(const FftOptions& options)
      : json((refuse_clashes(options), options.common.json)),
        array(open(options.out)),
        wisdom(open(options.wisdom)) {}

  JsonOutput json;
  std::unique_ptr<OutputFile> array;
  std::unique_ptr<OutputFile> wisdom;

 private:
  static void refuse_clashes(const FftOptions& options) {
    const std::string json = options.common.json == "-" ? "" : options.common.json;
    refuse_one_file_for_two(std::array{options.out, json, options.wisdom, options.watch.record,
                                       options.watch.trace, options.export_to});
  }
  static std::unique_ptr<OutputFile> open(const std::string& path) {
    return path.empty() ? nullptr : std::make_unique<OutputFile>(path);
  }
};

NpyType type_of(bool real, Precision precision) {
  if (precision == Precision::single) return real ? NpyType::f4 : NpyType::c8;
  return real ? NpyType::f8 : NpyType::c16;
}

void write_array(OutputFile& file, const HostArray& array, NpyType type) {
  std::vector<std::size_t> shape(array.size.begin(), array.size.end());
  if (array.batch > 1) shape.insert(shape.begin(), static_cast<std::size_t>(array.batch));
  write_npy(file.stream(), shape, array.values, type);
  throw_if_interrupted();
  file.commit();
}

/// One run of the command on one process.
class FftCommand {
 public:
  FftCommand(const FftOptions& options, const Shape& shape, const Machine& machine,
             const RunOptions& run)
      : options_(options), shape_(shape), machine_(machine), run_(run) {}

  int run() {
    Description description = describe(options_, run_.fabric);
    input_ = fft_input(options_, shape_);
    description.size = input_.size;
    (void)Blueprint(description, shape_);  // refuses what cannot be before anything is measured
    if (!options_.wisdom.empty()) local::load_wisdom(options_.wisdom);
    Outputs outputs(run_.processes.reports() ? options_ : FftOptions());
    if (options_.timings) timings_ = slab_timings(trial(description), input_.array);
    if (description.overlap.planes < 0)
      description.overlap.planes = tuned_planes(trial(description), input_.array, true);
    return transform(description, outputs);
  }

 private:
  SlabTrial trial(const Description& description) const {
    return {description,
            options_.way(),
            shape_,
            machine_,
            run_,
            fmt::format("{} {} {}", options_.common.fabric, options_.common.route, machine_.name)};
  }

  int transform(const Description& description, Outputs& outputs) {
    const bool is_sim = run_.fabric == FabricName::sim;
    const TransformJob job{std::make_shared<const Blueprint>(description, shape_), options_.way(),
                           scale_of(options_), is_sim ? 1 : options_.repeat};
    const PlanBounds bounds = bounds_of(*job.blueprint, job.way, machine_);
    Watch watch(options_.watch, shape_, machine_, run_.fabric);
    MessageExport messages(options_.export_to, shape_, run_.processes);
    Emulation emulation(shape_, machine_, messages.recorded(watch.watched(run_)),
                        options_.common.quiet, bounds.total.packets);
    const Outcome outcome =
        watch.guard([&] { return toroid::transform(emulation, job, input_.array); });
    messages.write(emulation, machine_);
    if (!run_.processes.reports()) return 0;
    if (outputs.wisdom) {
      outputs.wisdom->stream() << local::wisdom();
      outputs.wisdom->commit();
    }
    Json report = fft_report(options_, job, bounds, machine_, emulation, outcome);
    if (!timings_.empty()) report["timings"] = timings_;
    watch.write(report, emulation.counters());
    return finish(job, outcome, std::move(report), outputs);
  }

  int finish(const TransformJob& job, const Outcome& outcome, Json report, Outputs& outputs) {
    const Description& description = job.blueprint->description();
    const bool good = !options_.check || check(description, outcome, report);
    if (!options_.common.quiet && !outputs.json.to_standard_output())
      fmt::print("{}{}", fft_table(report), timings_.empty() ? "" : timings_table(timings_));
    if (outputs.array && good)
      write_array(*outputs.array, outcome.result, type_of(job.gives_real(), description.precision));
    outputs.json.write(report);
    if (!good)
      throw RunFailed(fmt::format("the result differs from a serial transform's by more than {}",
                                  tolerance_of(description)));
    return 0;
  }

  bool check(const Description& description, const Outcome& outcome, Json& report) const {
    const HostArray serial =
        serial_transform(description, options_.way(), scale_of(options_), input_.array);
    const ArrayError error = compare(outcome.result.values, serial.values);
    report["max_error"] = error.max;
    report["l2_error"] = error.l2;
    return error.l2 <= tolerance_of(description);
  }

  const FftOptions& options_;
  const Shape& shape_;
  const Machine& machine_;
  const RunOptions& run_;
  FftInput input_;
  Json timings_;
};

int run(const FftOptions& options) {
  const Shape shape = shape_of(options.torus);
  refuse_unusual_shapes(shape);
  const Machine machine = load_machine(options.common.machine);
  (void)scale_of(options);
  const RunOptions run_options = toroid::run_options(options.common, options.torus);
  return run_options.processes.run(
      [&] { return FftCommand(options, shape, machine, run_options).run(); });
}

}  // namespace

Verb add_fft_verb(CLI::App& app) {
  auto options = std::make_shared<FftOptions>();
  CLI::App* verb = app.add_subcommand("fft", "a distributed transform by active packets");
  add_fft_options(*verb, *options);
  return [options, verb] {
    refuse_options_without_effect(*verb, *options);
    if (options->method == "orbital" && verb->count("--queues") == 0)
      options->torus.queues = kOrbitalQueues;
    return run(*options);
  };
}

}  // namespace toroid
