// Your own traffic pattern under two policies: every node sends to the node with the mirrored rank,
// and half as much to its right neighbour.
#include <cstdio>
#include <toroid/packet/exchange/traffic_exchange.hpp>
#include <toroid/packet/node/runner.hpp>
#include <toroid/packet/policies/policies.hpp>
#include <toroid/packet/traffic/traffic.hpp>
#include <toroid/packet/traffic/traffic_bounds.hpp>
#include <toroid/router/sim/sim_fabric.hpp>

using namespace toroid;

class Mirror final : public Traffic {
 public:
  Mirror(Rank nodes, std::uint64_t bytes) : nodes_(nodes), bytes_(bytes) {}
  std::string_view name() const override { return "mirror"; }
  std::uint64_t bytes(Rank from, Rank to) const override {
    if (from == to) return 0;
    return (to == mirrored(from) ? bytes_ : 0) + (to == (from + 1) % nodes_ ? bytes_ / 2 : 0);
  }
  std::vector<Rank> targets(Rank from) const override {
    return those([&](Rank to) { return bytes(from, to) > 0; });
  }
  std::vector<Rank> sources(Rank to) const override {
    return those([&](Rank from) { return bytes(from, to) > 0; });
  }
  Rank draw(Rank from, Random& random) const override {
    return random.below(3) < 2 && mirrored(from) != from ? mirrored(from) : (from + 1) % nodes_;
  }

 private:
  Rank mirrored(Rank rank) const { return nodes_ - 1 - rank; }
  template <typename Test>
  std::vector<Rank> those(Test test) const {
    std::vector<Rank> ranks;
    for (Rank rank = 0; rank < nodes_; ++rank)
      if (test(rank)) ranks.push_back(rank);
    return ranks;
  }
  Rank nodes_;
  std::uint64_t bytes_;
};

int main() {
  const Shape shape = Shape::parse("4x4x4");
  const Machine machine;
  const Mirror traffic(shape.size(), 9600);
  for (const char* policy : {"random", "deterministic"}) {
    TrafficExchange exchange(policy_by_name(policy), traffic, shape, machine);
    const auto fabric = make_sim_fabric(shape, machine);
    Runner runner(*fabric, exchange.node_options());
    for (Node& node : runner.nodes()) exchange.attach(node);
    runner.run();
    exchange.check();  // every packet has arrived once
    std::printf("%-14s %lld cycles, bound %lld\n", policy,
                static_cast<long long>(exchange.last_arrival()),
                static_cast<long long>(traffic_bounds(machine, shape, traffic).hottest_link));
  }
}
