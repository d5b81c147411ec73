// On rings, too, no node passes a barrier before all have entered it.
#include <gtest/gtest.h>
#include <cstddef>

#include <array>
#include <cstdint>
#include <vector>

#include "hal/counters.hpp"
#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/shm/ring_machine.hpp"
#include "tests/router/sim/sim_machine.hpp"

namespace toroid {
namespace {

using testing::EmulatedMachine;
using testing::RingMachine;
using testing::SimMachine;

constexpr unsigned kRounds = 5;

/// Which nodes have reached which barrier. Plain memory is enough, because all accesses before a
/// barrier happen before all accesses after it.
using Entries = std::vector<std::array<bool, kRounds>>;  ///< indexed by rank

Program pass_barriers(Node& node, std::uint64_t seed, Entries* entries, unsigned* too_early) {
  Random random(seed, node.rank());
  for (unsigned round = 0; round < kRounds; ++round) {
    const unsigned rests = random.below(4);
    for (unsigned i = 0; i < rests; ++i) co_await node.compute(100);
    (*entries)[node.rank()][round] = true;
    co_await node.barrier();
    for (const auto& entered : *entries) *too_early += entered[round] ? 0 : 1;
  }
}

FabricCounters pass_barriers_on(EmulatedMachine& machine, std::uint64_t seed) {
  Entries entries(machine.size());
  std::vector<unsigned> too_early(machine.size());
  machine.run(
      [&](Node& node) { return pass_barriers(node, seed, &entries, &too_early[node.rank()]); });
  EXPECT_TRUE(machine.finished());
  EXPECT_EQ(too_early, std::vector<unsigned>(machine.size(), 0));
  return machine.counters();
}

TEST(BarrierAgreement, LetsNobodyPassEarlyAndSendsTheModelsPackets) {
  const auto cases = testing::ring_cases_beside(testing::kRingShapes.size());
  for (std::size_t s = 0; s < cases.size(); ++s) {
    const Shape shape = Shape::parse(testing::kRingShapes[s]);
    SimMachine sim(shape);
    const FabricCounters expected = pass_barriers_on(sim, 1);
    for (const auto& c : cases[s]) {
      SCOPED_TRACE(shape.text() + ' ' + c.text());
      RingMachine rings(shape, c.threads, c.node(), testing::routed(c.route));
      const FabricCounters counters = pass_barriers_on(rings, c.seed);
      EXPECT_EQ(counters.packets, expected.packets);
      EXPECT_EQ(counters.delivered, expected.delivered);
    }
  }
}

}  // namespace
}  // namespace toroid
