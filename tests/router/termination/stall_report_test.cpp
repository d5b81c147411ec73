// A run that cannot go on ends with a report of who waits for what.
#include <gtest/gtest.h>

#include <string>

#include "hal/check.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/failure_of.hpp"
#include "tests/router/sim/sim_machine.hpp"
#include "tests/router/termination/waiting_programs.hpp"

namespace toroid {
namespace {

using testing::enter_barrier;
using testing::failure_of;
using testing::MachineExchange;
using testing::SimMachine;
using testing::wait_for_three;

TEST(Stall, NamesTheWaitingNodeAndItsCounter) {
  SimMachine machine(Shape::parse("2x3"));
  const std::string text =
      failure_of([&] { machine.run([](Node& node) { return wait_for_three(node, 4); }); });
  EXPECT_NE(text.find("1 of 6 nodes wait"), std::string::npos) << text;
  EXPECT_NE(text.find("(1,1)"), std::string::npos) << text;
  EXPECT_NE(text.find("heard at 0 of 3"), std::string::npos) << text;
  EXPECT_EQ(text.find("deadlock"), std::string::npos) << text;
}

TEST(Stall, ReportsTheCounterValue) {
  SimMachine machine(Shape::parse("2x3"));
  machine.node(0).post(4, testing::kHandler, {});
  machine.node(5).post(4, testing::kHandler, {});
  const std::string text =
      failure_of([&] { machine.run([](Node& node) { return wait_for_three(node, 4); }); });
  EXPECT_NE(text.find("heard at 2 of 3"), std::string::npos) << text;
}

TEST(Stall, NamesABarrierThatOneNodeNeverEnters) {
  SimMachine machine(Shape::parse("5"));
  const std::string text =
      failure_of([&] { machine.run([](Node& node) { return enter_barrier(node, 2); }); });
  EXPECT_NE(text.find("the barrier"), std::string::npos) << text;
  EXPECT_NE(text.find("4 of 5 nodes wait"), std::string::npos) << text;
}

TEST(SimFabric, ReportsProgressAndStopsWhenTheCallbackThrows) {
  struct Stop {};
  SimOptions options;
  options.progress = [](const SimProgress&) { throw Stop(); };
  SimMachine machine(Shape::parse("4x4"), {}, options);
  MachineExchange exchange(machine, 240);
  EXPECT_THROW(exchange.run(), Stop);
}

TEST(SimFabric, RefusesMoreFifosThanItCanModel) {
  Machine machine;
  machine.injection_fifos = 14;
  EXPECT_NO_THROW(make_sim_fabric(Shape::parse("2x2x2x2x2x2"), machine));
  machine.injection_fifos = 15;
  EXPECT_THROW(make_sim_fabric(Shape::parse("2x2x2x2x2x2"), machine), BadInput);
}

}  // namespace
}  // namespace toroid
