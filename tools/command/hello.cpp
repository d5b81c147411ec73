// toroid hello: the first program. Every node tells every other its rank.
#include <fmt/core.h>

#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include "hal/bounds.hpp"
#include "hal/check.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/handlers.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/settings.hpp"
#include "tools/command/commands.hpp"
#include "tools/options/common_options.hpp"
#include "tools/options/option_values.hpp"
#include "tools/report/binding_bound.hpp"
#include "tools/report/provenance.hpp"
#include "tools/run/emulation.hpp"
#include "tools/run/estimate.hpp"
#include "tools/run/host_copy_rate.hpp"
#include "tools/run/policy_effects.hpp"
#include "tools/run/processes.hpp"
#include "tools/run/run_result.hpp"
#include "tools/run/run_session.hpp"
#include "tools/run/run_setup.hpp"
#include "tools/text/json.hpp"

namespace toroid {
namespace {

constexpr HandlerId kHello = kFirstUserHandler;

struct HelloOptions {
  CommonOptions common;
  TorusOptions torus;
  const CLI::App* command = nullptr;
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
  if (sum != expected) throw RunFailed(fmt::format("the received ranks add up to {}", sum));
}

Timing timing_of(const Shape& shape, const Machine& machine, const Emulation& emulation,
                 bool is_virtual, Tick cycles) {
  if (is_virtual) {
    const Bounds bounds = all_to_all_bounds(machine, shape, message_cost(machine, sizeof(Rank)));
    return virtual_timing(cycles, binding(bounds), bounds.hottest_link, machine);
  }
  const double payload = sizeof(Rank) * static_cast<double>(shape.size()) * (shape.size() - 1);
  return wall_clock_timing(
      static_cast<double>(cycles) / machine.clock_hz,
      exchange_copy_seconds(payload, emulation.workers(), TransferMode::packets));
}

Json make_report(const HelloOptions& options, const RunSetup& setup, const Emulation& emulation,
                 Tick cycles) {
  const auto& [shape, machine, run, effects] = setup;
  ResultHash hash;
  Json report = report_head("hello", options.common, shape, machine);
  add_policy(report, run, effects);
  add_workers(report, emulation);
  add_timing(report, timing_of(shape, machine, emulation, is_virtual(report), cycles));
  add_counters(report, hash, {emulation.counters(), shape, machine, cycles});
  add_hash(report, hash);
  add_wall_clock(report, emulation);
  return report;
}

/// One packet per ordered pair of nodes.
RunWork hello_work(const Shape& shape) {
  const double packets = static_cast<double>(shape.size()) * (shape.size() - 1);
  return group_work(shape, 0, shape.dims(), packets);
}

int run_on(const HelloOptions& options, const RunSetup& setup) {
  const auto& [shape, machine, run, effects] = setup;
  RunSession session(options.common, shape, machine, run);
  session.announce(hello_work(shape), 0);
  Emulation emulation = session.emulation(run, std::uint64_t{shape.size()} * (shape.size() - 1));
  for (Node& node : emulation.nodes()) node.run(hello(node));
  emulation.run();
  const Tick end = emulation.latest(emulation.programs_end());
  if (!session.collect(emulation)) return 0;
  const unsigned processes = run.processes.count();
  session.print(fmt::format("{} of torus {} in {} process{} have heard of each other\n",
                            nodes_text(shape), shape.text(), processes,
                            processes == 1 ? "" : "es"));
  session.write(emulation, make_report(options, setup, emulation, end));
  session.check(emulation);
  return 0;
}

int run(const HelloOptions& options) {
  RunSetup setup =
      set_up(*options.command, {"hello", Sent::streams}, options.common, options.torus);
  setup.run = under_policy(std::move(setup.run), setup.shape, setup.machine);
  std::vector<Rank> all(setup.shape.size());
  std::iota(all.begin(), all.end(), Rank{0});
  check_paths(setup.shape, setup.run.node.settings.routing, [&all](Rank) { return all; });
  return setup.run.processes.run([&] { return run_on(options, setup); });
}

}  // namespace

CommandRun add_hello_command(CLI::App& app) {
  auto options = std::make_shared<HelloOptions>();
  CLI::App* command = app.add_subcommand("hello", "every node sends its rank to every other node");
  options->command = command;
  add_torus_options(*command, options->torus);
  add_common_options(*command, options->common);
  add_examples(*command, {{"64 nodes in virtual time", "toroid hello --torus 4x4x4"},
                          {"two processes over libfabric",
                           "toroid launch -n 2 hello --torus 4x4 --fabric ofi"}});
  return [options] { return run(*options); };
}

}  // namespace toroid
