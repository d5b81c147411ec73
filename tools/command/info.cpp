// toroid info: this build, and every parameter of a machine with its source.
#include <fmt/core.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include "fft/kernels/kernel.hpp"
#include "hal/bounds.hpp"
#include "hal/direction.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "packet/policies/policies.hpp"
#include "packet/policies/policy.hpp"
#include "router/placement/cpu_quota.hpp"
#include "router/placement/host_topology.hpp"
#include "router/placement/placement.hpp"
#include "tools/command/commands.hpp"
#include "tools/files/machine_file.hpp"
#include "tools/files/quantity.hpp"
#include "tools/options/builtin_names.hpp"
#include "tools/options/common_options.hpp"
#include "tools/options/option_values.hpp"
#include "tools/run/ofi.hpp"
#include "tools/run/placement_text.hpp"
#include "tools/run/run_result.hpp"
#include "tools/run/terminal.hpp"
#include "tools/text/json.hpp"
#include "tools/text/split_and_wrap.hpp"
#include "tools/text/version.hpp"

namespace toroid {
namespace {

/// Fits a line of a machine file into `width` columns. A description beside a number moves above
/// the number, and long comments and descriptions are wrapped. A number itself is never cut.
std::string fitted_line(std::string_view line, std::size_t width) {
  constexpr std::size_t kDescription = 16;  // column of the descriptions of policies
  const std::size_t mark = line.find('#');
  if (line.size() <= width || (mark == std::string_view::npos && !line.starts_with("  ")))
    return std::string(line) + '\n';
  if (mark == std::string_view::npos) return with_hanging_indent(line, width, kDescription);
  std::string comment;  // the comment with its columns turned into a list, separated by ;
  std::string_view rest = line.substr(mark + 1);
  while (!rest.empty()) {
    const std::size_t blanks = std::min(rest.find_first_not_of(' '), rest.size());
    if (blanks > 0) comment += blanks > 1 && !comment.empty() ? "; " : " ";
    rest.remove_prefix(blanks);
    comment += rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.find(' '), rest.size()));
  }
  std::string lines = "#";
  for (const char c : with_hanging_indent(comment, width - 1, 2))
    lines += c == '\n' ? "\n#" : std::string(1, c);
  lines.pop_back();
  if (mark == 0) return lines;
  return lines + std::string(line.substr(0, line.find_last_not_of(' ', mark - 1) + 1)) + '\n';
}

template <typename... Values>
void print_fitted(fmt::format_string<Values...> format, Values&&... values) {
  // Only a terminal gets wrapped lines.
  const std::size_t width = is_terminal() ? line_width() : std::string::npos;
  std::istringstream text(fmt::format(format, std::forward<Values>(values)...));
  for (std::string line; std::getline(text, line);) fmt::print("{}", fitted_line(line, width));
}

struct InfoOptions {
  CommonOptions common;
  std::string torus;
  bool mesh = false;
  bool policies = false;
};

Json numbers_json(const Machine& machine) {
  Json numbers = Json::array();
  for (const MachineField& field : machine_fields())
    numbers.push_back({{"key", field.key},
                       {"value", value_of(machine, field)},
                       {"unit", field.unit},
                       {"source", source_of(machine, field)},
                       {"in_units", quantity_text(machine, field)},
                       {"meaning", field.meaning}});
  return numbers;
}

/// The packet layout that IBM published; all machines share it.
Json packet_json() {
  return {{"chunk_bytes", kChunkBytes},
          {"max_chunks", kMaxChunks},
          {"header_bytes", kHeaderBytes},
          {"max_payload_bytes", kPayloadBytes},
          {"virtual_channels", kVirtualChannelNames}};
}

void print_packet() {
  print_fitted(
      "# packet: 1 to {} chunks of {} B; header {} B, half hardware, half software; payload up to "
      "{} "
      "B\n# virtual channels of a link: {} (IBM, published)\n",
      kMaxChunks, kChunkBytes, kHeaderBytes, kPayloadBytes, fmt::join(kVirtualChannelNames, ", "));
}

