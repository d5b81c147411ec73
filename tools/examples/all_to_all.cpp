// Every node sends every other node a block of 480 bytes, as MPI_Alltoall does, and checks what it
// receives. The time is printed beside its bound: no schedule can beat the hottest link.
#include <algorithm>
#include <cstdio>
#include <deque>
#include <toroid/hal/bounds.hpp>
#include <toroid/hal/check.hpp>
#include <toroid/packet/exchange/block_messages.hpp>
#include <toroid/packet/exchange/exchange.hpp>
#include <toroid/packet/exchange/exchange_plan.hpp>
#include <toroid/packet/node/runner.hpp>
#include <toroid/packet/policies/policies.hpp>
#include <toroid/router/sim/sim_fabric.hpp>

using namespace toroid;

constexpr std::uint64_t kBytes = 480;  // of a block

/// One node's blocks. They outlive the run, because the exchange sends straight from them.
struct Part {
  Part(Node& node, const ExchangePlan& plan)
      : blocks(node.shape(), node.rank(), kBytes),
        exchange(node, kFirstUserHandler, Group::all(node.shape(), node.rank()), plan, blocks) {}
  BlockMessages blocks;
  Exchange exchange;
};

Program all_to_all(Node& node, Part* part) {
  for (Rank to = 0; to < node.size(); ++to)
    std::ranges::fill(part->blocks.to(to), static_cast<std::byte>(node.rank() + to));
  part->exchange.start();
  ExchangeAwaiter everything = part->exchange.wait();
  co_await everything;
  for (Rank from = 0; from < node.size(); ++from)
    if (from != node.rank())
      TOROID_CHECK(part->blocks.from(from).back() == static_cast<std::byte>(from + node.rank()));
}

int main() {
  const Machine machine;  // the Blue Gene/L
  const auto fabric = make_sim_fabric(Shape::parse("4x4x4"), machine);
  const Shape& shape = fabric->shape();
  const ExchangePlan plan(policy_by_name("random"), shape, shape, {.packets_per_visit = 1},
                          {.places = true});
  Runner runner(*fabric);
  std::deque<Part> parts;
  for (Node& node : runner.nodes()) node.run(all_to_all(node, &parts.emplace_back(node, plan)));
  runner.run();

  const Tick bound = all_to_all_bounds(machine, shape, message_cost(machine, kBytes)).hottest_link;
  std::printf("%lld cycles, bound %lld\n", static_cast<long long>(runner.finished_at()),
              static_cast<long long>(bound));
}
