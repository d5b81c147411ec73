// toroid poisson: solves Poisson's equation for a given density (poisson_density.hpp). Without one,
// computes the potential in a crystal by a forward and an inverse distributed FFT of real data, and
// shows how it converges to rock salt's Madelung constant as the grid grows.
#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/orbital/stage_adapter.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/convolution.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/plan.hpp"
#include "fft/plan/transform_bounds.hpp"
#include "fft/plan/tune_planes.hpp"
#include "hal/check.hpp"
#include "hal/counters.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "tools/command/commands.hpp"
#include "tools/command/poisson_density.hpp"
#include "tools/files/host_array.hpp"
#include "tools/files/machine_file.hpp"
#include "tools/files/output_file.hpp"
#include "tools/options/common_options.hpp"
#include "tools/options/option_effects.hpp"
#include "tools/options/option_values.hpp"
#include "tools/options/single_process_check.hpp"
#include "tools/report/binding_bound.hpp"
#include "tools/report/provenance.hpp"
#include "tools/run/emulation.hpp"
#include "tools/run/estimate.hpp"
#include "tools/run/interruption.hpp"
#include "tools/run/link_crc_check.hpp"
#include "tools/run/policy_effects.hpp"
#include "tools/run/report_output.hpp"
#include "tools/run/run_options.hpp"
#include "tools/run/run_result.hpp"
#include "tools/run/run_setup.hpp"
#include "tools/text/json.hpp"
#include "tools/text/spelling.hpp"
#include "tools/transform/method_options.hpp"
#include "tools/transform/rock_salt.hpp"
#include "tools/transform/run.hpp"
#include "tools/transform/work_estimate.hpp"

namespace toroid {
namespace {

constexpr std::int64_t kSmallestGrid = 4;
constexpr std::int64_t kLargestGrid = std::int64_t{1} << 16;
/// From this size on only rounding errors remain; see tools/transform/rock_salt.hpp.
constexpr std::int64_t kConvergedGrid = 32;
constexpr double kTolerance = 1e-10;

/// The settings that all grids of a run share.
struct Setting {
  const PoissonOptions& options;
  Shape shape;
  Machine machine;
  RunOptions run;
  fft::Method method;
};

using SharedBlueprint = std::shared_ptr<const fft::Blueprint>;

struct GridResult {
  std::int64_t points;  ///< per side
  double madelung;
  Tick cycles;
  FabricCounters counters;
  Timing timing{};

  double error() const { return std::abs(madelung - rock_salt::kMadelung); }
};

/// One node's part of the grid: the density, then the potential.
struct Field {
  Field(Node& node, const SharedBlueprint& blueprint)
      : convolution(node, blueprint),
        values(convolution.size(), blueprint->real_in(), blueprint->description().precision) {}
  fft::Convolution convolution;
  NodeArray values;

