// All nodes greet one another: on rings the same greetings arrive as on the model.
#include <gtest/gtest.h>
#include <cstddef>

#include <algorithm>
#include <vector>

#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/greetings.hpp"
#include "tests/router/shm/ring_machine.hpp"
#include "tests/router/sim/sim_machine.hpp"

namespace toroid {
namespace {

using testing::EmulatedMachine;
using testing::RingMachine;
using testing::SimMachine;

using GreetingLog = std::vector<testing::Greetings>;  ///< indexed by rank

/// The greetings that each node has heard. They are sorted, because the order of arrival is not
/// specified.
GreetingLog greetings(EmulatedMachine& machine) {
  GreetingLog log(machine.size());
  machine.run([&](Node& node) { return testing::greet(node, &log[node.rank()]); });
  EXPECT_TRUE(machine.finished());
  for (auto& heard : log) std::ranges::sort(heard);
  return log;
}

TEST(HelloAgreement, TheSameGreetingsArriveOnRingsAsOnTheModel) {
  const auto cases = testing::ring_cases_beside(testing::kRingShapes.size());
  for (std::size_t s = 0; s < cases.size(); ++s) {
    const char* const text = testing::kRingShapes[s];
    const Shape shape = Shape::parse(text);
    SimMachine sim(shape);
    const GreetingLog expected = greetings(sim);
    for (const auto& c : cases[s]) {
      RingMachine rings(shape, c.threads, c.node(), testing::routed(c.route));
      ASSERT_EQ(greetings(rings), expected) << text << ' ' << c.text();
      ASSERT_EQ(rings.counters().packets, sim.counters().packets) << text << ' ' << c.text();
      ASSERT_EQ(rings.counters().delivered, sim.counters().delivered) << text << ' ' << c.text();
    }
  }
}

}  // namespace
}  // namespace toroid
