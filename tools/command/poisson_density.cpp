#include "tools/command/poisson_density.hpp"

#include <fmt/core.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "fft/kernels/kernel.hpp"
#include "fft/layout/local_array.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/tune_planes.hpp"
#include "hal/check.hpp"
#include "hal/parse_number.hpp"
#include "tools/files/array_file.hpp"
#include "tools/files/host_array.hpp"
#include "tools/files/map_frame.hpp"
#include "tools/files/npy.hpp"
#include "tools/files/output_format.hpp"
#include "tools/options/option_values.hpp"
#include "tools/report/array_slices.hpp"
#include "tools/report/slice.hpp"
#include "tools/run/embedding_program.hpp"
#include "tools/run/emulation.hpp"
#include "tools/run/estimate.hpp"
#include "tools/run/run_options.hpp"
#include "tools/run/run_result.hpp"
#include "tools/run/run_session.hpp"
#include "tools/text/json.hpp"
#include "tools/text/spelling.hpp"
#include "tools/text/split_and_wrap.hpp"
#include "tools/text/warning.hpp"
#include "tools/transform/input.hpp"
#include "tools/transform/options.hpp"
#include "tools/transform/outputs.hpp"
#include "tools/transform/poisson_equation.hpp"
#include "tools/transform/run.hpp"
#include "tools/transform/serial_poisson.hpp"
#include "tools/transform/transform_json.hpp"
#include "tools/transform/work_estimate.hpp"

namespace toroid {
namespace {

/// The array of the host program; null if there is none.
const HostArray* array_of_host() {
  const EmbeddingProgram* const host = embedding_program();
  return host == nullptr ? nullptr : host->input();
}

std::string density_name(const DensityOptions& options) {
  return array_of_host() == nullptr ? input_name(options.in) : "the density";
}

void check_density(const DensityOptions& options, const HostArray& density) {
  const std::string name = density_name(options);
  if (density.size.size() != kAxesOfBox)
    throw BadInput(
        fmt::format("{}: has {} dimensions; expected {}", name, density.size.size(), kAxesOfBox));
  if (const auto found = find_not_finite(density))
    throw BadInput(fmt::format("{}: element {} in C order is not finite", name, *found));
  check_real(name, density);
  if (options.precision == "single") check_fits_single(name, density);
}

HostArray density_of(const DensityOptions& options) {
  const HostArray* const of_host = array_of_host();
  HostArray density = of_host == nullptr ? load_array(options.in) : *of_host;
  if (of_host != nullptr) note_host_array(density_name(options), density);
  check_density(options, density);
  return density;
}

double length_of(const std::string& text) {
  const auto length = parse_number<double>(text);
  if (!length || !(*length >= kShortestCell && *length <= kLongestCell))
    throw BadInput(
        fmt::format("--cell: '{}' is not a length; expected a number from {:.0e} to {:.0e}",
                    shortened(text), kShortestCell, kLongestCell));
  return *length;
}

/// The number of the map's axis (X, Y or Z) along which an axis of the array lies.
std::size_t axis_of_map(const MapFrame& frame, std::size_t axis) {
  return static_cast<std::size_t>(frame.axes[kAxesOfBox - 1 - axis] - 1);  // columns are last
}

/// Whether the header gives the lengths of voxels.
bool has_voxels(const MapFrame& frame) {
  for (std::size_t axis = 0; axis < kAxesOfBox; ++axis)
    if (!(frame.intervals[axis] > 0 && std::isnormal(frame.cell[axis]) && frame.cell[axis] > 0))
      return false;
  return true;
}

/// The lengths of the whole array: of a map by its voxels, otherwise by points 1 apart.
Cell default_cell(const HostArray& density) {
  Cell cell{};
  for (std::size_t axis = 0; axis < cell.size(); ++axis) {
    cell[axis] = static_cast<double>(density.size[axis]);
    if (density.frame == nullptr || !has_voxels(*density.frame)) continue;
    const std::size_t along = axis_of_map(*density.frame, axis);
    cell[axis] *= static_cast<double>(density.frame->cell[along]) / density.frame->intervals[along];
  }
  return cell;
}

Cell cell_of(const std::string& text, const HostArray& density) {
  if (text.empty()) return default_cell(density);
  const std::vector<std::string> lengths = split(text, ',');
  Cell cell{};
  if (lengths.size() != cell.size())
    throw BadInput(fmt::format("--cell '{}': expected three lengths, e.g. 1,1,2", shortened(text)));
  std::ranges::transform(lengths, cell.begin(), length_of);
  return cell;
}

/// The frame of the density with the solved cell, whose angles are right.
std::shared_ptr<const MapFrame> frame_of(const HostArray& density, const Cell& cell) {
  MapFrame frame{.axes = {1, 2, 3}};
  if (density.frame != nullptr) frame = *density.frame;
  frame.angles = {90, 90, 90};
  for (std::size_t axis = 0; axis < cell.size(); ++axis) {
    const std::size_t along = axis_of_map(frame, axis);
    const auto points = static_cast<std::int32_t>(density.size[axis]);
    if (frame.intervals[along] < 1) frame.intervals[along] = points;
    frame.cell[along] = static_cast<float>(cell[axis] / points * frame.intervals[along]);
  }
  return std::make_shared<const MapFrame>(frame);
}

void check_cell_fits(const std::string& out, const MapFrame& frame) {
  for (const float edge : frame.cell)
    if (!std::isnormal(edge))
      throw BadInput(fmt::format("--cell: an edge of {} does not fit the header of {}; write .npy",
                                 std::isinf(edge) ? "more than 3.4e38" : "less than 1.2e-38", out));
}

/// Whether the header says that the cell is oblique. Angles of 0 are unknown.
bool is_oblique(const MapFrame& frame) {
  return std::ranges::any_of(
      frame.angles, [](float angle) { return angle != 0 && !(std::abs(angle - 90) <= 1e-3f); });
}

/// One run of the command in one process.
class DensityCommand {
 public:
  DensityCommand(const PoissonOptions& options, const RunSetup& setup)
      : options_(options), setup_(setup) {}

