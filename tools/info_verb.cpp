// toroid info: what this build is, and every number of a machine with its source.
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "hal/bounds.hpp"
#include "packet/policies/policies.hpp"
#include "router/cpu_quota.hpp"
#include "router/ofi/libfabric.hpp"
#include "tools/choice.hpp"
#include "tools/quantity.hpp"
#include "tools/report.hpp"
#include "tools/verbs.hpp"
#include "tools/version.hpp"

namespace toroid {
namespace {

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

/// What every machine has in common: IBM's published packet layout.
Json packet_json() {
  return {{"chunk_bytes", kChunkBytes},
          {"max_chunks", kMaxChunks},
          {"header_bytes", kHeaderBytes},
          {"max_payload_bytes", kPayloadBytes},
          {"virtual_channels", kVirtualChannelNames}};
}

void print_packet() {
  fmt::print(
      "# packet: 1 to {} chunks of {} B; header {} B, half hardware, half software; payload at "
      "most {} "
      "B\n# virtual channels of a link: {} (IBM, published)\n",
      kMaxChunks, kChunkBytes, kHeaderBytes, kPayloadBytes, fmt::join(kVirtualChannelNames, ", "));
}

/// As a machine file has what is not of the machine.
void print_comment(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    fmt::print("{}{}\n", line.empty() ? "#" : "# ", line);
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
    fmt::print("{}\n  what:         {}\n", policy->name(), policy_definition(policy->name()));
    if (!parameter.empty()) fmt::print("  parameter:    {}\n", parameter);
    fmt::print("  source:       {}\n  known result: {}\n", policy->source(),
               policy->known_result());
  }
}

Json torus_json(const Shape& shape) {
  const Fraction hottest = hottest_link_messages(shape);
  return {{"torus", shape.text()},
          {"nodes", shape.size()},
          {"links_per_node", usable_links(shape)},
          {"diameter", diameter(shape)},
          {"hottest_link_messages", hottest.value()}};
}

void print_torus(const Shape& shape, const std::string& placement) {
  fmt::print(
      "\n# torus {}: {} nodes, {} links per node, diameter {}; an all-to-all sends {} messages "
      "over "
      "the hottest link\n",
      shape.text(), shape.size(), usable_links(shape), diameter(shape),
      hottest_link_messages(shape).value());
  fmt::print("\n");
  print_comment("shm here: " + placement);
}

/// How `shm` would run on this machine.
Json placement_json(const Topology& topology, const Placement& placement) {
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

Json providers_json(const std::vector<ofi::Candidate>& providers) {
  Json json = Json::array();
  for (const ofi::Candidate& provider : providers)
    json.push_back({{"name", provider.name},
                    {"usable", provider.info != nullptr},
                    {"reason", provider.reason}});
  return json;
}

/// The providers of libfabric that `ofi` would choose from, the best first.
void print_providers(const std::vector<ofi::Candidate>& providers) {
  const std::uint32_t version = ofi::library().version();
  fmt::print("# ofi here: libfabric {}.{}\n", FI_MAJOR(version), FI_MINOR(version));
  for (const ofi::Candidate& provider : providers)
    fmt::print("#   {} {:<15} {}\n", provider.info != nullptr ? '+' : '-', provider.name,
               provider.reason);
  fmt::print("\n");
}

/// All of it comments, before a machine file.
void print_build(const std::vector<ofi::Candidate>& providers) {
  fmt::print("# toroid {} ({}), fabrics: {}\n\n", kVersion, kGitHash,
             fmt::join(kFabricNames, ", "));
  print_providers(providers);
  print_packet();
}

int run(const InfoOptions& options) {
  const Machine machine = load_machine(options.common.machine);
  std::optional<Shape> shape;
  if (!options.torus.empty()) shape = Shape::parse(options.torus, options.mesh);
  JsonOutput json(options.common.json);
  Json report = {{"verb", "info"},
                 {"version", kVersion},
                 {"git_hash", kGitHash},
                 {"fabrics", kFabricNames},
                 {"machine", machine.name},
                 {"packet", packet_json()},
                 {"numbers", numbers_json(machine)}};
  parse_choice<FabricName>("fabric", kFabricNames, options.common.fabric);
  parse_choice<RingRoute>("route", kRingRouteNames, options.common.route);
  const std::vector<ofi::Candidate> providers = ofi::Providers("").all();
  report["providers"] = providers_json(providers);
  const Topology topology = Topology::of_this_machine();
  std::optional<Placement> placement;
  if (shape) {
    placement =
        place(topology, *shape, options.common.threads, binding_of(options.common), cpu_quota());
    report.update(torus_json(*shape));
    report["placement"] = placement_json(topology, *placement);
  }
  if (options.policies) report["policies"] = policies_json();
  if (!options.common.quiet && !json.to_standard_output()) {
    if (options.policies) {
      print_policies();
    } else {
      print_build(providers);
      fmt::print("{}", machine_text(machine));
      if (shape) print_torus(*shape, placement_text(topology, *shape, *placement));
    }
  }
  json.write(report);
  return 0;
}

}  // namespace

Verb add_info_verb(CLI::App& app) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App* verb = app.add_subcommand("info", "this build, a machine's numbers, a torus's bounds");
  verb->add_option("--torus", options->torus,
                   "also the bounds of this shape and its workers on shm")
      ->check(not_empty());
  verb->add_flag("--policies", options->policies,
                 "instead the policies, and what is known of each");
  verb->add_flag("--mesh", options->mesh, "every dimension a mesh");
  add_common_options(*verb, options->common);
  return [options] { return run(*options); };
}

}  // namespace toroid
