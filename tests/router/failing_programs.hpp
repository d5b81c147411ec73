// Programs that throw while packets circulate for ever.
#pragma once

#include <stdexcept>

#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "tests/router/emulated_machine.hpp"

namespace toroid::testing {

inline constexpr HandlerId kRelay = kHandler + 1;

/// Keeps packets moving for ever: each arrival sends another packet.
inline void relay_for_ever(Node& node) {
  const Rank next = (node.rank() + 1) % node.size();
  node.on(kRelay, [&node, next](const Packet&) { node.post(next, kRelay, {}); });
  node.post(next, kRelay, {});
}

inline Program throw_later(Node& node, Rank who) {
  for (unsigned i = 0; i < 10; ++i) co_await node.compute(1);
  if (node.rank() == who) throw std::domain_error("in a program");
}

inline Program send_from_0(Node& node, Rank who) {
  if (node.rank() == 0) co_await node.send(who, kHandler, who);
}

// Called before the run, so that the handlers outlive the programs.
inline Program fail_in_the_program(Node& node, Rank who) {
  relay_for_ever(node);
  return throw_later(node, who);
}
inline Program fail_in_a_handler(Node& node, Rank who) {
  relay_for_ever(node);
  node.on(kHandler, [](const Packet&) { throw std::out_of_range("in a handler"); });
  return send_from_0(node, who);
}

}  // namespace toroid::testing
