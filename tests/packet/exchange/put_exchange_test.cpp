// Exchanges whose messages move by put, from array to array.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hal/check.hpp"
#include "hal/counters.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/block_messages.hpp"
#include "packet/exchange/exchange.hpp"
#include "packet/exchange/exchange_plan.hpp"
#include "packet/exchange/group.hpp"
#include "packet/exchange/traffic_exchange.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/settings.hpp"
#include "packet/policies/policies.hpp"
#include "packet/traffic/patterns.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tests/packet/exchange/known_blocks.hpp"
#include "tests/packet/exchange/plans.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/failure_of.hpp"
#include "tests/router/shm/ring_machine.hpp"
#include "tests/scale.hpp"

namespace toroid {
namespace {

using ::testing::HasSubstr;
using testing::kHandler;
using testing::MachineExchange;
using testing::RingMachine;

constexpr std::uint32_t kWhole = 1u << 20;

NodeOptions moving_by(TransferMode transfer, std::uint32_t packets_per_visit = kWhole) {
  return {.seed = 3, .packets_per_visit = packets_per_visit, .transfer = transfer};
}

/// Runs an all-to-all and checks every byte that arrives. Returns the counters.
FabricCounters exchanged(const char* torus, std::uint64_t bytes, const NodeOptions& node,
                         unsigned threads = 2) {
  RingMachine machine(Shape::parse(torus), threads, node, testing::routed(RingRoute::direct));
  MachineExchange exchange(machine, [&](Node& n) { return testing::known_blocks(n, bytes); });
  exchange.run();
  EXPECT_TRUE(machine.finished());
  for (Rank self = 0; self < machine.size(); ++self)
    testing::expect_known(dynamic_cast<BlockMessages&>(exchange.messages(self)), self,
                          machine.size());
  return machine.counters();
}

TEST(PutExchange, MovesEveryMessageInOneDescriptorAndCopiesEachByteOnce) {
  for (const char* torus : {"2", "5", "2x3", "1x3x2"})
    for (const std::uint64_t bytes : {1u, 240u, 1000u, 70'001u}) {
      const FabricCounters counters = exchanged(torus, bytes, moving_by(TransferMode::put));
      const std::uint64_t nodes = Shape::parse(torus).size();
      const std::uint64_t pairs = nodes * (nodes - 1);
      EXPECT_EQ(counters.puts, pairs);
      EXPECT_EQ(counters.put_bytes, pairs * bytes);
      EXPECT_EQ(counters.packet_bytes, 0u);
      EXPECT_EQ(counters.packets, pairs * ((bytes + 239) / 240));
      EXPECT_EQ(counters.delivered, counters.packets);
    }
}

TEST(PutExchange, CutsMessagesIntoPutsOfBPackets) {
  const FabricCounters counters =
      exchanged("3", std::uint64_t{5} * 240, moving_by(TransferMode::put, 2));
  EXPECT_EQ(counters.puts, 6u * 3);
  EXPECT_EQ(counters.put_bytes, 6u * 5 * 240);
}

TEST(PutExchange, LeavesShortMessagesInPacketsByDefault) {
  const FabricCounters brief = exchanged("4", 7u * 240, moving_by(TransferMode::automatic));
  EXPECT_EQ(brief.puts, 0u);
  EXPECT_EQ(brief.packet_bytes, 12u * 7 * 240);
  const FabricCounters longer = exchanged("4", 9000, moving_by(TransferMode::automatic));
  EXPECT_EQ(longer.puts, 12u);
  EXPECT_EQ(longer.packet_bytes, 0u);
  const FabricCounters in_packets = exchanged("4", 9000, moving_by(TransferMode::packets));
  EXPECT_EQ(in_packets.puts, 0u);
  EXPECT_EQ(in_packets.packets, longer.packets);
}

TEST(PutExchange, NeverHasMorePacketsUnacknowledgedThanItsWindow) {
  NodeOptions node = moving_by(TransferMode::put);
  node.settings.throttle.window = 4;
  node.named_queues = 1;
  const FabricCounters counters = exchanged("3", std::uint64_t{10} * 240, node);
  EXPECT_GE(counters.puts, 6u * 3);  // 10 packets in puts of at most 4
}

TEST(PutExchange, ManyMoreDescriptorsThanTheQueuesHoldArrive) {
  for (const unsigned threads : {1u, 2u, 3u})
    EXPECT_EQ(
        exchanged("2x2x2", std::uint64_t{240} * 120, moving_by(TransferMode::put, 1), threads).puts,
        56u * 120);
}

/// A node overwrites its outgoing data as soon as its own part of the exchange is complete.
Program exchange_new_data(Node& node, Exchange* exchange, BlockMessages* blocks, unsigned rounds) {
  for (unsigned round = 0; round < rounds; ++round) {
    testing::fill_known(*blocks, node.rank(), node.size(), round);
    exchange->start();
    co_await exchange->wait();
    testing::fill_known(*blocks, node.rank(), node.size(), 99);
    testing::expect_known(*blocks, node.rank(), node.size(), round);
    co_await node.barrier();
  }
}

TEST(PutExchange, IsCompleteOnlyWhenItsArrayMayBeOverwritten) {
  constexpr unsigned kRounds = 20;
  for (const unsigned threads : {1u, 2u, 5u}) {
    RingMachine machine(Shape::parse("5"), threads, moving_by(TransferMode::put),
                        testing::routed(RingRoute::direct));
    std::vector<std::unique_ptr<BlockMessages>> blocks;
    for (Rank r = 0; r < machine.size(); ++r)
      blocks.push_back(testing::known_blocks(machine.node(r), 5000));
    const auto plan = testing::plan_for(machine.node(0), *blocks[0]);
    std::vector<std::unique_ptr<Exchange>> exchanges;
    for (Rank r = 0; r < machine.size(); ++r)
      exchanges.push_back(std::make_unique<Exchange>(
          machine.node(r), kHandler, Group::all(machine.shape(), r), *plan, *blocks[r]));
    machine.run([&](Node& node) {
      return exchange_new_data(node, exchanges[node.rank()].get(), blocks[node.rank()].get(),
                               kRounds);
    });
    EXPECT_TRUE(machine.finished());
    EXPECT_EQ(machine.counters().puts, kRounds * 20u);
  }
}

/// Two exchanges, each started when the other is complete.
Program take_turns(Node& node, Exchange* first, Exchange* second, unsigned rounds) {
  for (unsigned round = 0; round < rounds; ++round) {
    Exchange* exchange = round % 2 == 0 ? first : second;
    exchange->start();
    co_await exchange->wait();
  }
  co_await node.barrier();
}

TEST(PutExchange, AlternatesPacketsAndPutsUnderAWindow) {
  const unsigned rounds = 2 * testing::by_set(250u, 1000u);
  NodeOptions node = moving_by(TransferMode::automatic);
  node.settings.throttle.window = 5;
  node.named_queues = 1;
  RingMachine machine(Shape::parse("3"), 2, node, testing::routed(RingRoute::direct));
  std::vector<std::unique_ptr<BlockMessages>> blocks;
  for (Rank r = 0; r < 6; ++r)
    blocks.push_back(testing::known_blocks(machine.node(r % 3), r < 3 ? 2640 : 1000));
  const auto plan = testing::plan_for(machine.node(0), *blocks[0]);
  std::vector<std::unique_ptr<Exchange>> exchanges;
  for (Rank r = 0; r < 6; ++r)
    exchanges.push_back(std::make_unique<Exchange>(
        machine.node(r % 3), static_cast<HandlerId>(kHandler + 2 * (r / 3)),
        Group::all(machine.shape(), r % 3), *plan, *blocks[r]));
  machine.run([&](Node& n) {
    return take_turns(n, exchanges[n.rank()].get(), exchanges[n.rank() + 3].get(), rounds);
  });
  EXPECT_TRUE(machine.finished());
  EXPECT_EQ(machine.counters().put_bytes, 6u * 2640 * (rounds / 2));
}

TEST(PutExchange, SendsWholeMessagesUnlessThePolicyThrottlesReordersRelaysOrCombines) {
  const Shape shape = Shape::parse("4x4");
  const auto traffic = make_traffic("all-to-all", shape, 3000, 1);
  const auto per_visit = [&](const char* name) {
    return settings_of(policy_by_name(name), {}, kPutPacketsPerVisit, {shape, Machine{}, *traffic})
        .packets_per_visit;
  };
  for (const char* name : {"random", "rank", "farthest-first", "windowed:16"})
    EXPECT_EQ(per_visit(name), kPutPacketsPerVisit) << name;
  for (const char* name : {"throttled:100", "two-phase", "bruck", "random-rounds"})
    EXPECT_LE(per_visit(name), kCarriedPacketsPerVisit) << name;
}

TEST(PutExchange, DeliversEveryTrafficUnderEveryPolicyThatSendsStraight) {
  const Shape shape = Shape::parse("3x3");
  for (const char* pattern : {"all-to-all", "neighbour", "hotspot", "transpose"})
    for (const Policy* policy : built_in_policies()) {
      if (policy->stages(shape) > 1 || policy->combines() || policy->has_releases()) continue;
      SCOPED_TRACE(std::string(pattern) + " under " + std::string(policy->name()));
      const auto traffic = make_traffic(pattern, shape, 3000, 1);
      TrafficExchange exchange(*policy, *traffic, shape, Machine{},
                               {.payload = true, .transfer = TransferMode::put});
      RingMachine machine(shape, 2, exchange.node_options(), testing::routed(RingRoute::direct));
      for (const Rank r : machine.ranks()) exchange.attach(machine.node(r));
      machine.fabric().run();
      exchange.check();
      EXPECT_GT(machine.counters().puts, 0u);
      EXPECT_EQ(machine.counters().delivered, machine.counters().packets);
    }
}

TEST(PutExchange, RefusesPoliciesThatSendByWayOfOtherNodes) {
  const Shape shape = Shape::parse("4x4");
  const auto traffic = make_traffic("all-to-all", shape, 3000, 1);
  for (const char* name : {"two-phase", "valiant", "bruck"}) {
    TrafficExchange exchange(policy_by_name(name), *traffic, shape, Machine{},
                             {.payload = true, .transfer = TransferMode::put});
    RingMachine machine(shape, 1, exchange.node_options(), testing::routed(RingRoute::direct));
    EXPECT_THAT([&] { exchange.attach(machine.node(0)); },
                ::testing::ThrowsMessage<BadInput>(HasSubstr(name)));
  }
}

Program start_only(Node&, Exchange* exchange) {
  if (exchange != nullptr) exchange->start();
  co_return;
}

TEST(PutExchange, PutForAnExchangeThatTheNodeHasNotMadeEndsTheRun) {
  RingMachine machine(Shape::parse("2"), 2, moving_by(TransferMode::put),
                      testing::routed(RingRoute::direct));
  const auto blocks = testing::known_blocks(machine.node(0), 5000);
  const auto plan = testing::plan_for(machine.node(0), *blocks);
  Exchange exchange(machine.node(0), kHandler, Group::all(machine.shape(), 0), *plan, *blocks);
  const std::string failure = testing::failure_of([&] {
    machine.run(
        [&](Node& node) { return start_only(node, node.rank() == 0 ? &exchange : nullptr); });
  });
  EXPECT_THAT(failure, HasSubstr("(1)"));
  EXPECT_THAT(failure, HasSubstr("window 16"));
}

}  // namespace
}  // namespace toroid
