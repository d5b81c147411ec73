// The minimum and maximum of every parameter of a machine: results must not depend on the number of
// threads or on the network model.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/settings.hpp"
#include "router/sim/lean/lean_network.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/router/failure_of.hpp"
#include "tests/router/sim/model_case.hpp"
#include "tests/router/sim/sim_machine.hpp"
#include "tests/scale.hpp"

namespace toroid {
namespace {

using testing::by_the_general_model;
using testing::ModelCase;
using testing::outcome;
using testing::with_threads;

/// Even with links so slow that a packet takes 10^7 cycles, or processors so slow that a packet
/// takes 10^9, a run has few events: these tests run as fast as others.
constexpr const char* kExtremeShapes[] = {"3x2x2", "5m", "4x3"};
/// Shapes with enough packets to show a wrong order of events.
constexpr const char* kLargerShapes[] = {"4x4x4", "7", "2x3x2x2"};

bool is_consistent(const Machine& machine) {
  try {
    check_consistent(machine);
    return true;
  } catch (const BadInput&) {
    return false;
  }
}

/// Adjusts the parameters that would be inconsistent with an extreme value of another one.
void make_consistent(Machine& machine) {
  const unsigned entering = kMaxChunks + machine.bubble_reserve_chunks;
  machine.bubble_reserve_chunks = std::min(machine.bubble_reserve_chunks, 8192 - kMaxChunks);
  machine.bubble_vc_chunks = std::max(machine.bubble_vc_chunks, std::min(entering, 8192u));
  machine.priority_vc_chunks = std::max(machine.priority_vc_chunks, std::min(entering, 8192u));
  machine.arbitration_fullest = std::min(machine.arbitration_fullest, machine.arbitration_period);
  if (machine.dma_descriptor_cycles + machine.dma_receive_cycles > 0)
    machine.dma_inject_cycles = std::max(machine.dma_inject_cycles, 1u);
}

/// If the machine has a DMA engine, the engine moves the packets.
ModelCase case_of(const char* shape, const Machine& machine) {
  ModelCase c{shape, 500, {}, {}, machine};
  c.sim.dma = machine.has_dma_engine();
  if (c.sim.dma) c.node.transfer = TransferMode::put;
  return c;
}

bool is_served_by_both(const ModelCase& c) {
  return sim::LeanNetwork::serves(Shape::parse(c.shape), c.machine, c.sim.routing, nullptr);
}

void expect_one_result(const ModelCase& c, const std::string& what) {
  const auto one = outcome(with_threads(c, 1));
  EXPECT_EQ(one.second, "") << c.shape << ", " << what;
  for (const unsigned threads : {2u, 3u})
    EXPECT_EQ(outcome(with_threads(c, threads)), one)
        << c.shape << ", " << what << ", " << threads << " threads";
  if (is_served_by_both(c)) {
    EXPECT_EQ(outcome(by_the_general_model(c)), one) << c.shape << ", " << what << ", either model";
  }
}

std::string text_of(const Machine& machine) {
  std::string text;
  const Machine usual;
  for (const MachineField& field : machine_fields())
    if (value_of(machine, field) != value_of(usual, field))
      text += fmt::format("{} = {} ", field.key, value_of(machine, field));
  return text;
}

void expect_one_result_everywhere(Machine machine,
                                  std::span<const char* const> shapes = kExtremeShapes) {
  make_consistent(machine);
  ASSERT_TRUE(is_consistent(machine)) << text_of(machine);
  for (const char* shape : shapes) expect_one_result(case_of(shape, machine), text_of(machine));
}

TEST(MachineExtremes, OfOneParameterGiveEqualResultsOnAllThreadsAndModels) {
  const std::span<const char* const> shapes(kLargerShapes);
  std::vector<Machine> machines;
  for (const MachineField& field : machine_fields())
    for (const double value : {field.min, field.max})
      set_value(machines.emplace_back(), field, value);
  std::size_t turn = 0;  // in the landing set each machine gets one of the shapes
  for (const Machine& machine : testing::scaled(machines))
    expect_one_result_everywhere(
        machine, testing::is_thorough() ? shapes : shapes.subspan(turn++ % shapes.size(), 1));
}

/// Everything that takes time takes none, or as little as allowed.
TEST(MachineExtremes, OfAllTimesGiveEqualResultsOnAllThreadsAndModels) {
  Machine machine;
  for (const MachineField& field : machine_fields())
    if (field.unit == "cycles") set_value(machine, field, field.min);
  machine.link_bits_per_cycle = 1e5;
  expect_one_result_everywhere(machine);
  machine.dma_inject_cycles = 1;
  expect_one_result_everywhere(machine);
}

/// Each parameter keeps its default or becomes the minimum or the maximum.
Machine random_extremes(std::uint64_t seed) {
  Random random(seed);
  Machine machine;
  for (const MachineField& field : machine_fields())
    if (const unsigned choice = random.below(4); choice < 2)
      set_value(machine, field, choice == 0 ? field.min : field.max);
  return machine;
}

TEST(MachineExtremes, OfManyParametersGiveEqualResultsOnAllThreadsAndModels) {
  for (std::uint64_t seed = 1; seed <= testing::by_set(25u, 60u); ++seed) {
    SCOPED_TRACE(seed);
    expect_one_result_everywhere(random_extremes(seed));
  }
}

/// Computes for `cycles` cycles, twice.
Program compute_twice(Node& node, Tick cycles) {
  co_await node.compute(cycles);
  co_await node.compute(cycles);
}

std::string failure_of_computing(Tick cycles) {
  testing::SimMachine machine(Shape::parse("2"));
  return testing::failure_of(
      [&] { machine.run([cycles](Node& node) { return compute_twice(node, cycles); }); });
}

TEST(MachineExtremes, VirtualTimeEndsWithAnErrorBeforeItOverflows) {
  EXPECT_EQ(failure_of_computing(kLastTick / 2 - 100), "nothing failed");
  const std::string beyond = "virtual time would pass 2^62 cycles";
  EXPECT_NE(failure_of_computing(kLastTick / 2 + 1).find(beyond), std::string::npos);
  EXPECT_NE(failure_of_computing(~Tick{0}).find(beyond), std::string::npos);
}

/// Sleeps until a cycle.
Program sleep_until(Node& node, Tick when) {
  co_await node.sleep_until(when);
}

TEST(MachineExtremes, WakingAfterTheEndOfVirtualTimeIsRefused) {
  const auto failure = [](Tick when) {
    testing::SimMachine machine(Shape::parse("2"));
    return testing::failure_of(
        [&] { machine.run([when](Node& node) { return sleep_until(node, when); }); });
  };
  EXPECT_EQ(failure(kLastTick - 1000), "nothing failed");
  EXPECT_NE(failure(kLastTick + 1).find("virtual time would pass"), std::string::npos);
}

}  // namespace
}  // namespace toroid
