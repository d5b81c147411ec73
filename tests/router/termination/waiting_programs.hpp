// Programs that wait for packets that never come.
#pragma once

#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "tests/router/emulated_machine.hpp"

namespace toroid::testing {

/// Every node counts the packets that it receives; node `who` waits until it has three.
inline Program wait_for_three(Node& node, Rank who) {
  Counter heard("heard");
  node.on(kHandler, [&](const Packet&) { heard.bump(); });
  if (node.rank() != who) co_return;
  co_await node.until(heard, 3);
}

/// All nodes except `missing` enter the barrier.
inline Program enter_barrier(Node& node, Rank missing) {
  if (node.rank() == missing) co_return;
  co_await node.barrier();
}

}  // namespace toroid::testing