  void fill(const std::vector<double>& line);
  double at(const fft::Index& point) const {
    return values.get(static_cast<std::size_t>(convolution.layout().offset(point))).real();
  }
};

void fill_box(const fft::Box& box, const fft::NodeLayout& layout, const std::vector<double>& line,
              NodeArray& values) {
  const auto factor = [&](std::int64_t i) { return line[static_cast<std::size_t>(i)]; };
  for (auto x = box.lo[0]; x < box.hi[0]; ++x)
    for (auto y = box.lo[1]; y < box.hi[1]; ++y)
      for (auto z = box.lo[2]; z < box.hi[2]; ++z)
        values.set(static_cast<std::size_t>(layout.offset({x, y, z})),
                   factor(x) * factor(y) * factor(z));
}

void Field::fill(const std::vector<double>& line) {
  const fft::NodeLayout& layout = convolution.layout();
  for (const fft::Box& box : layout.boxes()) fill_box(box, layout, line, values);
}

Program poisson(Node&, Field& field) {
  const fft::Array values = field.values.view();
  co_await field.convolution.apply(values, values, rock_salt::coulomb);
}

/// The potential at the ion in the origin. All processes get it, though only one node has this
/// point.
double potential_at_ion(const Emulation& emulation, const std::deque<Field>& fields) {
  const fft::Index origin{};
  double mine = 0;
  for (const Field& field : fields)
    for (const fft::Box& box : field.convolution.layout().boxes())
      if (box.contains(origin)) mine = field.at(origin);
  const std::vector<double> all = emulation.processes().numbers(mine);
  return std::accumulate(all.begin(), all.end(), 0.0);
}

/// Solves one grid on an emulation that has not run before.
GridResult solve(Emulation& emulation, const SharedBlueprint& blueprint) {
  const std::int64_t points = blueprint->description().size[0];
  const std::vector<double> line = rock_salt::density_line(points);
  std::deque<Field> fields;
  for (Node& node : emulation.nodes()) {
    throw_if_interrupted();
    Field& field = fields.emplace_back(node, blueprint);
    field.fill(line);
    node.run(poisson(node, field));
  }
  emulation.run();
  const double potential = potential_at_ion(emulation, fields);
  const Tick end = emulation.latest(emulation.programs_end());
  return {points, rock_salt::madelung(potential), end, emulation.counters()};
}

/// The timing of a grid; its bound covers the forward and the inverse transform.
Timing timing_of(const Setting& setting, const fft::Blueprint& blueprint,
                 const Emulation& emulation, Tick cycles) {
  constexpr std::array kWays = {fft::Way::forward, fft::Way::backward};
  const fft::Movement movement =
      movement_of(under_policy(setting.run, blueprint, setting.machine), blueprint);
  return plan_timing(bounds_of(blueprint, kWays, setting.machine, movement), setting.machine,
                     emulation, setting.run.fabric == FabricName::sim, cycles);
}

/// Whether the method computes the spectrum of real data. The orbital method does not: it
/// transforms real data to real data.
bool takes_real_data(fft::Method method) {
  return method != fft::Method::orbital;
}

SharedBlueprint blueprint_of(const Setting& setting, std::int64_t points) {
  fft::Description description;
  description.size.assign(3, points);
  description.method = setting.method;
  description.real = takes_real_data(setting.method);
  description.library = library_of(setting.options.kernel);
  description.overlap = overlap_of(setting.options.pieces, 1, setting.run.fabric);
  return std::make_shared<const fft::Blueprint>(description, setting.shape);
}

/// The blueprint of a grid that is only for comparison; null if it is too small for the nodes.
SharedBlueprint blueprint_if_it_fits(const Setting& setting, std::int64_t points) {
  try {
    return blueprint_of(setting, points);
  } catch (const BadInput&) {
    return nullptr;
  }
}

/// The blueprints of grids of 4, 8, 16, ... points per side and of the size asked for.
std::vector<SharedBlueprint> blueprints_of(const Setting& setting) {
  // The field alone. If it does not fit, the memory is the better reason than the blueprint's.
  check_memory(setting.shape,
               sizeof(double) * std::pow(static_cast<double>(setting.options.size), 3));
  const SharedBlueprint last = blueprint_of(setting, setting.options.size);
  std::vector<SharedBlueprint> all;
  for (std::int64_t points = kSmallestGrid; points < setting.options.size; points *= 2)
    if (auto blueprint = blueprint_if_it_fits(setting, points)) all.push_back(std::move(blueprint));
  all.push_back(last);
  return all;
}

/// The bytes that the exchanges of both transforms carry. This is also the size of their arrays,
/// since each exchange has an array of its own for what arrives.
double exchanged_bytes(const fft::Blueprint& blueprint) {
  const std::span<const fft::Stage> stages = blueprint.stages();
  double bytes = 0;
  for (std::size_t i = 0; i + 1 < stages.size(); ++i)
    bytes += bytes_of_array(blueprint, stages[i].out.extents, stages[i].real_out) +
             bytes_of_array(blueprint, stages[i + 1].in.extents, stages[i + 1].real_in);
  return bytes;
}

/// Bytes of all arrays, including the field and its spectrum; for the orbital method also the
/// blocks of both directions.
double array_bytes(const fft::Blueprint& blueprint) {
  const double bytes = bytes_of_array(blueprint, blueprint.in_extents(), blueprint.real_in()) +
                       bytes_of_array(blueprint, blueprint.out_extents(), false) +
                       exchanged_bytes(blueprint);
  const fft::Description& description = blueprint.description();
  if (description.method != fft::Method::orbital) return bytes;
  const std::int64_t n = description.size[0];
  return bytes + 2 * fft::orbital_bytes({n, n, n}, blueprint.shape(), 1);
}

/// The estimate for all grids, forward and inverse.
RunEstimate estimate_of(const Setting& setting, const std::vector<SharedBlueprint>& blueprints) {
  RunWork work;
  for (const SharedBlueprint& blueprint : blueprints) work += transform_work(*blueprint) * 2;
  return estimate_run(work, setting.shape, setting.machine, setting.run,
                      array_bytes(*blueprints.back()));
}

/// An upper bound on the number of packets. It is not exact, because elements that stay on their
/// node are not sent.
std::uint64_t packets_at_most(const fft::Blueprint& blueprint) {
  return static_cast<std::uint64_t>(exchanged_bytes(blueprint) / kPayloadBytes);
}

void print_head(const Setting& setting) {
  const CommonOptions& common = setting.options.common;
  fmt::print(
      "Madelung constant of rock salt, {:.14f}, by {} FFTs of {} data\n"
      "torus {}, {}, machine {}, seed {}, fabric {} ({} time)\n"
      "{:>6} {:>20} {:>10} {:>12} {:>12}  {:<9} {:>9} {:>12}\n",
      rock_salt::kMadelung, setting.options.method,
      takes_real_data(setting.method) ? "real" : "complex", setting.shape.text(),
      nodes_text(setting.shape), setting.machine.name, common.seed, common.fabric,
      common.fabric == "sim" ? "virtual" : "wall clock", "grid", "constant", "error", "time, s",
      "bound, s", "by", "of bound", "packets");
}

void print_grid(const GridResult& result) {
  const Timing& timing = result.timing;
  fmt::print("{:>4}^3 {:>20.14f} {:>10.1e} {:>12.4e} {:>12.4e}  {:<9} {:>7.1f} % {:>12}\n",
             result.points, result.madelung, result.error(), timing.time_s, timing.bound_s,
             name_of(kBoundByNames, timing.bound_by), percent_of(timing.bound_s, timing.time_s),
             result.counters.packets);
  std::fflush(stdout);  // the next grid may take long
}

Json grids_json(const std::vector<GridResult>& results) {
  Json grids = Json::array();
  for (const GridResult& result : results) {
    Json grid = {{"size", result.points},
                 {"madelung", result.madelung},
                 {"error", result.error()},
                 {"packets", result.counters.packets}};
    add_timing(grid, result.timing);
    grids.push_back(std::move(grid));
  }
  return grids;
}

/// Adds the grids to the hash, with their times only if time is virtual.
void add_grids(ResultHash& hash, const std::vector<GridResult>& results, bool is_virtual) {
  for (const GridResult& result : results) {
    hash.add(static_cast<std::uint64_t>(result.points));
    hash.add(result.madelung);
    hash.add(result.counters.packets);
    if (is_virtual) hash.add(result.cycles);
  }
}

/// The result. Time, packets and links are those of the last grid, which is the largest unless the
/// run was interrupted.
Json make_report(const Setting& setting, const fft::Blueprint& largest, const Emulation& emulation,
                 const std::vector<GridResult>& results) {
  const GridResult& last = results.back();
  ResultHash hash;
  Json report = report_head("poisson", setting.options.common, setting.shape, setting.machine);
  report.update({{"size", std::vector<std::int64_t>(3, last.points)},
                 {"method", setting.options.method},
                 {"madelung", last.madelung},
                 {"reference", rock_salt::kMadelung},
                 {"error", last.error()}});
  if (setting.method != fft::Method::orbital) report["kernel"] = setting.options.kernel;
  if (setting.method == fft::Method::slab)
    report["planes"] = fft::planes_used(largest, fft::Way::forward);
  add_policy(report, under_policy(setting.run, largest, setting.machine),
             transform_effects(setting.method, setting.run));
  add_workers(report, emulation);
  add_timing(report, last.timing);
  add_counters(report, hash, {last.counters, setting.shape, setting.machine, last.cycles});
  add_grids(hash, results, is_virtual(report));
  add_hash(report, hash);
  report["grids"] = grids_json(results);
  add_wall_clock(report, emulation);
  return report;
}

void check(const GridResult& result) {
  if (result.points >= kConvergedGrid && !(result.error() <= kTolerance))
    throw RunFailed(
        fmt::format("the constant of {}^3 points differs by {:.1e} from {:.14f}; more than "
                    "{:.0e} cannot be rounding",
                    result.points, result.error(), rock_salt::kMadelung, kTolerance));
}

int run_on(const Setting& setting) {
  const CommonOptions& common = setting.options.common;
  const bool reports = setting.run.processes.reports();
  const std::vector<SharedBlueprint> blueprints = blueprints_of(setting);
  check_memory(setting.shape, array_bytes(*blueprints.back()));
  for (const SharedBlueprint& blueprint : blueprints)
    check_paths({.blueprint = blueprint, .loops = 1},
                under_policy(setting.run, *blueprint, setting.machine));
  refuse_one_file_for_two(
      std::array{common.json == "-" ? "" : common.json, setting.options.report});
  JsonOutput json(reports ? common.json : "");
  ReportOutput page(reports ? setting.options.report : "",
                    report_notice(common.quiet, json.to_standard_output()));
  const bool visible = reports && !common.quiet && !json.to_standard_output();

  announce(estimate_of(setting, blueprints), common.quiet || !reports);
  if (visible) print_head(setting);
  std::vector<GridResult> results;
  Json report;  // of the grids so far, so that an interruption keeps finished grids
  try {
    for (const SharedBlueprint& blueprint : blueprints) {
      Emulation emulation(setting.shape, setting.machine,
                          under_policy(setting.run, *blueprint, setting.machine), common.quiet,
                          packets_at_most(*blueprint));
      GridResult result = solve(emulation, blueprint);
      result.timing = timing_of(setting, *blueprint, emulation, result.cycles);
      results.push_back(result);
      if (reports) report = make_report(setting, *blueprints.back(), emulation, results);
      if (visible) print_grid(result);
    }
  } catch (const RunFailed&) {
    if (!is_interrupted() || results.empty()) throw;
  }
  if (!reports) return 0;
  if (is_interrupted()) report["interrupted"] = true;
  json.write(report);
  page.write(report);
  check_links(results.back().counters, setting.shape);
  throw_if_interrupted();
  check(results.back());
  return 0;
}

/// The settings of the run. An array of the host program takes the place of --in.
RunSetting typed_setting(const CLI::App& command, const Sender& sender,
                         const PoissonOptions& options, const Machine& machine) {
  RunSetting typed = setting_of(command, sender, options.common, options.torus, machine);
  if (options.pieces.planes == 0 && options.pieces.backward_planes.value_or(0) == 0)
    typed.unset("--planes");
  if (has_density(options) && options.density.in.empty())
    typed.set("--in", "an array of the program");
  return typed;
}

void check_options(const PoissonOptions& options) {
  if (!has_density(options) && options.size % 2 != 0)
    throw BadInput(fmt::format(
        "--size {}: expected an even number, so that every ion is on a grid point", options.size));
  if (std::min(options.pieces.planes, options.pieces.backward_planes.value_or(0)) < 0 ||
      options.pieces.padded_planes)
    throw BadInput(
        "poisson takes --planes F or F,B only; -1 (tuning) and a third number (boxes) are for fft");
}

int run(const CLI::App& command, const PoissonOptions& options) {
  check_options(options);
  const auto method = parse_choice<fft::Method>("method", fft::kMethodNames, options.method);
  const Sender sender{"poisson --method " + options.method, sent_by(method)};
  const Machine machine = load_machine(options.common.machine);
  const RunSetup setup = set_up(command, typed_setting(command, sender, options, machine), sender,
                                options.common, options.torus, machine);
  refuse_twisted(setup.shape);
  refuse_impossible_put(setup.run, setup.shape);
  refuse_several_processes(command, setup.run.processes.count());
  if (has_density(options)) return run_density(options, setup);
  const Setting setting{options, setup.shape, machine, setup.run, method};
  return setting.run.processes.run([&] { return run_on(setting); });
}

}  // namespace

CommandRun add_poisson_command(CLI::App& app) {
  auto options = std::make_shared<PoissonOptions>();
  CLI::App* command = app.add_subcommand(
      "poisson", "solve Poisson's equation for a density, or compute rock salt, by transforms");
  add_torus_options(*command, options->torus);
  add_density_options(*command, options->density);
  begin_group(*command, "Rock salt");
  command
      ->add_option("--size", options->size,
                   "points per side of the largest grid, even; 4, 8, 16, ... are solved before it")
      ->transform(whole_number(kSmallestGrid, kLargestGrid))
      ->capture_default_str();
  begin_group(*command, "Transform");
  command->add_option("--method", options->method, "how to distribute the transform over the nodes")
      ->check(one_of("method", fft::kMethodNames))
      ->capture_default_str();
  add_kernel_option(*command, options->kernel);
  add_piece_options(*command, options->pieces);
  command->get_option("--planes")
      ->description(
          "planes per non-blocking exchange; 0: one blocking exchange. With F,B the inverse uses B")
      ->type_name("F[,B]");
  add_report_option(*command, options->report);
  add_common_options(*command, options->common);
  add_examples(
      *command,
      {{"the potential of a density in a periodic box of 1 x 1 x 2",
        "toroid poisson --in rho.npy --out phi.npy --cell 1,1,2 --torus 2x2x2"},
       {"with a potential of 0 on the faces, checked against a serial solution",
        "toroid poisson --in rho.npy --boundary dirichlet --torus 2x2x2 --check"},
       {"rock salt, up to 32^3 points on 8 nodes", "toroid poisson --torus 2x2x2 --size 32"},
       {"rock salt by the slab method, exchange overlapped with computation",
        "toroid poisson --torus 2x2x2 --size 32 --method slab --planes 1"}});
  return [options, command] { return run(*command, *options); };
}

}  // namespace toroid
