// Every node tells every other its rank; the model says how long that takes.
#include <cstdio>
#include <toroid/hal/check.hpp>
#include <toroid/packet/node/runner.hpp>
#include <toroid/router/sim/sim_fabric.hpp>

using namespace toroid;

constexpr HandlerId kHello = kFirstUserHandler;

Program hello(Node& node) {
  Counter heard("greetings");
  std::uint64_t sum = 0;
  node.on(kHello, [&](const Packet& packet) {
    sum += packet.as<Rank>();
    heard.bump();
  });
  const SendOrder order = node.random_order();
  for (Rank peer : order) co_await node.send(peer, kHello, node.rank());
  co_await node.until(heard, node.size() - 1);
  TOROID_CHECK_EQ(sum, std::uint64_t{node.size()} * (node.size() - 1) / 2 - node.rank());
}

int main() {
  const auto fabric = make_sim_fabric(Shape::parse("4x4x4"), Machine{});
  Runner(*fabric).run(hello);
  std::printf("%llu packets, %llu cycles\n",
              static_cast<unsigned long long>(fabric->counters().delivered),
              static_cast<unsigned long long>(fabric->counters().end));
}
