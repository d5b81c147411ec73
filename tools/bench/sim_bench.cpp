// Speed of the model in packet-hops per CPU second: all-to-all without payload, one thread.
#include <benchmark/benchmark.h>

#include <cstdint>

#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/traffic_exchange.hpp"
#include "packet/node/node.hpp"
#include "packet/policies/policies.hpp"
#include "packet/traffic/patterns.hpp"
#include "tools/run/emulation.hpp"
#include "tools/run/run_options.hpp"

namespace toroid {
namespace {

void all_to_all(benchmark::State& state, const char* torus, std::uint64_t bytes,
                const char* policy) {
  const Shape shape = Shape::parse(torus);
  const Machine machine;
  const auto traffic = make_traffic("all-to-all", shape, bytes, 1);
  double hops = 0;
  for (auto _ : state) {
    TrafficExchange exchange(policy_by_name(policy), *traffic, shape, machine);
    Emulation emulation(shape, machine, RunOptions{.node = exchange.node_options()}, true, 0);
    for (Node& node : emulation.nodes()) exchange.attach(node);
    emulation.run();
    state.SetIterationTime(emulation.cpu_seconds());
    hops += static_cast<double>(emulation.counters().packet_hops);
  }
  state.counters["packet_hops"] = benchmark::Counter(hops, benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(all_to_all, 8x8x8, "8x8x8", 480, "random")->UseManualTime();
BENCHMARK_CAPTURE(all_to_all, 8x8x8_rank_order, "8x8x8", 480, "rank")->UseManualTime();
BENCHMARK_CAPTURE(all_to_all, ring_of_64, "64", 2400, "random")->UseManualTime();
BENCHMARK_CAPTURE(all_to_all, 4x4x4, "4x4x4", 2400, "random")->UseManualTime();

}  // namespace
}  // namespace toroid