  int run() {
    density_ = density_of(options_.density);
    check_output(options_.density.out, kAxesOfBox, "<f4");
    equation_ = {density_.size, cell_of(options_.density.cell, density_), boundary()};
    frame_ = frame_of(density_, equation_.cell);
    if (writes_map()) check_cell_fits(options_.density.out, *frame_);
    check_memory(setup_.shape, bytes());
    const auto blueprint = std::make_shared<const fft::Blueprint>(description(), setup_.shape);
    (void)under_policy(setup_.run, *blueprint, setup_.machine);
    TransformOutputs outputs(paths(), setup_.run.processes.reports());
    RunSession session(options_.common, setup_.shape, setup_.machine, setup_.run, outputs.beside());
    mean_ = mean_of(density_, blueprint->description().precision);
    if (session.reports()) warn_of_angles();
    if (session.reports()) warn_of_mean();
    return solve(poisson_job(equation_, blueprint, options_.density.repeat), outputs, session);
  }

 private:
  bool writes_map() const { return output_format(options_.density.out) == OutputFormat::map; }
  Boundary boundary() const {
    return parse_choice<Boundary>("boundary", kBoundaryNames, options_.density.boundary);
  }
  fft::Precision precision() const {
    return parse_choice<fft::Precision>("precision", fft::local::kPrecisionNames,
                                        options_.density.precision);
  }

  fft::Description description() const {
    fft::Description how;
    how.method = parse_choice<fft::Method>("method", fft::kMethodNames, options_.method);
    how.precision = precision();
    how.library = library_of(options_.kernel);
    how.overlap = overlap_of(options_.pieces, 1, setup_.run.fabric);
    return equation_.describe(how);
  }

  /// The bytes of all arrays: those of a transform there and back.
  double bytes() const {
    FftOptions transform;
    transform.method = options_.method;
    transform.loops = 1;
    transform.check = options_.density.check;
    return fft_bytes(transform, density_.size, setup_.shape);
  }

  OutputPaths paths() const {
    OutputPaths paths{.in = options_.density.in, .out = options_.density.out};
    paths.json = options_.common.json;
    paths.observation.report = options_.report;
    return paths;
  }

  void warn_of_angles() const {
    if (!options_.density.cell.empty() || density_.frame == nullptr || !is_oblique(*density_.frame))
      return;
    warn(fmt::format(
        "{}: the angles of the cell are {:.6g} degrees; the box has right angles, and edges as "
        "long as those of the map",
        density_name(options_.density), fmt::join(density_.frame->angles, ", ")));
  }

  void warn_of_mean() const {
    if (!equation_.needs_neutrality() || mean_.is_rounding) return;
    warn(fmt::format(
        "{}: the mean is {:.6g}; with {} boundaries it must be 0, so a uniform "
        "background of {:.6g} is added",
        density_name(options_.density), mean_.mean, options_.density.boundary, -mean_.mean));
  }

