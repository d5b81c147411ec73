// toroid hello: the first program. Every node tells every other its rank.
#include "hal/bounds.hpp"
#include "tools/host_bound.hpp"
#include "tools/report.hpp"
#include "tools/verbs.hpp"

namespace toroid {
namespace {

constexpr HandlerId kHello = kFirstUserHandler;

struct HelloOptions {
  CommonOptions common;
  TorusOptions torus;
};

Program hello(Node& node) {
  Counter heard("hellos");
  std::uint64_t sum = 0;
  node.on(kHello, [&](const Packet& packet) {
    sum += packet.as<Rank>();
    heard.bump();
  });
  const SendOrder order = node.random_order();
  const Rank me = node.rank();
  for (const Rank peer : order) co_await node.send(peer, kHello, me);
  const std::uint64_t others = node.size() - 1;
  co_await node.until(heard, others);
  const std::uint64_t expected = others * node.size() / 2 - me;
  if (sum != expected) throw RunFailed(fmt::format("the ranks heard add up to {}", sum));
}

Json make_report(const HelloOptions& options, const Shape& shape, const Machine& machine,
                 const Emulation& emulation, Tick cycles) {
  const Bounds bounds = all_to_all_bounds(machine, shape, message_cost(machine, sizeof(Rank)));
  const double payload = sizeof(Rank) * static_cast<double>(shape.size()) * (shape.size() - 1);
  const Tick copies = copy_bound(machine, payload, emulation.workers());
  ResultHash hash;
  Json report = report_head("hello", options.common, shape, machine);
  add_workers(report, options.common, emulation);
  add_timing(report,
             is_virtual(report) ? Timing{cycles, bounds.max(), bounds.hottest_link}
                                : Timing{cycles, copies, copies},
             machine);
  add_counters(report, hash, emulation.counters(), shape, machine, cycles);
  add_hash(report, hash);
  add_wall_clock(report, emulation);
  return report;
}

int run_on(const HelloOptions& options, const Shape& shape, const Machine& machine,
           const RunOptions& run_options) {
  const Processes& processes = run_options.processes;
  JsonOutput json(processes.reports() ? options.common.json : "");
  Emulation emulation(shape, machine, run_options, options.common.quiet,
                      std::uint64_t{shape.size()} * (shape.size() - 1));
  for (Node& node : emulation.nodes()) node.run(hello(node));
  emulation.run();
  const Tick end = emulation.latest(emulation.programs_end());
  if (!processes.reports()) return 0;
  if (!options.common.quiet && !json.to_standard_output())
    fmt::print("{} nodes of torus {} in {} process{} have heard of each other\n", shape.size(),
               shape.text(), processes.count(), processes.count() == 1 ? "" : "es");
  json.write(make_report(options, shape, machine, emulation, end));
  return 0;
}

int run(const HelloOptions& options) {
  const Shape shape = shape_of(options.torus);
  refuse_dead_nodes(shape);
  const Machine machine = load_machine(options.common.machine);
  const RunOptions run_options = toroid::run_options(options.common, options.torus);
  return run_options.processes.run([&] { return run_on(options, shape, machine, run_options); });
}

}  // namespace

Verb add_hello_verb(CLI::App& app) {
  auto options = std::make_shared<HelloOptions>();
  CLI::App* verb = app.add_subcommand("hello", "every node tells every other its rank");
  add_torus_options(*verb, options->torus);
  add_common_options(*verb, options->common);
  return [options] { return run(*options); };
}

}  // namespace toroid
