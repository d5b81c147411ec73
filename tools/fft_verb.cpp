// toroid fft: a three-dimensional FFT by active packets on the emulated torus.
#include <algorithm>
#include <cmath>

#include "fft/npy.hpp"
#include "tools/choice.hpp"
#include "tools/fft_run.hpp"
#include "tools/report.hpp"
#include "tools/verbs.hpp"

namespace toroid {
namespace {

constexpr double kTolerance = 1e-12;  ///< of --check: relative Euclidean error
constexpr std::array<std::string_view, 1> kMethodNames = {"volumetric"};
constexpr std::array<std::string_view, 1> kTransformNames = {"dft"};
enum class MethodName { volumetric };
enum class TransformName { dft };

struct FftOptions {
  CommonOptions common;
  TorusOptions torus;
  std::string size;
  std::string method = "volumetric";
  std::string transform = "dft";
  std::string in;
  std::string out;
  std::string plan = "auto";
  std::string wisdom;
  bool inverse = false;
  bool return_to_blocks = false;
  bool check = false;
  unsigned repeat = 1;

  Sign sign() const { return inverse ? Sign::inverse : Sign::forward; }
};

/// Input, result, before and after each phase, FFTW's result: the arrays that exist at once.
void check_memory_for(const FftOptions& options, const Shape& shape, const Index& size) {
  const unsigned arrays = 6u + unsigned{options.return_to_blocks} + unsigned{options.check};
  double bytes = static_cast<double>(sizeof(Complex) * arrays);
  for (const std::int64_t n : size) bytes *= static_cast<double>(n);
  check_memory(shape, bytes);
}

Rigor rigor_of(const FftOptions& options, bool is_sim) {
  if (options.plan == "auto") return is_sim ? Rigor::estimate : Rigor::measure;
  return parse_choice<Rigor>("plan", kRigorNames, options.plan);
}

HostArray input_array(const FftOptions& options, const Shape& shape) {
  if (options.in.empty() && options.size.empty())
    throw BadInput("nothing to transform; give --in FILE.npy or --size 64x64x64");
  if (options.in.empty()) {
    const Index size = parse_size(options.size);
    check_memory_for(options, shape, size);
    return random_array(size, options.common.seed);
  }
  HostArray array = load_array(options.in);
  if (!options.size.empty() && parse_size(options.size) != array.size)
    throw BadInput(fmt::format("--size {} does not fit {}, which is {}x{}x{}", options.size,
                               options.in, array.size[0], array.size[1], array.size[2]));
  check_memory_for(options, shape, array.size);
  return array;
}

/// What is written last would replace what was written before.
void refuse_one_file_for_two(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  if (a.empty() || b.empty() || a == "-" || b == "-") return;
  std::error_code error;  // is the business of those that open them
  const fs::path file = fs::weakly_canonical(fs::absolute(a), error);
  if (error || file != fs::weakly_canonical(fs::absolute(b), error) || error) return;
  if (fs::exists(file, error) && !fs::is_regular_file(file, error)) return;  // such as /dev/null
  throw BadInput(fmt::format("two of --out, --json and --wisdom are the same file, {}", a));
}

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
    refuse_one_file_for_two(options.out, options.common.json);
    refuse_one_file_for_two(options.out, options.wisdom);
    refuse_one_file_for_two(options.wisdom, options.common.json);
  }
  static std::unique_ptr<OutputFile> open(const std::string& path) {
    return path.empty() ? nullptr : std::make_unique<OutputFile>(path);
  }
};

/// The inverse is scaled by 1/N, so that it undoes the forward transform.
void scale(HostArray& array, Sign sign) {
  if (sign == Sign::forward) return;
  const double factor = 1.0 / static_cast<double>(array.values.size());
  for (Complex& value : array.values) value *= factor;
}