  int solve(const TransformJob& job, TransformOutputs& outputs, RunSession& session) {
    const RunOptions under = under_policy(setup_.run, *job.blueprint, setup_.machine);
    check_paths(job, under);
    const PlanBounds bounds =
        bounds_of(*job.blueprint, job.ways(), setup_.machine, movement_of(under, *job.blueprint));
    session.announce(transform_work(*job.blueprint) * (2.0 * job.repeat), bytes());
    Emulation emulation = session.emulation(under, bounds.total.packets * job.repeat);
    Outcome outcome =
        session.run([&] { return solve_poisson(emulation, equation_, job, density_); });
    if (!session.collect(emulation)) return 0;
    Json report = report_of({job, bounds, setup_.machine, under, emulation, outcome});
    const std::string fault = fault_of(outcome.result, report);
    session.print(table_of(report));
    outcome.result.frame = frame_;
    if (fault.empty()) warn_of_digits(outcome.result);
    if (outputs.array && fault.empty()) outputs.prepare_array(outcome.result, type_of_potential());
    const Json pictures = pictures_of(job, outcome, session);
    if (EmbeddingProgram* const host = embedding_program())
      host->take_array(std::move(outcome.result));
    session.write(emulation, report, job.repeat, pictures);
    outputs.commit_array();
    session.check(emulation);
    if (!fault.empty()) throw RunFailed(fault);
    return 0;
  }

  NpyType type_of_potential() const {
    return precision() == fft::Precision::single ? NpyType::f4 : NpyType::f8;
  }

  Json pictures_of(const TransformJob& job, const Outcome& outcome, const RunSession& session) {
    if (!session.is_observed()) return Json::object();
    density_.hold_values();
    Json slices = slices_json(job, density_, outcome.result);  // only those of the density
    for (Slice& slice : density_slices(outcome.result)) {
      slice.kind = "potential";
      slices.push_back(slice.to_json());
    }
    return {{"slices", std::move(slices)}};
  }

  /// Returns what is wrong with the potential; empty if it is right as far as it was checked. Adds
  /// the errors to the report.
  std::string fault_of(const HostArray& potential, Json& report) const {
    if (const auto element = find_too_large(potential))
      return fmt::format("the potential is too large for {}: element {} in C order", storage(),
                         *element);
    if (is_lost(potential))
      return fmt::format("the potential is too small for {}: all numbers are 0", storage());
    if (!options_.density.check) return {};
    const PoissonError found = compare_to_serial(equation_, density_, potential, precision());
    report["max_error"] = found.error.max;
    report["l2_error"] = found.error.l2;
    if (!found.is_rounding)
      return "the potential differs from a serial solution by more than rounding";
    if (found.is_accurate) return {};
    return fmt::format(
        "the potential has too few digits: its relative l2 error is {:.1e}, more than {:.0e}; {}",
        found.error.l2, least_accuracy(precision()), reason_of_lost_digits());
  }

  std::string reason_of_lost_digits() const {
    const double ratio = std::min(equation_.largest_eigenvalue() / equation_.least_eigenvalue(),
                                  std::numeric_limits<double>::max());
    return fmt::format(
        "the eigenvalues of this box differ up to {:.0e}-fold, so the rounding errors of long "
        "waves may outweigh the short waves",
        ratio);
  }

  /// Warns of digits that the potential has lost, or loses in its file.
  void warn_of_digits(const HostArray& potential) const {
    std::size_t small = 0;
    const double least =
        stored_as_single() ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
    for_each_value(potential, [&](const fft::Complex& value) {
      small += value.real() != 0 && std::abs(value.real()) < least ? 1 : 0;
    });
    if (small > 0)
      warn(fmt::format(
          "{} numbers of the potential are too small for {}; they lose digits or become 0", small,
          storage()));
    if (options_.density.check) return;
    const double error = rounding_error(equation_, density_, potential, precision());
    if (error > least_accuracy(precision()))
      warn(
          fmt::format("the potential may have a relative error of {:.0e} or more; {}; --check "
                      "measures it",
                      std::min(error, 1.0), reason_of_lost_digits()));
  }

  /// Whether the numbers of the potential become float32 in its file.
  bool stored_as_single() const { return precision() == fft::Precision::single || writes_map(); }
  /// What the numbers of the potential must fit.
  std::string storage() const {
    if (precision() == fft::Precision::double_ && writes_map()) return "the float32 of a map";
    return options_.density.precision + " precision";
  }

