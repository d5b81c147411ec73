// Speed of the model in packet-hops per CPU second: all-to-all without payload, one thread.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <deque>

#include "hal/machine.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/exchange.hpp"
#include "packet/exchange/group.hpp"
#include "packet/node/handlers.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "tools/run/emulation.hpp"

namespace toroid {
namespace {

Program exchange_all(Node& node, AllToAll& exchange) {
  exchange.start();
  const std::uint64_t expected = exchange.expected();
  co_await node.until(exchange.received(), expected);
}

void all_to_all(benchmark::State& state, const char* torus, std::uint64_t bytes,
                const NodeOptions& options) {
  const Shape shape = Shape::parse(torus);
  UniformMessages messages(shape.size(), bytes);
  double hops = 0;
  for (auto _ : state) {
    Emulation emulation(shape, Machine{}, {.node = options}, true, 0);
    std::deque<AllToAll> exchanges;
    for (Node& node : emulation.nodes()) {
      exchanges.emplace_back(node, kFirstUserHandler, Group::all(shape, node.rank()), messages);
      node.run(exchange_all(node, exchanges.back()));
    }
    emulation.run();
    state.SetIterationTime(emulation.cpu_seconds());
    hops += static_cast<double>(emulation.counters().packet_hops);
  }
  state.counters["packet_hops"] = benchmark::Counter(hops, benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(all_to_all, 8x8x8, "8x8x8", 480, NodeOptions{})->UseManualTime();
BENCHMARK_CAPTURE(all_to_all, 8x8x8_rank_order, "8x8x8", 480, {.order = OrderRule::rank})
    ->UseManualTime();
BENCHMARK_CAPTURE(all_to_all, ring_of_64, "64", 2400, NodeOptions{})->UseManualTime();
BENCHMARK_CAPTURE(all_to_all, 4x4x4, "4x4x4", 2400, NodeOptions{})->UseManualTime();

}  // namespace
}  // namespace toroid
