// Virtual time as programs see it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "hal/check.hpp"
#include "hal/machine.hpp"
#include "hal/output_queues.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/runner.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/sim/sim_machine.hpp"

namespace toroid {
namespace {

using testing::kHandler;
using testing::SimMachine;

Program compute_and_note(Node& node, const std::vector<Tick>* cycles, std::vector<Tick>* times) {
  times->push_back(node.now());
  for (const Tick c : *cycles) {
    co_await node.compute(c);
    times->push_back(node.now());
  }
}

TEST(Compute, AdvancesTimeByExactlyItsCycles) {
  const std::vector<Tick> cycles = {1, 2, 1000, 0, 0, 3, 1'000'000'007, 2048, 2047, 1};
  SimMachine machine(Shape::parse("1"));
  std::vector<Tick> times;
  machine.run([&](Node& node) { return compute_and_note(node, &cycles, &times); });
  ASSERT_EQ(times.size(), cycles.size() + 1);
  EXPECT_EQ(times[0], 0u);
  for (std::size_t i = 0; i < cycles.size(); ++i) EXPECT_EQ(times[i + 1] - times[i], cycles[i]);
  EXPECT_EQ(machine.finished_at(), times.back());
}

TEST(Compute, OnOneNodeDoesNotDelayAnother) {
  SimMachine machine(Shape::parse("3"));
  const std::vector<std::vector<Tick>> cycles = {{100}, {200}, {300}};
  std::vector<std::vector<Tick>> times(3);
  machine.run([&](Node& node) {
    return compute_and_note(node, &cycles[node.rank()], &times[node.rank()]);
  });
  for (Rank r = 0; r < 3; ++r) EXPECT_EQ(machine.node(r).finished_at(), 100 * (r + 1));
}

Program compute_and_send(Node& node, Tick cycles, Rank to) {
  co_await node.compute(cycles);
  co_await node.send(to, kHandler, cycles);
}

Program wait_for_two(Node& node, Tick* woken) {
  Counter heard("heard");
  node.on(kHandler, [&](const Packet&) { heard.bump(); });
  co_await node.until(heard, 0);
  TOROID_CHECK_EQ(node.now(), 0u);
  co_await node.until(heard, 2);
  *woken = node.now();
  TOROID_CHECK_EQ(heard.value(), 2u);
  co_await node.until(heard, 1);  // the counter reached 1 long ago, so this does not wait
  TOROID_CHECK_EQ(node.now(), *woken);
  co_await node.until(heard, 3);
}

TEST(Until, WaitsForTheCounterAndNoLonger) {
  SimMachine machine(Shape::parse("2x2"));
  Tick woken = 0;
  machine.run([&](Node& node) {
    return node.rank() == 0 ? wait_for_two(node, &woken)
                            : compute_and_send(node, 10000 * node.rank(), 0);
  });
  // The second packet comes from the neighbour that computed for 20,000 cycles.
  EXPECT_EQ(woken, 20000 + 150 + 69 + 46 * 4 + 200u);
  EXPECT_EQ(machine.node(0).finished_at(), 30000 + 150 + 2 * 69 + 46 * 4 + 200u);
}

Program sleep_and_note(Node& node, const std::vector<Tick>* until, std::vector<Tick>* times) {
  for (const Tick t : *until) {
    co_await node.sleep_until(t);
    times->push_back(node.now());
  }
}

TEST(Sleep, EndsAtItsCycleWhetherItIsNearFarOrPast) {
  const std::vector<Tick> until = {0, 1, 2, 5000, 4999, 5000, 1'000'000'007, 1'000'002'055};
  SimMachine machine(Shape::parse("1"));
  std::vector<Tick> times;
  machine.run([&](Node& node) { return sleep_and_note(node, &until, &times); });
  const std::vector<Tick> expected = {0, 1, 2, 5000, 5000, 5000, 1'000'000'007, 1'000'002'055};
  EXPECT_EQ(times, expected);
}

TEST(Sleep, LeavesTheProcessorToPacketsMeanwhile) {
  const std::vector<Tick> until = {50000};
  SimMachine machine(Shape::parse("2"));
  std::vector<Tick> times;
  std::vector<Tick> heard;
  machine.node(0).on(kHandler, [&](const Packet&) { heard.push_back(machine.node(0).now()); });
  machine.run([&](Node& node) {
    return node.rank() == 0 ? sleep_and_note(node, &until, &times)
                            : compute_and_send(node, 10000, 0);
  });
  EXPECT_EQ(heard, std::vector<Tick>{10000 + 150 + 69 + 46 * 4 + 200});
  EXPECT_EQ(times, until);
}

TEST(Sleep, OnABusyProcessorEndsWhenItIsFree) {
  const std::vector<Tick> until = {10450};
  SimMachine machine(Shape::parse("2"));
  std::vector<Tick> times;
  machine.node(0).on(kHandler, [](const Packet&) {});
  machine.run([&](Node& node) {
    return node.rank() == 0 ? sleep_and_note(node, &until, &times)
                            : compute_and_send(node, 10000, 0);
  });
  // The packet arrives at 10403 and is being received until 10603.
  EXPECT_EQ(times, std::vector<Tick>{10000 + 150 + 69 + 46 * 4 + 200});
}

TEST(Counter, CountsByOneOrMore) {
  Counter counter("arrivals");
  EXPECT_EQ(counter.value(), 0u);
  counter.bump();
  counter.bump(41);
  EXPECT_EQ(counter.value(), 42u);
  EXPECT_EQ(counter.name(), "arrivals");
}

/// Has something to queue from cycle `due` on. Notes the times at which it is asked for it.
class Later final : public Outgoing {
 public:
  Later(Node& node, Tick due) : node_(&node), due_(due) {}
  bool fill(OutputQueues&) override {
    asked_.push_back(node_->now());
    return node_->now() >= due_;
  }
  NextLook next_look() override {
    return due_ > node_->now() ? NextLook::at(due_) : NextLook::at_once();
  }
  const std::vector<Tick>& asked() const { return asked_; }

 private:
  Node* node_;
  Tick due_;
  std::vector<Tick> asked_;
};

Program compute_after_posting(Node& node, Outgoing& later, Tick cycles) {
  node.post(later);
  co_await node.progress();
  co_await node.compute(cycles);
}

TEST(Outgoing, IsAskedAgainWhenItsTimeComesEvenWithinATurn) {
  for (const Tick cycles : {Tick{10}, Tick{2000}}) {
    const auto fabric = make_sim_fabric(Shape::parse("1"), Machine{});
    Runner runner(*fabric);
    Node& node = runner.nodes().front();
    Later later(node, 500);
    node.run(compute_after_posting(node, later, cycles));
    runner.run();
    EXPECT_GE(later.asked().back(), 500u);
    EXPECT_LE(later.asked().back(), std::max<Tick>(500, cycles) + 10) << cycles;
  }
}

}  // namespace
}  // namespace toroid
