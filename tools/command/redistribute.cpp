// toroid redistribute: changes the distribution of an array over the nodes, without a transform.
//
// Source: U.S. Pat. No. 7,315,877, claims 19 to 33.
#include <fmt/core.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include "fft/layout/box.hpp"
#include "fft/layout/local_array.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/redistribution_plan.hpp"
#include "hal/check.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "tools/command/commands.hpp"
#include "tools/files/array_file.hpp"
#include "tools/files/host_array.hpp"
#include "tools/files/npy.hpp"
#include "tools/options/common_options.hpp"
#include "tools/options/option_values.hpp"
#include "tools/options/single_process_check.hpp"
#include "tools/run/emulation.hpp"
#include "tools/run/estimate.hpp"
#include "tools/run/message_export.hpp"
#include "tools/run/policy_effects.hpp"
#include "tools/run/record_and_trace.hpp"
#include "tools/run/run_options.hpp"
#include "tools/run/run_result.hpp"
#include "tools/run/run_session.hpp"
#include "tools/run/run_setup.hpp"
#include "tools/text/json.hpp"
#include "tools/text/spelling.hpp"
#include "tools/transform/array_options.hpp"
#include "tools/transform/distribution_text.hpp"
#include "tools/transform/outputs.hpp"
#include "tools/transform/run.hpp"
#include "tools/transform/transform_json.hpp"
#include "tools/transform/work_estimate.hpp"

namespace toroid {
namespace {

/// Names of the element types, in the order of NpyType.
constexpr std::array<std::string_view, 4> kTypeNames = {"f4", "f8", "c8", "c16"};

struct RedistributeOptions : ArrayOptions {
  CommonOptions common;
  TorusOptions torus;
  ObservationOptions observation;
  std::string export_to;
  std::string type;  ///< empty: that of the file, or c16
  std::string from;
  std::string to;

  /// Whether bit patterns are moved, whatever they mean.
  bool is_raw() const { return type.empty() && !in.empty(); }
  /// Type in which the numbers are moved. REQUIRES: is_raw() is false.
  NpyType element() const {
    return type.empty() ? NpyType::c16 : parse_choice<NpyType>("type", kTypeNames, type);
  }
};

/// Whether the numbers are equal, or both are NaN.
bool is_same(const fft::Complex& a, const fft::Complex& b) {
  const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  return same(a.real(), b.real()) && same(a.imag(), b.imag());
}

/// Each element's value is its index in C order.
HostArray numbered_array(const Size& size) {
  HostArray array{size, 1, {}};
  array.values.resize(static_cast<std::size_t>(fft::Box::of(array.extents()).volume()));
  for (std::size_t i = 0; i < array.values.size(); ++i) array.values[i] = static_cast<double>(i);
  return array;
}

bool is_real(NpyType type) {
  return type == NpyType::f4 || type == NpyType::f8;
}
bool is_single(NpyType type) {
  return type == NpyType::f4 || type == NpyType::c8;
}

/// The type whose elements have as many bytes as the array's raw elements, or --type.
NpyType container_of(const HostArray& array, const RedistributeOptions& options) {
  if (!array.raw) return options.element();
  return array.raw->bytes == 4 ? NpyType::f4 : array.raw->bytes == 8 ? NpyType::f8 : NpyType::c16;
}

/// Whether single precision holds this number exactly, NaN included.
bool fits_single(double number) {
  return std::isnan(number) || static_cast<double>(static_cast<float>(number)) == number;
}

/// Refuses values that the chosen type would round: a redistribution must not change any value.
void check_exact(const HostArray& array, const RedistributeOptions& options) {
  if (array.raw) return;
  const NpyType type = options.element();
  const auto is_exact = [type](const fft::Complex& value) {
    if (is_real(type) && value.imag() != 0) return false;
    return !is_single(type) || (fits_single(value.real()) && fits_single(value.imag()));
  };
  if (const auto found = find_element_that_fails(array, is_exact))
    throw BadInput(
        fmt::format("{}: element {} in C order does not fit type {}; leave out --type to "
                    "move the bits as they are",
                    options.in.empty() ? "--size" : input_name(options.in), *found, options.type));
}

/// The bytes of the arrays that exist at the same time: input and result, on the host and on the
/// nodes.
double array_bytes(const Size& size) {
  double bytes = 4 * sizeof(fft::Complex);
  for (const std::int64_t n : size) bytes *= static_cast<double>(n);
  return bytes;
}

HostArray input_of(const RedistributeOptions& options, const Shape& shape) {
  if (options.in.empty() && options.size.empty())
    throw BadInput("an array is missing: give either --in FILE or --size 64x64x64");
  if (!options.in.empty() && !options.size.empty())
    throw BadInput("--in and --size both give an array; omit one of them");
  const ArrayRequest request{.rules = options.reading_rules(), .is_exact = true};
  if (!options.in.empty())
    return options.is_raw() ? load_raw_array(options.in, request) : load_array(options.in, request);
  const Size size = parse_size(options.size);
  check_memory(shape, array_bytes(size));
  return numbered_array(size);
}

/// One run of the command in one process.
class RedistributeCommand {
 public:
  RedistributeCommand(const RedistributeOptions& options, const Shape& shape,
                      const Machine& machine, const RunOptions& run)
      : options_(options), shape_(shape), machine_(machine), run_(run) {}

