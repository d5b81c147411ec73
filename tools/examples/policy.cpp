// A user's packet scheduling policy, measured on the model. docs/POLICIES.md contains this file.
#include <algorithm>
#include <cstdio>
#include <toroid/hal/bounds.hpp>
#include <toroid/hal/route.hpp>
#include <toroid/packet/exchange/traffic_exchange.hpp>
#include <toroid/packet/node/runner.hpp>
#include <toroid/packet/policies/policy.hpp>
#include <toroid/packet/traffic/patterns.hpp>
#include <toroid/router/sim/sim_fabric.hpp>
#include <vector>

using namespace toroid;

/// Visits near peers before far ones, with two output queues and the first FIFO that has room.
class NearestFirst final : public Policy {
 public:
  std::string_view name() const override { return "nearest-first"; }
  std::string_view source() const override { return "docs/POLICIES.md"; }
  std::string_view known_result() const override { return "printed by this program"; }

  PolicySettings settings(const PolicyCase&) const override {
    return {.output_queues = 2, .drain = DrainRule::first_fit};
  }
  SendOrder order(const Visitor& visitor) const override {
    const Shape& shape = visitor.shape;
    const Rank self = visitor.self;
    std::vector<Rank> peers;
    for (Rank r = 0; r < shape.size(); ++r)
      if (r != self) peers.push_back(r);
    std::ranges::stable_sort(peers, {}, [&](Rank peer) {
      return minimal_hops(shape, shape.coord(self), shape.coord(peer));
    });
    return SendOrder(std::move(peers));
  }
};

int main() {
  const Shape shape = Shape::parse("4x4x4");
  const Machine machine;  // the Blue Gene/L
  const auto traffic = make_traffic("all-to-all", shape, 480, 1);
  const NearestFirst policy;
  TrafficExchange exchange(policy, *traffic, shape, machine);

  const auto fabric =
      make_sim_fabric(shape, machine, {.routing = {}, .tying = exchange.settings().tying});
  Runner runner(*fabric, exchange.node_options());
  for (Node& node : runner.nodes()) exchange.attach(node);
  runner.run();
  exchange.check();  // every packet has arrived exactly once

  const Tick bound = all_to_all_bounds(machine, shape, message_cost(machine, 480)).hottest_link;
  std::printf("%.1f %% of peak, half of the packets within %.0f cycles\n",
              100.0 * static_cast<double>(bound) / static_cast<double>(exchange.last_arrival()),
              static_cast<double>(exchange.latency().permille(500)));
}
