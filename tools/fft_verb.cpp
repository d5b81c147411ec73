// toroid fft: a three-dimensional FFT by active packets on the emulated torus.
#include "fft/npy.hpp"
#include "fft/transform_bounds.hpp"
#include "fft/volumetric_fft.hpp"
#include "tools/array_io.hpp"
#include "tools/choice.hpp"
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

/// The one that is written last would replace the other.
void refuse_one_file_for_both(const FftOptions& options) {
  namespace fs = std::filesystem;
  const std::string& json = options.common.json;
  if (options.out.empty() || json.empty() || json == "-") return;
  std::error_code error;  // is the business of those that open them
  const fs::path out = fs::weakly_canonical(fs::absolute(options.out), error);
  if (error || out != fs::weakly_canonical(fs::absolute(json), error) || error) return;
  if (fs::exists(out, error) && !fs::is_regular_file(out, error)) return;  // such as /dev/null
  throw BadInput(fmt::format("--out and --json are the same file, {}", options.out));
}

/// One phase over all nodes: from the first node that began it to the last that ended it.
struct PhaseSpan {
  Tick begin = ~Tick{0};
  Tick exchanged = 0;
  Tick end = 0;
};

/// What one run leaves behind.
struct Outcome {
  HostArray result;
  std::vector<PhaseSpan> phases;
  Tick cycles = 0;
};

void collect(const VolumetricFft& fft, Outcome& outcome) {
  put_part(outcome.result, fft.output_layout(), fft.output());
  for (std::size_t p = 0; p < outcome.phases.size(); ++p) {
    PhaseSpan& span = outcome.phases[p];
    span.begin = std::min(span.begin, fft.times()[p].begin);
    span.exchanged = std::max(span.exchanged, fft.times()[p].exchanged);
    span.end = std::max(span.end, fft.times()[p].computed);
  }
}

Outcome transform(Emulation& emulation, const VolumetricPlan& plan, const HostArray& input) {
  std::deque<VolumetricFft> ffts;
  for (Node& node : emulation.nodes()) {
    throw_if_interrupted();
    VolumetricFft& fft = ffts.emplace_back(node, plan);
    take_part(input, fft.input_layout(), fft.input());
    node.run(volumetric_fft(node, fft));
  }
  emulation.run();
  Outcome outcome{{input.size, std::vector<Complex>(input.values.size())},
                  std::vector<PhaseSpan>(plan.phases().size()),
                  emulation.programs_end()};
  for (const VolumetricFft& fft : ffts) collect(fft, outcome);
  return outcome;
}

/// The inverse is scaled by 1/N, so that it undoes the forward transform.
void scale(HostArray& array, Sign sign) {
  if (sign == Sign::forward) return;
  const double factor = 1.0 / static_cast<double>(array.values.size());
  for (Complex& value : array.values) value *= factor;
}

struct PlanBounds {
  std::vector<ExchangeBounds> phases;
  TransformBounds total;

  std::uint64_t packets() const {
    std::uint64_t packets = 0;
    for (const ExchangeBounds& phase : phases) packets += phase.packets;
    return packets;
  }
};

PlanBounds bounds_of(const VolumetricPlan& plan, const Machine& machine) {
  PlanBounds bounds{{}, TransformBounds(plan.decomposition(), machine)};
  for (const VolumetricPhase& phase : plan.phases()) {
    throw_if_interrupted();
    bounds.phases.push_back(bounds.total.add(phase));
  }
  return bounds;
}

Json phases_json(const VolumetricPlan& plan, const Outcome& outcome, const PlanBounds& bounds,
                 const Machine& machine) {
  Json phases = Json::array();
  for (std::size_t p = 0; p < outcome.phases.size(); ++p) {
    const PhaseSpan& span = outcome.phases[p];
    const Tick exchange = span.exchanged - span.begin;
    phases.push_back({{"name", plan.phases()[p].name},
                      {"cycles", span.end - span.begin},
                      {"time_s", static_cast<double>(span.end - span.begin) / machine.clock_hz},
                      {"exchange_cycles", exchange},
                      {"exchange_bound_cycles", bounds.phases[p].max()},
                      {"percent_of_peak", percent(bounds.phases[p].hottest_link, exchange)},
                      {"packets", bounds.phases[p].packets}});
  }
  return phases;
}

Json make_report(const FftOptions& options, const VolumetricPlan& plan, const PlanBounds& bounds,
                 const Machine& machine, const Emulation& emulation, const Outcome& outcome) {
  const Decomposition& decomposition = plan.decomposition();
  const Shape& shape = decomposition.grid().shape();
  ResultHash hash;
  Json report = report_head("fft", options.common, shape, machine);
  report.update({{"size", decomposition.size()},
                 {"method", options.method},
                 {"transform", options.transform},
                 {"inverse", options.inverse}});
  add_timing(report, {outcome.cycles, bounds.total.total(), bounds.total.hottest_link()}, machine);
  report["paper_model_cycles"] = bounds.total.paper_model();
  report["phases"] = phases_json(plan, outcome, bounds, machine);
  add_counters(report, hash, emulation.counters(), shape, machine, outcome.cycles);
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

void print_table(const Json& report) {
  const auto size = report["size"].get<Index>();
  fmt::print("{} FFT of {}x{}x{}, {}\n{}", report["inverse"].get<bool>() ? "inverse" : "forward",
             size[0], size[1], size[2], report["method"].get<std::string>(), summary_table(report));
  fmt::print("  paper model                           {:>14} cycles (mean link at 80 %)\n",
             report["paper_model_cycles"].get<Tick>());
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

int run(const FftOptions& options) {
  parse_choice<MethodName>("method", kMethodNames, options.method);
  parse_choice<TransformName>("transform", kTransformNames, options.transform);
  const Shape shape = shape_of(options.torus);
  const Machine machine = load_machine(options.common.machine);
  const RunOptions run_options = toroid::run_options(options.common, options.torus);
  const HostArray input = input_array(options, shape);
  const VolumetricPlan plan(input.size, shape, {options.sign(), options.return_to_blocks});
  refuse_one_file_for_both(options);
  JsonOutput json(options.common.json);
  std::unique_ptr<OutputFile> out;
  if (!options.out.empty()) out = std::make_unique<OutputFile>(options.out);

  const PlanBounds bounds = bounds_of(plan, machine);
  std::optional<Emulation> emulation;
  Outcome outcome;
  for (unsigned r = 0; r < options.repeat; ++r) {  // virtual time: every repetition is the same
    emulation.emplace(shape, machine, run_options, options.common.quiet, bounds.packets());
    outcome = transform(*emulation, plan, input);
  }
  scale(outcome.result, options.sign());

  Json report = make_report(options, plan, bounds, machine, *emulation, outcome);
  bool good = true;
  if (options.check) {
    const ArrayError error = check(options, input, outcome.result);
    report["max_error"] = error.max;
    report["l2_error"] = error.l2;
    good = error.l2 <= kTolerance;
  }
  if (!options.common.quiet && !json.to_standard_output()) print_table(report);
  if (out && good) write_array(*out, outcome.result);
  json.write(report);
  if (!good) throw RunFailed("the result differs from FFTW's by more than 1e-12");
  return 0;
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
  verb->add_flag("--check", options->check, "compare with FFTW on this host");
  verb->add_option("--repeat", options->repeat, "runs; the median counts where time is real")
      ->transform(whole_number(1, 1000000))
      ->capture_default_str();
  add_common_options(*verb, options->common);
  return [options] { return run(*options); };
}

}  // namespace toroid