  int run() {
    input_ = input_of(options_, shape_);
    check_exact(input_, options_);
    check_memory(shape_, array_bytes(input_.size));
    check_output(options_.out, input_.size.size(),
                 input_.raw ? input_.raw->dtype : "<" + type_text());
    const TransformJob job{blueprint(),
                           fft::Way::forward,
                           fft::Scale::none,
                           options_.repeat,
                           0,
                           input_.raw ? input_.raw->bytes : 0};
    const RunOptions under = under_policy(run_, *job.blueprint, machine_);
    check_paths(job, under);
    TransformOutputs outputs(paths(), run_.processes.reports());
    RunSession session(options_.common, shape_, machine_, run_, outputs.beside());
    return redistribute(job, under, outputs, session);
  }

 private:
  OutputPaths paths() const {
    return {.in = options_.in,
            .boxes = {box_file_of(options_.from), box_file_of(options_.to)},
            .out = options_.out,
            .json = options_.common.json,
            .observation = options_.observation,
            .export_to = options_.export_to};
  }

  std::shared_ptr<const fft::Blueprint> blueprint() const {
    fft::Description description;
    description.size = input_.size;
    description.real = is_real(container_of(input_, options_));
    description.precision = is_single(container_of(input_, options_)) ? fft::Precision::single
                                                                      : fft::Precision::double_;
    description.may_leave_gaps = run_.fabric != FabricName::sim;  // avoids a final copy
    return fft::redistribution(parse_distribution("--from", options_.from, input_.size, shape_),
                               parse_distribution("--to", options_.to, input_.size, shape_), shape_,
                               description);
  }

  int redistribute(const TransformJob& job, const RunOptions& under, TransformOutputs& outputs,
                   RunSession& session) {
    const PlanBounds bounds =
        bounds_of(*job.blueprint, job.way, machine_, movement_of(under, *job.blueprint));
    session.announce(transform_work(*job.blueprint) * job.repeat, array_bytes(input_.size));
    Emulation emulation = session.emulation(under, bounds.total.packets * job.repeat);
    Outcome outcome = session.run([&] { return transform(emulation, job, input_); });
    if (!session.collect(emulation)) return 0;
    Json report = this->report({job, bounds, machine_, under, emulation, outcome});
    const std::size_t wrong = options_.check ? check(outcome, report) : 0;
    session.print(table(report));
    if (input_.raw) outcome.result.raw->dtype = input_.raw->dtype;
    outcome.result.frame = input_.frame;
    if (outputs.array && wrong == 0)
      outputs.prepare_array(outcome.result, container_of(input_, options_));
    session.write(emulation, report, job.repeat);
    outputs.commit_array();
    session.check(emulation);
    if (wrong > 0) throw RunFailed(fmt::format("{} elements are in the wrong place", wrong));
    return 0;
  }

  Json report(const PlanFigures& figures) const {
    Json report = report_head("redistribute", options_.common, shape_, machine_);
    report.update({{"size", input_.size},
                   {"from", options_.from},
                   {"to", options_.to},
                   {"type", type_text()}});
    add_run(report, figures);
    report["payload_bytes"] = figures.bounds.total.payload_bytes;
    report["bytes_per_process"] = static_cast<std::uint64_t>(figures.outcome.bytes_per_process);
    add_counts(report, figures);
    return report;
  }

  /// The type of the elements without their byte order, as in "i8".
  std::string type_text() const {
    if (input_.raw) return input_.raw->dtype.substr(1);
    return std::string(kTypeNames[static_cast<std::size_t>(options_.element())]);
  }