/// Prints text as comments, so that the whole output is a machine file.
void print_comment(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    print_fitted("{}{}\n", line.empty() ? "#" : "# ", line);
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
}

Json policies_json() {
  Json policies = Json::array();
  for (const Policy* policy : built_in_policies())
    policies.push_back({{"name", policy->name()},
                        {"parameter", policy_parameter(policy->name())},
                        {"definition", policy_definition(policy->name())},
                        {"source", policy->source()},
                        {"known_result", policy->known_result()}});
  return policies;
}

void print_policies() {
  for (const Policy* policy : built_in_policies()) {
    const std::string_view parameter = policy_parameter(policy->name());
    print_fitted("{}\n  definition:   {}\n", policy->name(), policy_definition(policy->name()));
    if (!parameter.empty()) print_fitted("  parameter:    {}\n", parameter);
    print_fitted("  source:       {}\n  known result: {}\n", policy->source(),
                 policy->known_result());
  }
}

/// The names of the directions that each injection FIFO serves by default, for FIFOs that serve
/// several.
std::vector<std::vector<std::string>> shared_fifos(const Shape& shape, const Machine& machine) {
  std::vector<std::vector<std::string>> shared;
  for (const InjectionFifo& fifo :
       tie_fifos(shape, machine.injection_fifos, machine.injection_fifo_chunks)) {
    std::vector<std::string> names;
    for (std::uint8_t l = 0; l < shape.links(); ++l)
      if (fifo.directions.has({l}) && shape.extent(Direction{l}.dim()) > 1)
        names.push_back(Direction{l}.name());
    if (names.size() > 1) shared.push_back(names);
  }
  return shared;
}

Json torus_json(const Shape& shape, const Machine& machine) {
  const Fraction hottest = hottest_link_messages(shape);
  Json json = {{"torus", shape.text()},
               {"nodes", shape.nodes()},
               {"links_per_node", usable_links(shape)},
               {"diameter", diameter(shape)},
               {"hottest_link_messages", hottest.value()},
               {"shared_injection_fifos", shared_fifos(shape, machine)}};
  if (shape.ranks().are_shared()) {
    json["ranks"] = shape.size();
    json["ranks_per_node"] = shape.ranks().per_node();
  }
  return json;
}

/// Says which links share an injection FIFO, and what this costs.
void print_shared_fifos(const Shape& shape, const Machine& machine) {
  std::string list;
  for (const auto& names : shared_fifos(shape, machine))
    list += fmt::format("{}{}", list.empty() ? "" : ", ", fmt::join(names, " with "));
  if (list.empty()) return;
  print_fitted(
      "# {} injection FIFOs; these directions share one: {}. A FIFO feeds one link at a time, so "
      "packets that may go in these directions only leave at the rate of one link\n",
      machine.injection_fifos, list);
}

void print_torus(const Shape& shape, const Machine& machine, const std::string& placement) {
  print_fitted(
      "\n# torus {}: {}, {}{} per node, diameter {}; an all-to-all sends {} messages over the "
      "hottest link\n",
      shape.text(), counted(shape.nodes(), "node"),
      shape.ranks().are_shared() ? fmt::format("{} ranks and ", shape.ranks().per_node()) : "",
      counted(usable_links(shape), "link"), diameter(shape), hottest_link_messages(shape).value());
  print_shared_fifos(shape, machine);
  print_fitted("\n");
  print_comment("shm here: " + placement);
}

/// The placement that `shm` uses on this host.
Json placement_json(const HostTopology& topology, const Placement& placement) {
  Json workers = Json::array();
  for (const WorkerPlace& worker : placement.workers)
    workers.push_back({{"core", topology.cores()[worker.core].index},
                       {"package", worker.package},
                       {"numa_node", worker.numa},
                       {"bound_to_pus", worker.pus},
                       {"nodes", worker.nodes.size()}});
  return {{"reason", placement.reason},
          {"oversubscribed", placement.oversubscribed},
          {"workers", workers}};
}

Json providers_json(const OfiHere& here) {
  Json json = Json::array();
  for (const ProviderState& provider : here.providers)
    json.push_back({{"name", provider.name},
                    {"usable", provider.usable},
                    {"remote_writes", provider.writes},
                    {"remote_reads", provider.reads},
                    {"reason", provider.reason}});
  return json;
}

