// Exchanges by DMA engines on the model: a processor writes descriptors, and its engine moves the
// packets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "hal/bounds.hpp"
#include "hal/check.hpp"
#include "hal/counters.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/block_messages.hpp"
#include "packet/exchange/exchange.hpp"
#include "packet/exchange/group.hpp"
#include "packet/exchange/traffic_exchange.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/runner.hpp"
#include "packet/node/settings.hpp"
#include "packet/policies/policies.hpp"
#include "packet/policies/policy.hpp"
#include "packet/traffic/patterns.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/packet/exchange/known_blocks.hpp"
#include "tests/packet/exchange/plans.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/failure_of.hpp"
#include "tests/router/sim/sim_machine.hpp"

namespace toroid {
namespace {

using ::testing::HasSubstr;
using testing::kHandler;
using testing::MachineExchange;
using testing::SimMachine;

/// The Blue Gene/L with an engine whose costs are round numbers.
Machine with_engine() {
  Machine machine;
  machine.dma_descriptor_cycles = 100;
  machine.dma_inject_cycles = 40;
  machine.dma_receive_cycles = 30;
  return machine;
}

/// The same machine with the smallest buffers.
Machine with_small_buffers() {
  Machine machine = with_engine();
  machine.dynamic_vc_chunks = machine.injection_fifo_chunks = machine.reception_fifo_chunks = 8;
  machine.bubble_vc_chunks = machine.priority_vc_chunks = 16;
  return machine;
}

NodeOptions by_put() {
  return {.seed = 3, .packets_per_visit = 1, .transfer = TransferMode::put};
}

struct Took {
  Tick cycles;
  std::uint64_t hops;
  bool operator==(const Took&) const = default;
};

/// Runs an all-to-all and checks every byte that arrives.
Took exchanged(const char* torus, std::uint64_t bytes, const Machine& hardware,
               const NodeOptions& node = by_put(), unsigned threads = 1) {
  SCOPED_TRACE(torus);
  const bool dma = node.transfer != TransferMode::packets;
  SimMachine machine(Shape::parse(torus), node, {.threads = threads, .dma = dma}, hardware);
  MachineExchange exchange(machine, [&](Node& n) { return testing::known_blocks(n, bytes); });
  exchange.run();
  EXPECT_TRUE(machine.finished());
  for (Rank self = 0; self < machine.size(); ++self)
    testing::expect_known(dynamic_cast<BlockMessages&>(exchange.messages(self)), self,
                          machine.size());
  return {machine.finished_at(), machine.counters().packet_hops};
}

TEST(DmaExchange, CarriesEveryByteOnEveryShapeAndWithTheSmallestBuffers) {
  for (const char* torus : {"1", "2", "2m", "1x2", "7", "3x5", "4x1x3", "5x2x3", "2x2x2x3"})
    for (const std::uint64_t bytes : {1u, 240u, 1001u})
      for (const Machine& machine : {with_engine(), with_small_buffers()})
        exchanged(torus, bytes, machine);
}

TEST(DmaExchange, TakesTheSameCyclesOnEveryNumberOfThreads) {
  for (const char* torus : {"5x3x2", "4x4x4"}) {
    const Took one = exchanged(torus, 700, with_engine());
    for (const unsigned threads : {1u, 2u, 3u})
      EXPECT_EQ(exchanged(torus, 700, with_engine(), by_put(), threads), one);
  }
}

TEST(DmaExchange, EngineCostsDoNotAffectRunsInWhichProcessorsMoveThePackets) {
  NodeOptions in_packets = by_put();
  in_packets.transfer = TransferMode::packets;
  for (const char* torus : {"2", "3x5", "4x4x4"})
    EXPECT_EQ(exchanged(torus, 700, with_engine(), in_packets),
              exchanged(torus, 700, Machine(), in_packets));
}

/// Starts the exchange, computes for `computing` cycles and waits until it is complete.
Program exchange_and_compute(Node& node, Exchange* exchange, Tick computing, Tick* writing) {
  const Tick begin = node.now();
  exchange->start();
  *writing = node.now() - begin;
  co_await node.compute(computing);
  co_await exchange->wait();
}

struct TwoNodes {
  Tick writing;  ///< cycles for which the first node's processor writes descriptors
  Tick end;      ///< end of both programs
};

/// Two nodes with one link each way send each other `packets` full packets.
TwoNodes on_two_nodes(unsigned packets, Tick computing, TransferMode transfer) {
  NodeOptions node = by_put();
  node.transfer = transfer;
  const bool dma = transfer != TransferMode::packets;
  SimMachine machine(Shape::parse("2m"), node, {.dma = dma}, with_engine());
  const BlockMessages first(machine.shape(), 0, std::uint64_t{packets} * kPayloadBytes);
  const testing::PlanPointer plan = testing::plan_for(machine.node(0), first);
  std::unique_ptr<BlockMessages> messages[2];
  std::unique_ptr<Exchange> exchanges[2];
  for (Rank r = 0; r < 2; ++r) {
    messages[r] = testing::known_blocks(machine.node(r), std::uint64_t{packets} * kPayloadBytes);
    exchanges[r] = std::make_unique<Exchange>(machine.node(r), kHandler,
                                              Group::all(machine.shape(), r), *plan, *messages[r]);
  }
  Tick writing[2] = {};
  machine.run([&](Node& n) {
    return exchange_and_compute(n, exchanges[n.rank()].get(), computing, &writing[n.rank()]);
  });
  for (Rank r = 0; r < 2; ++r) testing::expect_known(*messages[r], r, 2);
  return {writing[0], machine.finished_at()};
}

TEST(DmaExchange, ChargesTheProcessorPerMessageAndTheEnginePerPacket) {
  constexpr Tick kDescriptor = 100, kInject = 40, kReceive = 30, kHop = 69, kWire = 1080;
  for (const unsigned packets : {1u, 2u, 5u, 50u}) {
    const TwoNodes two = on_two_nodes(packets, 0, TransferMode::put);
    EXPECT_EQ(two.writing, kDescriptor);
    EXPECT_EQ(two.end, kDescriptor + kInject + kHop + packets * kWire + kReceive) << packets;
  }
}

TEST(DmaExchange, GoesOnWhileTheProcessorComputes) {
  constexpr unsigned kPackets = 50;
  const Tick alone = on_two_nodes(kPackets, 0, TransferMode::put).end;
  constexpr Tick kDescriptor = 100;
  constexpr Tick kWithinTheLastTurn = 15;  // before the engine's last turn ends at `alone`
  for (const Tick computing :
       {Tick{1000}, alone / 2, alone - kDescriptor - kWithinTheLastTurn, alone, 3 * alone}) {
    EXPECT_EQ(on_two_nodes(kPackets, computing, TransferMode::put).end,
              std::max(alone, kDescriptor + computing));
  }
  const Tick in_packets = on_two_nodes(kPackets, alone, TransferMode::packets).end;
  EXPECT_GT(in_packets, alone + alone / 2);
}

TEST(DmaExchange, ComesNearTheLinkBoundWherePacketsOfSlowProcessorsDoNot) {
  Machine slow = with_engine();
  slow.inject_cycles = slow.receive_cycles = 1000;
  constexpr std::uint64_t kBytes = 2400;
  const Shape shape = Shape::parse("4x4x4");
  const Tick bound = all_to_all_bounds(slow, shape, message_cost(slow, kBytes)).hottest_link;
  NodeOptions in_packets = by_put();
  in_packets.transfer = TransferMode::packets;
  const Tick put = exchanged("4x4x4", kBytes, slow).cycles;
  EXPECT_GE(put, bound);
  EXPECT_LT(put, bound * 11 / 10);
  EXPECT_GT(exchanged("4x4x4", kBytes, slow, in_packets).cycles, 2 * bound);
}

TEST(DmaExchange, IsLimitedByAnEngineSlowerThanTheLinks) {
  Machine slow = with_engine();
  slow.dma_inject_cycles = 600;
  slow.dma_receive_cycles = 500;
  constexpr std::uint64_t kBytes = 2400;
  const Shape shape = Shape::parse("4x4x4");
  const Bounds bounds = bounds_by_engines(
      all_to_all_bounds(moved_by_engines(slow), shape, message_cost(slow, kBytes)), slow, 63);
  EXPECT_EQ(bounds.engine, 63u * 10 * 1100);
  EXPECT_EQ(bounds.processor, 63u * 100);
  EXPECT_EQ(bounds.max(), bounds.engine);
  const Tick took = exchanged("4x4x4", kBytes, slow).cycles;
  EXPECT_GE(took, bounds.engine);
  EXPECT_LT(took, bounds.engine * 11 / 10);
}

/// Time of an exchange under a policy. Its data is checked where it arrives.
Tick under(const Policy& policy, const SettingChanges& changes, unsigned threads = 1) {
  const Shape shape = Shape::parse("4x3x2");
  const auto traffic = make_traffic("all-to-all", shape, 700, 1);
  TrafficExchange exchange(policy, *traffic, shape, with_engine(),
                           {.payload = true,
                            .changes = changes,
                            .transfer = TransferMode::automatic,
                            .packets_per_visit = 1});
  const auto fabric = make_sim_fabric(shape, with_engine(), {.threads = threads, .dma = true});
  Runner runner(*fabric, exchange.node_options());
  for (Node& node : runner.nodes()) exchange.attach(node);
  runner.run();
  exchange.check();
  return exchange.last_arrival();
}

TEST(DmaExchange, LosesNothingUnderAnyPolicy) {
  for (const Policy* policy : built_in_policies()) {
    SCOPED_TRACE(policy->name());
    EXPECT_EQ(under(*policy, {}, 3), under(*policy, {}));
  }
}

TEST(DmaExchange, SchedulesDescriptorsByOrderVisitsQueuesThrottleAndWindow) {
  const Policy& random = policy_by_name("random");
  const Tick usual = under(random, {});
  EXPECT_NE(under(random, {.order = OrderRule::rank}), usual);
  EXPECT_NE(under(random, {.packets_per_visit = 3}), usual);
  EXPECT_NE(under(random, {.output_queues = 4}), usual);
  EXPECT_GE(under(random, {.cycles_per_packet = 1000}), 68u * 1000);
  EXPECT_GT(under(random, {.window = 1}), 68u * (1080 + 69));
}

Program start_if_first(Node& node, Exchange* exchange) {
  if (node.rank() != 0) co_return;
  exchange->start();
  co_await exchange->wait();
}

TEST(DmaExchange, ReportsANodeWhosePeerNeverStarts) {
  SimMachine machine(Shape::parse("2"), by_put(), {.dma = true}, with_engine());
  const BlockMessages first(machine.shape(), 0, 480);
  const testing::PlanPointer plan = testing::plan_for(machine.node(0), first);
  BlockMessages messages[2] = {{machine.shape(), 0, 480}, {machine.shape(), 1, 480}};
  Exchange exchanges[2] = {
      {machine.node(0), kHandler, Group::all(machine.shape(), 0), *plan, messages[0]},
      {machine.node(1), kHandler, Group::all(machine.shape(), 1), *plan, messages[1]}};
  const std::string failure = testing::failure_of(
      [&] { machine.run([&](Node& n) { return start_if_first(n, &exchanges[n.rank()]); }); });
  EXPECT_THAT(failure, HasSubstr("1 of 2 nodes wait; node (0) waits for"));
  EXPECT_THAT(failure, HasSubstr("at 0 of 2"));
}

TEST(DmaExchange, NeedsAMachineWithAnEngine) {
  EXPECT_THROW((void)make_sim_fabric(Shape::parse("2"), Machine(), {.dma = true}), BadInput);
}

}  // namespace
}  // namespace toroid