  /// Whether the potential, as it is stored, is 0 but should not be.
  bool is_lost(const HostArray& potential) const {
    const auto is_zero = [this](const fft::Complex& value) {
      return stored_as_single() ? static_cast<float>(value.real()) == 0 : value.real() == 0;
    };
    if (find_element_that_fails(potential, is_zero)) return false;
    const double mean = equation_.needs_neutrality() ? mean_.mean : 0;
    const auto is_rounding = [&](const fft::Complex& value) {
      return std::abs(value.real() / mean_.largest - mean / mean_.largest) <= 1e-14;
    };
    return mean_.largest > 0 && find_element_that_fails(density_, is_rounding).has_value();
  }

  std::optional<std::size_t> find_too_large(const HostArray& potential) const {
    const double most =
        stored_as_single() ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
    return find_element_that_fails(
        potential, [most](const fft::Complex& value) { return std::abs(value.real()) <= most; });
  }

  Json report_of(const PlanFigures& figures) const {
    const TransformJob& job = figures.job;
    const fft::Method method = job.blueprint->description().method;
    Json report = report_head("poisson", options_.common, setup_.shape, setup_.machine);
    report.update({{"size", equation_.size},
                   {"method", options_.method},
                   {"boundary", options_.density.boundary},
                   {"cell", equation_.cell},
                   {"precision", options_.density.precision}});
    if (equation_.needs_neutrality()) report["mean"] = mean_.mean;
    if (method != fft::Method::orbital) report["kernel"] = options_.kernel;
    if (method == fft::Method::slab)
      report["planes"] = fft::planes_used(*job.blueprint, fft::Way::forward);
    (void)add_run(report, figures);
    report["bytes_per_process"] = static_cast<std::uint64_t>(figures.outcome.bytes_per_process);
    report["phases"] = phases_json(job, figures.outcome, figures.bounds, figures.machine,
                                   is_virtual(report) ? nullptr : &figures.emulation);
    add_counts(report, figures);
    return report;
  }

  std::string table_of(const Json& report) const {
    std::string text = fmt::format(
        "potential of {}, cell {}, {}, by {} transforms{}\n", fmt::join(equation_.size, "x"),
        fmt::join(equation_.cell, " x "), options_.density.boundary, options_.method,
        precision() == fft::Precision::single ? ", single precision" : "");
    text += summary_table(report);
    if (report.contains("repetitions")) text += repetitions_text(report["repetitions"]);
    if (report.contains("l2_error"))
      text += fmt::format("  against serial   {:>14.2e} relative l2 error, {:.2e} largest error\n",
                          report["l2_error"].get<double>(), report["max_error"].get<double>());
    return text;
  }

  const PoissonOptions& options_;
  const RunSetup& setup_;
  HostArray density_;
  PoissonEquation equation_;
  std::shared_ptr<const MapFrame> frame_;  ///< of the potential
  MeanDensity mean_;
};

}  // namespace

void add_density_options(CLI::App& command, DensityOptions& options) {
  begin_group(command, "Poisson's equation");
  add_file_option(command, "--in", options.in,
                  "density rho of three dimensions: .npy, .npz or .map, or FILE.npz:NAME; -: "
                  "standard input. Solves laplacian(phi) = -rho; without --in, computes rock salt");
  add_file_option(
      command, "--out", options.out,
      "potential phi as .npy in C order, float64 by default, or as .map; -: standard output");
  command
      .add_option("--cell", options.cell,
                  "lengths of the box along the array's axes 0, 1 and 2, called x, y and z "
                  "(default: those in the header of a map, otherwise the numbers of points)")
      ->type_name("LX,LY,LZ")
      ->check(not_empty());
  command
      .add_option("--boundary", options.boundary,
                  "phi repeats itself, is 0 on the faces, or has no slope across them. Points are "
                  "at i L/n if periodic, otherwise at (i + 1/2) L/n")
      ->check(one_of("boundary", kBoundaryNames))
      ->capture_default_str();
  command.add_option("--precision", options.precision, "precision of the numbers")
      ->check(one_of("precision", fft::local::kPrecisionNames))
      ->capture_default_str();
  command.add_flag("--check", options.check,
                   "compare with a serial solution by sums over the eigenfunctions on this host");
  command.add_option("--repeat", options.repeat, "number of runs; their median is reported")
      ->transform(whole_number(1, 1000000))
      ->capture_default_str();
}

bool has_density(const PoissonOptions& options) {
  return !options.density.in.empty() || array_of_host() != nullptr;
}

int run_density(const PoissonOptions& options, const RunSetup& setup) {
  return setup.run.processes.run([&] { return DensityCommand(options, setup).run(); });
}

}  // namespace toroid
