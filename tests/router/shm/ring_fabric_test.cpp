// Construction, runs and destruction of a fabric of rings, and the machines that it refuses.
#include <gtest/gtest.h>

#include <future>
#include <utility>

#include "hal/check.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "router/placement/host_topology.hpp"
#include "router/placement/placement.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/shm/ring_machine.hpp"

namespace toroid {
namespace {

using testing::MachineExchange;
using testing::RingMachine;

TEST(RingFabric, CanBeDestroyedWithoutARun) {
  for (const RingRoute route : testing::kRoutes)
    for (const unsigned threads : testing::kWorkers) {
      testing::ring_fabric(Shape::parse("3x3"), threads, testing::routed(route));
      RingMachine machine(Shape::parse("3x3"), threads, {}, testing::routed(route));
      machine.node(0).post(4, testing::kHandler, {});
      EXPECT_EQ(machine.counters().packets, 0u);
    }
}

TEST(RingFabric, ReportsItsShapeAndMachine) {
  Machine machine;
  machine.name = "a name";
  const auto fabric = testing::ring_fabric(Shape::parse("3x2m"), 2, {}, machine);
  EXPECT_EQ(fabric->shape(), Shape::parse("3x2m"));
  EXPECT_EQ(fabric->machine().name, "a name");
  for (Rank r = 0; r < 6; ++r) {
    EXPECT_EQ(fabric->device(r).rank(), r);
    EXPECT_EQ(fabric->device(r).shape(), fabric->shape());
    EXPECT_EQ(fabric->device(r).machine().name, "a name");
  }
}

TEST(RingFabric, RunsWithMoreWorkersThanNodes) {
  for (const RingRoute route : testing::kRoutes)
    for (const char* shape : {"1", "2", "3"}) {
      RingMachine machine(Shape::parse(shape), 64, {}, testing::routed(route));
      MachineExchange(machine, 500).run();
      EXPECT_TRUE(machine.finished()) << shape;
    }
}

TEST(RingFabric, RunsProgramsThatDoNothing) {
  for (const RingRoute route : testing::kRoutes)
    for (const unsigned threads : testing::kWorkers) {
      RingMachine machine(Shape::parse("3x3"), threads, {}, testing::routed(route));
      machine.run([](Node&) { return Program(); });
      EXPECT_EQ(machine.counters().packets, 0u);
    }
}

TEST(RingFabric, RunsOnWorkersThatCannotBeBound) {
  const Shape shape = Shape::parse("2x2");
  Placement placement = testing::workers(shape, 3);
  for (WorkerPlace& worker : placement.workers) worker.pus = {100000};
  testing::EmulatedMachine machine(make_ring_fabric(shape, Machine(), std::move(placement)));
  MachineExchange(machine, 500).run();
  EXPECT_EQ(machine.counters().delivered, 4u * 3 * 3);
}

TEST(RingFabric, RunsOnBoundWorkers) {
  const Shape shape = Shape::parse("3x3");
  for (const unsigned threads : testing::kWorkers) {
    const HostTopology topology = HostTopology::of_this_machine();
    testing::EmulatedMachine machine(
        make_ring_fabric(shape, Machine(), place(topology, shape, threads, Binding::core)));
    MachineExchange(machine, 500).run();
    EXPECT_EQ(machine.counters().delivered, 9u * 8 * 3);
  }
}

/// Two fabrics at a time, each run by its own thread.
TEST(RingFabric, RunsConcurrentlyWithAnother) {
  const auto run = [](const char* shape) {
    RingMachine machine(Shape::parse(shape), 2);
    MachineExchange(machine, 2000).run();
    return machine.counters().delivered;
  };
  auto other = std::async(std::launch::async, run, "4x4");
  EXPECT_EQ(run("3x3"), 9u * 8 * 9);
  EXPECT_EQ(other.get(), 16u * 15 * 9);
}

TEST(RingFabric, RefusesMoreFifosThanItCanHold) {
  const Shape shape = Shape::parse("2x2x2x2x2x2");
  Machine machine;
  machine.injection_fifos = 16;
  machine.priority_injection_fifos = 0;  // these count too
  EXPECT_NO_THROW(testing::ring_fabric(shape, 2, {}, machine));
  machine.injection_fifos = 17;
  EXPECT_THROW(testing::ring_fabric(shape, 2, {}, machine), BadInput);
}

}  // namespace
}  // namespace toroid