Json phases_json(const VolumetricPlan& plan, const Outcome& outcome, const PlanBounds& bounds,
                 const Machine& machine) {
  Json phases = Json::array();
  for (std::size_t p = 0; p < plan.phases().size(); ++p) {
    const PhaseSpan& span = outcome.median().phases[p];
    const Tick exchange = span.exchanged - span.begin;
    phases.push_back({{"name", plan.phases()[p].name},
                      {"cycles", span.end - span.begin},
                      {"time_s", static_cast<double>(span.end - span.begin) / machine.clock_hz},
                      {"exchange_cycles", exchange},
                      {"exchange_bound_cycles", bounds.phases[p].least},
                      {"percent_of_peak", percent(bounds.phases[p].peak, exchange)},
                      {"packets", bounds.phases[p].packets}});
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

Json make_report(const FftOptions& options, const VolumetricPlan& plan, PlanBounds bounds,
                 const Machine& machine, const Emulation& emulation, const Outcome& outcome) {
  const Decomposition& decomposition = plan.decomposition();
  const Shape& shape = decomposition.grid().shape();
  ResultHash hash;
  Json report = report_head("fft", options.common, shape, machine);
  report.update({{"size", decomposition.size()},
                 {"method", options.method},
                 {"transform", options.transform},
                 {"inverse", options.inverse}});
  add_workers(report, options.common, emulation);
  const Tick cycles = outcome.median().cycles();
  if (!is_virtual(report)) bounds = on_host(std::move(bounds), machine, emulation.workers());
  add_timing(report, {cycles, bounds.total.least, bounds.total.peak}, machine);
  if (is_virtual(report)) report["paper_model_cycles"] = bounds.paper_model;
  report["phases"] = phases_json(plan, outcome, bounds, machine);
  if (!is_virtual(report)) report["repetitions"] = repetitions_json(outcome, machine);
  add_counters(report, hash, emulation.counters(), shape, machine, cycles);
  hash.add(outcome.result.values);
  add_hash(report, hash);
  add_wall_clock(report, emulation);
  return report;
}

ArrayError check(const FftOptions& options, HostArray reference, const HostArray& result) {
  fftw_reference(reference.size, options.sign(), reference.values);
  scale(reference, options.sign());
  return compare(result.values, reference.values);
}

void print_repetitions(const Json& repetitions) {
  fmt::print(
      "  {:>5} times       {:.6e} s the median, {:.3e} to {:.3e} s half of them, least {:.3e} s\n",
      repetitions["count"].get<std::size_t>(), repetitions["median_s"].get<double>(),
      repetitions["lower_quartile_s"].get<double>(), repetitions["upper_quartile_s"].get<double>(),
      repetitions["least_s"].get<double>());
}

void print_table(const Json& report) {
  const auto size = report["size"].get<Index>();
  fmt::print("{} FFT of {}x{}x{}, {}\n{}", report["inverse"].get<bool>() ? "inverse" : "forward",
             size[0], size[1], size[2], report["method"].get<std::string>(), summary_table(report));
  if (is_virtual(report))
    fmt::print("  paper model                           {:>14} cycles (mean link at 80 %)\n",
               report["paper_model_cycles"].get<Tick>());
  else
    print_repetitions(report["repetitions"]);
  fmt::print("  phase        cycles      exchange         bound   of peak   packets\n");
  for (const auto& phase : report["phases"])
    fmt::print("    {:<6} {:>9} {:>13} {:>13} {:>7.1f} % {:>9}\n", phase["name"].get<std::string>(),
               phase["cycles"].get<Tick>(), phase["exchange_cycles"].get<Tick>(),
               phase["exchange_bound_cycles"].get<Tick>(), phase["percent_of_peak"].get<double>(),
               phase["packets"].get<std::uint64_t>());
  if (report.contains("l2_error"))
    fmt::print("  against FFTW     {:>14.2e} relative l2 error, {:.2e} largest error\n",
               report["l2_error"].get<double>(), report["max_error"].get<double>());
}

void write_array(OutputFile& file, const HostArray& array) {
  const std::array<std::size_t, 3> shape = {static_cast<std::size_t>(array.size[0]),
                                            static_cast<std::size_t>(array.size[1]),
                                            static_cast<std::size_t>(array.size[2])};
  write_npy(file.stream(), shape, array.values);
  throw_if_interrupted();
  file.commit();
}

int run_on(const FftOptions& options, const Shape& shape, const Machine& machine,
           const RunOptions& run_options) {
  const bool reports = run_options.processes.reports();
  const HostArray input = input_array(options, shape);
  const bool is_sim = run_options.fabric == FabricName::sim;
  if (!options.wisdom.empty()) load_wisdom(options.wisdom);
  Outputs outputs(reports ? options : FftOptions());
  const VolumetricPlan plan(input.size, shape,
                            {.sign = options.sign(),
                             .return_to_blocks = options.return_to_blocks,
                             .repeat = is_sim ? 1 : options.repeat,  // virtual: all are the same
                             .rigor = rigor_of(options, is_sim),
                             .packets_per_visit = packets_per_visit(run_options.fabric)});
  if (outputs.wisdom) {
    outputs.wisdom->stream() << wisdom();
    outputs.wisdom->commit();
  }

  const PlanBounds bounds = bounds_of(plan, machine);
  Emulation emulation(shape, machine, run_options, options.common.quiet, bounds.total.packets);
  Outcome outcome = transform(emulation, plan, input);
  if (!reports) return 0;
  scale(outcome.result, options.sign());

  Json report = make_report(options, plan, bounds, machine, emulation, outcome);
  bool good = true;
  if (options.check) {
    const ArrayError error = check(options, input, outcome.result);
    report["max_error"] = error.max;
    report["l2_error"] = error.l2;
    good = error.l2 <= kTolerance;
  }
  if (!options.common.quiet && !outputs.json.to_standard_output()) print_table(report);
  if (outputs.array && good) write_array(*outputs.array, outcome.result);
  outputs.json.write(report);
  if (!good) throw RunFailed("the result differs from FFTW's by more than 1e-12");
  return 0;
}

int run(const FftOptions& options) {
  parse_choice<MethodName>("method", kMethodNames, options.method);
  parse_choice<TransformName>("transform", kTransformNames, options.transform);
  const Shape shape = shape_of(options.torus);
  const Machine machine = load_machine(options.common.machine);
  const RunOptions run_options = toroid::run_options(options.common, options.torus);
  return run_options.processes.run([&] { return run_on(options, shape, machine, run_options); });
}

}  // namespace

Verb add_fft_verb(CLI::App& app) {
  auto options = std::make_shared<FftOptions>();
  CLI::App* verb = app.add_subcommand("fft", "a 3-D FFT by active packets");
  add_torus_options(*verb, options->torus);
  verb->add_option("--size", options->size, "64x64x64, or 64 for a cube: seeded random input")
      ->check(not_empty());
  verb->add_option("--in", options->in, "three-dimensional .npy: float32/64, complex64/128")
      ->check(not_empty());
  verb->add_option("--out", options->out, "result as .npy: complex128, C order")
      ->check(not_empty());
  verb->add_option("--method", options->method, "volumetric")->capture_default_str();
  verb->add_option("--transform", options->transform, "dft")->capture_default_str();
  verb->add_flag("--inverse", options->inverse, "sum with exp(+2 pi i kn/N), scaled by 1/N");
  verb->add_flag("--return", options->return_to_blocks,
                 "a fourth exchange puts the result into the input's layout");
  verb->add_option("--plan", options->plan,
                   "of local transforms: estimate|measure; auto: measure where time is real")
      ->capture_default_str();
  verb->add_option("--wisdom", options->wisdom, "file that keeps what FFTW has measured")
      ->check(not_empty());
  verb->add_flag("--check", options->check, "compare with FFTW on this host");
  verb->add_option("--repeat", options->repeat, "runs; the median counts where time is real")
      ->transform(whole_number(1, 1000000))
      ->capture_default_str();
  add_common_options(*verb, options->common);
  return [options] { return run(*options); };
}

}  // namespace toroid
