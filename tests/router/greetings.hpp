// A program in which every node greets every node and logs the greetings that it receives.
#pragma once

#include <cstdint>
#include <vector>

#include "hal/packet.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "tests/router/emulated_machine.hpp"

namespace toroid::testing {

struct Greeting {
  Rank from;
  std::uint32_t argument;
  auto operator<=>(const Greeting&) const = default;
};
using Greetings = std::vector<Greeting>;  ///< in order of arrival

inline Program greet(Node& node, Greetings* log) {
  Counter heard("greetings");
  node.on(kHandler, [&heard, log](const Packet& packet) {
    log->push_back({packet.as<Rank>(), packet.header.argument()});
    heard.bump();
  });
  const SendOrder order = node.random_order();
  for (Rank peer : order)
    co_await node.send(peer, kHandler, node.rank(), node.rank() * 1000 + peer);
  co_await node.send(node.rank(), kHandler, node.rank(), 7);
  co_await node.until(heard, node.size());
}

}  // namespace toroid::testing
