// Every node tells every other its rank; the model says how long that takes.
#include <cstdint>
#include <cstdio>
#include <deque>

#include "hal/check.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/handlers.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "router/sim/sim_fabric.hpp"

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
  std::deque<Node> nodes;
  for (Rank r = 0; r < fabric->shape().size(); ++r) {
    Node& node = nodes.emplace_back(fabric->device(r));
    node.run(hello(node));
    fabric->attach(r, node);
  }
  fabric->run();
  std::printf("%llu packets, %llu cycles\n",
              static_cast<unsigned long long>(fabric->counters().delivered),
              static_cast<unsigned long long>(fabric->counters().end));
}
