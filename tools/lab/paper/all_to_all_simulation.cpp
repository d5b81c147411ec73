#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "hal/bounds.hpp"
#include "hal/counters.hpp"
#include "hal/machine.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/traffic_exchange.hpp"
#include "packet/node/node.hpp"
#include "packet/policies/policies.hpp"
#include "packet/traffic/patterns.hpp"
#include "tools/lab/paper/simulation.hpp"
#include "tools/run/emulation.hpp"
#include "tools/run/estimate.hpp"
#include "tools/run/run_options.hpp"
#include "tools/run/run_result.hpp"
#include "tools/text/json.hpp"
#include "tools/text/spelling.hpp"

namespace toroid {
namespace {

/// Mean percentage of time that the links of the first dimension in one direction are busy.
double busy_percent(const FabricCounters& counters, const Shape& shape, const Machine& machine,
                    unsigned direction) {
  std::uint64_t bytes = 0;
  for (std::size_t l = direction; l < counters.links.size(); l += shape.links())
    bytes += counters.links[l].wire_bytes;
  return percent(machine.wire_cycles(bytes), counters.end * shape.size());
}

Json figures_of(const AllToAllCase& what, const Shape& shape, const Machine& machine,
                const FabricCounters& counters, Tick cycles) {
  Json figures = {{"cycles", cycles},
                  {"plus_busy_percent", busy_percent(counters, shape, machine, 0)},
                  {"minus_busy_percent", busy_percent(counters, shape, machine, 1)}};
  if (what.peers != 0) return figures;
  const Bounds bounds = all_to_all_bounds(machine, shape, message_cost(machine, what.bytes));
  figures["bound_cycles"] = bounds.max();
  figures["percent_of_peak"] = percent(bounds.hottest_link, cycles);
  return figures;
}

Json run_all_to_all(const AllToAllCase& what, const PaperSetting& setting) {
  const Shape shape = Shape::parse(what.torus);
  const auto traffic = make_traffic("all-to-all", shape, what.bytes, setting.seed);
  TrafficExchange exchange(policy_by_name("random"), *traffic, shape, setting.machine,
                           {.seed = setting.seed,
                            .peers = what.peers != 0 ? what.peers : ~Rank{0},
                            .changes = {.order = what.order}});
  Emulation emulation(shape, setting.machine, RunOptions{.node = exchange.node_options()}, true, 0);
  for (Node& node : emulation.nodes()) exchange.attach(node);
  emulation.run();
  exchange.check();
  const Tick end = what.peers != 0 ? emulation.counters().end : emulation.programs_end();
  return figures_of(what, shape, setting.machine, emulation.counters(), end);
}

RunEstimate estimate_all_to_all(const AllToAllCase& what, const PaperSetting& setting) {
  const Shape shape = Shape::parse(what.torus);
  const auto everybody = make_traffic("all-to-all", shape, what.bytes, setting.seed);
  return estimate_run(exchange_work(policy_by_name("random"), *everybody, shape, what.peers), shape,
                      setting.machine, RunOptions{.threads = 1}, 0);
}

}  // namespace

std::string AllToAllCase::key() const {
  return fmt::format("all-to-all of {} B on {} in {} order{}", bytes, torus,
                     name_of<OrderRule>(kOrderRuleNames, order),
                     peers == 0 ? "" : fmt::format(", first {} peers", peers));
}

Simulation all_to_all_simulation(const AllToAllCase& what) {
  return {what.key(), [what](const PaperSetting& s) { return run_all_to_all(what, s); }, false,
          [what](const PaperSetting& s) { return estimate_all_to_all(what, s); }};
}

}  // namespace toroid
