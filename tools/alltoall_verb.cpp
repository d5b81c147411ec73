// toroid alltoall: every node sends a message to every other; how close to the bound does it get?
#include "hal/bounds.hpp"
#include "packet/all_to_all.hpp"
#include "tools/choice.hpp"
#include "tools/report.hpp"
#include "tools/verbs.hpp"

namespace toroid {
namespace {

constexpr HandlerId kHandler = kFirstUserHandler;

struct AllToAllOptions {
  CommonOptions common;
  TorusOptions torus;
  std::uint64_t bytes = 240;
  std::uint32_t per_visit = 1;
};

Program all_to_all_program(Node& node, AllToAll& exchange) {
  exchange.start();
  const std::uint64_t expected = exchange.expected();
  co_await node.until(exchange.received(), expected);
}

Bounds bounds_of(const AllToAllOptions& options, const Shape& shape, const Machine& machine) {
  return all_to_all_bounds(machine, shape, message_cost(machine, options.bytes));
}

Json bounds_json(const Bounds& bounds) {
  return {{"hottest_link", bounds.hottest_link},
          {"injection", bounds.injection},
          {"processor", bounds.processor},
          {"zero_load", bounds.zero_load}};
}

Json make_report(const AllToAllOptions& options, const Shape& shape, const Machine& machine,
                 const Simulation& simulation) {
  const Bounds bounds = bounds_of(options, shape, machine);
  const Tick cycles = simulation.programs_end();
  ResultHash hash;
  Json report = report_head("alltoall", options.common, shape, machine);
  report.update({{"bytes", options.bytes},
                 {"order", options.torus.order},
                 {"routing", options.torus.routing},
                 {"tie", options.torus.tie},
                 {"transit_first", !options.torus.no_transit_first}});
  add_timing(report, {cycles, bounds.max(), bounds.hottest_link}, machine);
  report["bounds"] = bounds_json(bounds);
  add_counters(report, hash, simulation.counters(), shape, machine, cycles);
  report["links"]["bound_messages"] = hottest_link_messages(shape).value();
  report["result_hash"] = hash.text();
  add_wall_clock(report, simulation);
  return report;
}

void print_table(const AllToAllOptions& options, const Json& report) {
  fmt::print("all-to-all, {} bytes per pair, order {}, routing {}, tie {}\n{}", options.bytes,
             options.torus.order, options.torus.routing, options.torus.tie, summary_table(report));
  fmt::print("  model speed      {:>14.3e} packet-hops per CPU second\n",
             report["packet_hops_per_cpu_s"].get<double>());
}

int run(const AllToAllOptions& options) {
  const Shape shape = shape_of(options.torus);
  const Machine machine = load_machine(options.common.machine);
  const NodeOptions node = node_options(options.common, options.torus);
  const SimOptions sim = sim_options(options.torus);
  check_memory(shape, 0);
  JsonOutput json(options.common.json);

  UniformMessages messages(shape.size(), options.bytes);
  Simulation simulation(shape, machine, sim, node, options.common.quiet,
                        messages.packets_expected() * shape.size());
  std::deque<AllToAll> exchanges;
  for (Node& n : simulation.nodes()) {
    throw_if_interrupted();
    AllToAll& exchange = exchanges.emplace_back(n, kHandler, Group::all(shape, n.rank()), messages,
                                                options.per_visit);
    n.run(all_to_all_program(n, exchange));
  }
  simulation.run();

  const Json report = make_report(options, shape, machine, simulation);
  if (!options.common.quiet && !json.to_standard_output()) print_table(options, report);
  json.write(report);
  return 0;
}

}  // namespace

Verb add_alltoall_verb(CLI::App& app) {
  auto options = std::make_shared<AllToAllOptions>();
  CLI::App* verb = app.add_subcommand("alltoall", "an all-to-all exchange beside its bound");
  add_torus_options(*verb, options->torus);
  verb->add_option("--bytes", options->bytes, "payload per (source, destination) pair")
      ->transform(whole_number(0, std::uint64_t{1} << 32))
      ->capture_default_str();
  verb->add_option("--per-visit", options->per_visit, "packets per visit of a peer: the patent's b")
      ->transform(whole_number(1, 1u << 24))
      ->capture_default_str();
  add_common_options(*verb, options->common);
  return [options] { return run(*options); };
}

}  // namespace toroid
