// toroid info: what this build is, and every number of a machine with its source.
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "hal/bounds.hpp"
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

Json torus_json(const Shape& shape) {
  const Fraction hottest = hottest_link_messages(shape);
  return {{"torus", shape.text()},
          {"nodes", shape.size()},
          {"links_per_node", usable_links(shape)},
          {"diameter", diameter(shape)},
          {"hottest_link_messages", hottest.value()}};
}

void print_torus(const Shape& shape) {
  fmt::print(
      "torus {}: {} nodes, {} links per node, diameter {}; an all-to-all sends {} messages over "
      "the hottest link\n",
      shape.text(), shape.size(), usable_links(shape), diameter(shape),
      hottest_link_messages(shape).value());
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
  fmt::print("ofi here: libfabric {}.{}\n", FI_MAJOR(version), FI_MINOR(version));
  for (const ofi::Candidate& provider : providers)
    fmt::print("  {} {:<15} {}\n", provider.info != nullptr ? '+' : '-', provider.name,
               provider.reason);
  fmt::print("\n");
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
  if (!options.common.quiet && !json.to_standard_output()) {
    fmt::print("toroid {} ({}), fabrics: {}\n\n", kVersion, kGitHash,
               fmt::join(kFabricNames, ", "));
    print_providers(providers);
    print_packet();
    fmt::print("{}", machine_text(machine));
    if (shape) {
      fmt::print("\n");
      print_torus(*shape);
      fmt::print("\nshm here: {}", placement_text(topology, *shape, *placement));
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
  verb->add_flag("--mesh", options->mesh, "every dimension a mesh");
  add_common_options(*verb, options->common);
  return [options] { return run(*options); };
}

}  // namespace toroid