/// The libfabric providers that `ofi` chooses from, best first.
void print_providers(const OfiHere& here) {
  print_fitted("# ofi here: {}\n", here.library);
  for (const ProviderState& provider : here.providers)
    print_fitted("#   {} {:<15} {}{}{}\n", provider.usable ? '+' : '-', provider.name,
                 provider.reason, provider.writes ? "; remote writes" : "",
                 provider.reads ? "; remote reads" : "");
  print_fitted("\n");
}

/// The fabrics of this build; `ofi` is the last.
std::span<const std::string_view> fabrics() {
  return std::span(kFabricNames).first(kFabricNames.size() - (has_ofi() ? 0 : 1));
}

/// The FFT libraries of this build, the default first.
std::span<const std::string_view> kernels() {
  return std::span(fft::local::kLibraryNames)
      .subspan(fft::local::has(fft::local::LibraryName::fftw) ? 0 : 1);
}

/// Describes the build in comments before a machine file.
void print_build(const OfiHere& here) {
  print_fitted("# toroid {} ({}), fabrics: {}, kernels: {}\n\n", kVersion, kGitHash,
               fmt::join(fabrics(), ", "), fmt::join(kernels(), ", "));
  print_providers(here);
  print_packet();
}

int run(const InfoOptions& options) {
  const Machine machine = load_machine(options.common.machine);
  std::optional<Shape> shape;
  if (!options.torus.empty()) shape = Shape::parse(options.torus, options.mesh);
  JsonOutput json(options.common.json);
  Json report = {{"verb", "info"},          {"version", kVersion},
                 {"git_hash", kGitHash},    {"fabrics", fabrics()},
                 {"kernels", kernels()},    {"machine", machine.name},
                 {"packet", packet_json()}, {"numbers", numbers_json(machine)}};
  const OfiHere here = ofi_here();
  report["providers"] = providers_json(here);
  report.update(known_names_json());
  const HostTopology topology = HostTopology::of_this_machine();
  std::optional<Placement> placement;
  if (shape) {
    placement = place(topology, shape->torus(), options.common.threads, binding_of(options.common),
                      cpu_quota());
    report.update(torus_json(*shape, machine));
    report["placement"] = placement_json(topology, *placement);
  }
  if (options.policies) report["policies"] = policies_json();
  if (!options.common.quiet && !json.to_standard_output()) {
    if (options.policies) {
      print_policies();
    } else {
      print_build(here);
      print_fitted("{}\n", known_names_text());
      print_fitted("{}", machine_text(machine));
      if (shape) print_torus(*shape, machine, placement_text(topology, shape->torus(), *placement));
    }
  }
  json.write(report);
  return 0;
}

}  // namespace

CommandRun add_info_command(CLI::App& app) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App* command =
      app.add_subcommand("info", "show this build, a machine's parameters, a torus's bounds");
  begin_group(*command, "Torus");
  CLI::Option* const torus =
      command
          ->add_option("--torus", options->torus,
                       "also show the bounds of this shape and its workers on shm")
          ->type_name("SHAPE")
          ->check(not_empty());
  command->add_flag("--mesh", options->mesh, "make every dimension a mesh");
  add_worker_options(*command, options->common);
  command->get_option("--threads")->description("workers on shm (default: one per core)");
  for (const char* of_a_torus : {"--mesh", "--threads", "--bind"})
    command->get_option(of_a_torus)->needs(torus);
  begin_group(*command, "Machine");
  add_machine_option(*command, options->common.machine);
  add_output_options(*command, options->common);
  command->add_flag("--policies", options->policies,
                    "show the policies instead, with the source and known result of each");
  add_examples(
      *command,
      {{"this build and the Blue Gene/L's parameters", "toroid info"},
       {"the parameters of another machine, as a machine file", "toroid info --machine bgq"},
       {"a torus's bounds, and the cores its nodes would run on", "toroid info --torus 8x8x8"}});
  return [options] { return run(*options); };
}

}  // namespace toroid