  /// Number of elements in the wrong place.
  std::size_t check(const Outcome& outcome, Json& report) const {
    std::size_t wrong = 0;
    if (input_.raw) {
      const std::size_t bytes = input_.raw->bytes;
      for (std::size_t i = 0; i < input_.raw->data.size(); i += bytes)
        wrong += std::memcmp(&input_.raw->data[i], &outcome.result.raw->data[i], bytes) != 0;
      report["wrong_elements"] = wrong;
      return wrong;
    }
    auto arrived = outcome.result.values.begin();
    for_each_value(input_,
                   [&](const fft::Complex& value) { wrong += is_same(*arrived++, value) ? 0 : 1; });
    report["wrong_elements"] = wrong;
    return wrong;
  }

  static std::string table(const Json& report) {
    std::string text =
        fmt::format("redistribution of {} elements of type {} from {} to {}\n",
                    fmt::join(report["size"].get<Size>(), "x"), report["type"].get<std::string>(),
                    report["from"].get<std::string>(), report["to"].get<std::string>());
    text += summary_table(report);
    if (report.contains("repetitions")) text += repetitions_text(report["repetitions"]);
    text += fmt::format("  payload          {:>14} bytes between nodes\n",
                        report["payload_bytes"].get<std::uint64_t>());
    if (report.contains("wrong_elements"))
      text +=
          fmt::format("  wrong elements   {:>14}\n", report["wrong_elements"].get<std::size_t>());
    return text;
  }

  const RedistributeOptions& options_;
  const Shape& shape_;
  const Machine& machine_;
  const RunOptions& run_;
  HostArray input_;
};

int run(const CLI::App& verb, const RedistributeOptions& options) {
  const RunSetup setup =
      set_up(verb, {"redistribute", Sent::exchanges}, options.common, options.torus);
  refuse_twisted(setup.shape);
  refuse_several_processes(verb, setup.run.processes.count());
  refuse_impossible_put(setup.run, setup.shape);
  return setup.run.processes.run(
      [&] { return RedistributeCommand(options, setup.shape, setup.machine, setup.run).run(); });
}

void add_data_options(CLI::App& verb, RedistributeOptions& options) {
  begin_group(verb, "Input and output");
  add_array_options(
      verb, options,
      {.size = "64x64x64, 64 for a cube, or 64x for one axis: each element has its index in C "
               "order as value",
       .out =
           "write the result as .npy in C order, or as a map if it is named .map, .mrc or .ccp4; "
           "-: standard output"});
  verb.add_option(
          "--type", options.type,
          "element type to which numbers are converted, in NumPy's notation; without it, the "
          "bits of --in are moved as they are, and --size has c16")
      ->check(one_of("type", kTypeNames));
}

void add_layout_option(CLI::App& verb, const std::string& name, std::string& layout,
                       const std::string& rest) {
  verb.add_option(name, layout, "blocks[:GRID], slabs:AXIS, lines:AXIS or a file of boxes" + rest)
      ->type_name("LAYOUT")
      ->required()
      ->check(not_empty());
}

void add_distribution_options(CLI::App& verb, RedistributeOptions& options) {
  begin_group(verb, "Distributions");
  add_layout_option(verb, "--from", options.from,
                    "; optionally with ,ORDER (of the axes in memory) and @NODES, e.g. "
                    "slabs:x,zyx@0-7");
  add_layout_option(verb, "--to", options.to, "; ORDER and NODES as for --from");
}

}  // namespace

CommandRun add_redistribute_command(CLI::App& app) {
  auto options = std::make_shared<RedistributeOptions>();
  CLI::App* verb =
      app.add_subcommand("redistribute", "change the distribution of an array over the nodes");
  add_torus_options(*verb, options->torus);
  add_data_options(*verb, *options);
  add_distribution_options(*verb, *options);
  begin_group(*verb, "Run");
  add_run_options(*verb, *options, "check that every element is in the right place");
  add_observation_options(*verb, options->observation);
  add_export_option(*verb, options->export_to);
  add_common_options(*verb, options->common);
  add_examples(*verb,
               {{"from blocks to x planes on 16 of 64 nodes",
                 "toroid redistribute --size 32 --torus 4x4x4 --from blocks --to slabs:x@0-15"},
                {"the patent's example, from rows to columns, checked",
                 "toroid redistribute --size 9x9 --torus 3x3 --from lines:y --to lines:x "
                 "--check"}});
  return [options, verb] { return run(*verb, *options); };
}

}  // namespace toroid
