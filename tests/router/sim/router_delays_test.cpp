// Keys of machine files for which no values are published: their defaults change nothing, and other
// values have their documented effect.
#include <gtest/gtest.h>
#include <array>

#include <cstdint>
#include <string>
#include <vector>

#include "hal/counters.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/node/settings.hpp"
#include "router/sim/lean/lean_network.hpp"
#include "tests/pairwise.hpp"
#include "tests/router/everything.hpp"
#include "tests/router/sim/model_case.hpp"
#include "tests/router/sim/sim_machine.hpp"
#include "tests/router/smallest_buffers.hpp"

namespace toroid {
namespace {

using testing::Everything;
using testing::everything;
using testing::ModelCase;
using testing::SimMachine;

ModelCase delay_case(const std::string& shape, const Machine& machine, std::uint64_t bytes = 960,
                     RoutingRule routing = RoutingRule::adaptive) {
  return {shape, bytes, {.settings = {.routing = routing}}, {}, machine};
}

Tick finished_at(const ModelCase& c) {
  return testing::after_run(c, [](const SimMachine& machine) { return machine.finished_at(); });
}

std::uint64_t packets_in_bubbles(const ModelCase& c) {
  return testing::after_run(c, [](const SimMachine& machine) {
    std::uint64_t packets = 0;
    for (const LinkCounters& link : machine.counters().links)
      packets += link.packets[static_cast<unsigned>(VirtualChannel::bubble)];
    return packets;
  });
}

/// One machine per changed value. All have the smallest buffers, so that every wait has an effect.
std::vector<Machine> changed_machines() {
  std::vector<Machine> machines(5, testing::smallest_buffers());
  machines[0].arbitration_choice = 2;
  machines[1].arbitration_choice = 3;
  machines[2].input_reads = 1;
  machines[3].token_return_cycles = 500;
  machines[4].escape_wait_cycles = 3000;
  return machines;
}

TEST(RouterDelays, AreLeftToTheGeneralModel) {
  for (const Machine& machine : changed_machines())
    EXPECT_FALSE(sim::LeanNetwork::serves(Shape::parse("4x4"), machine, {}, nullptr));
}

TEST(RouterDelays, GiveTheSameResultsOnAnyNumberOfThreads) {
  for (const Machine& machine : changed_machines()) {
    const ModelCase c = delay_case("4x3x2", machine);
    const Everything one = testing::after_run(c, everything);
    EXPECT_NE(one,
              testing::after_run(delay_case("4x3x2", testing::smallest_buffers()), everything));
    for (const unsigned threads : {2u, 3u})
      EXPECT_EQ(testing::after_run(testing::with_threads(c, threads), everything), one);
  }
}

TEST(RouterDelays, NeverDeadlock) {
  constexpr std::array kRoutings = {RoutingRule::adaptive, RoutingRule::deterministic,
                                    RoutingRule::random_order};
  constexpr std::array kShapes = {"8x3", "5x4mx2", "3x3x3"};
  const std::vector<Machine> machines = changed_machines();
  for (const auto& row :
       testing::combinations({machines.size(), kRoutings.size(), kShapes.size()})) {
    const char* const shape = kShapes[row[2]];
    EXPECT_GT(finished_at(delay_case(shape, machines[row[0]], 1000, kRoutings[row[1]])), 0u)
        << shape;
  }
}

/// Three channels with room for one packet each limit what a link can send before tokens return.
TEST(RouterDelays, LeaveLinksIdleIfTokensReturnLate) {
  Machine late = testing::smallest_buffers();
  const Tick usual = finished_at(delay_case("3m", late, 24000));
  late.token_return_cycles = 10000;
  EXPECT_GT(finished_at(delay_case("3m", late, 24000)), 2 * usual);
}

TEST(RouterDelays, RunsAreSlowerIfPortsSendOnePacketAtATime) {
  Machine one_at_a_time = testing::smallest_buffers();
  const Tick usual = finished_at(delay_case("8x4", one_at_a_time));
  one_at_a_time.input_reads = 1;
  EXPECT_GT(finished_at(delay_case("8x4", one_at_a_time)), usual);
}

/// On a line packets cannot wait for each other in a cycle. So no packet waits for a million
/// cycles, after which it might escape to the bubble channel on the machine `patient`.
TEST(RouterDelays, KeepAdaptivePacketsOffTheBubbleChannelWhileTheyWait) {
  Machine patient = testing::smallest_buffers();
  EXPECT_GT(packets_in_bubbles(delay_case("9m", patient)), 0u);
  patient.escape_wait_cycles = 1'000'000;
  EXPECT_EQ(packets_in_bubbles(delay_case("9m", patient)), 0u);
}

TEST(RouterDelays, DoNotDelayDeterministicPackets) {
  ModelCase c = delay_case("4x4", testing::smallest_buffers(), 960, RoutingRule::deterministic);
  const Tick usual = finished_at(c);
  c.machine.escape_wait_cycles = 5000;
  EXPECT_EQ(finished_at(c), usual);
}

}  // namespace
}  // namespace toroid
