// Puts and gets between windows, compared with a plain loop over bytes.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <array>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "hal/counters.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/window.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/handlers.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/settings.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tests/packet/exchange/window_world.hpp"
#include "tests/pairwise.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/shm/ring_machine.hpp"
#include "tests/router/sim/sim_machine.hpp"
#include "tests/router/smallest_buffers.hpp"

namespace toroid {
namespace {

using testing::Bytes;
using testing::RingMachine;
using testing::SimMachine;
using testing::take_all_steps;

NodeOptions moved_by(TransferMode transfer) {
  return {.seed = 3, .transfer = transfer};
}

Machine with_dma(Machine machine = {}) {
  machine.dma_descriptor_cycles = 100;
  machine.dma_inject_cycles = 40;
  machine.dma_receive_cycles = 30;
  return machine;
}

constexpr const char* kWindowShapes[] = {"1", "2", "2m", "1x3", "5", "3x2x2"};

TEST(Window, MatchesALoopOverBytesOnTheModel) {
  for (const char* torus : kWindowShapes)
    for (const Machine& machine : {Machine(), testing::smallest_buffers()})
      for (const std::uint64_t seed : {1u, 2u, 3u}) {
        SCOPED_TRACE(std::string(torus) + " seed " + std::to_string(seed));
        SimMachine sim(Shape::parse(torus), {}, {}, machine);
        take_all_steps(sim, seed, 6000);
      }
}

TEST(Window, MatchesALoopOverBytesWithDmaEngines) {
  for (const char* torus : kWindowShapes)
    for (const Machine& machine : {with_dma(), with_dma(testing::smallest_buffers())})
      for (const std::uint64_t seed : {1u, 2u, 3u}) {
        SCOPED_TRACE(std::string(torus) + " seed " + std::to_string(seed));
        SimMachine sim(Shape::parse(torus), moved_by(TransferMode::put), {.dma = true}, machine);
        take_all_steps(sim, seed, 6000);
      }
}

TEST(Window, TakesTheSameCyclesOnEveryNumberOfThreads) {
  for (const bool dma : {false, true}) {
    std::vector<Tick> ends;
    for (const unsigned threads : {1u, 1u, 2u, 3u}) {
      SimMachine sim(Shape::parse("4x3x2"),
                     moved_by(dma ? TransferMode::put : TransferMode::packets),
                     {.threads = threads, .dma = dma}, with_dma());
      take_all_steps(sim, 7, 2000);
      ends.push_back(sim.finished_at());
    }
    EXPECT_THAT(ends, ::testing::Each(ends.front()));
  }
}

TEST(Window, MatchesALoopOverBytesOnRingsByPutAndInPackets) {
  constexpr std::array kTransfers = {TransferMode::automatic, TransferMode::put,
                                     TransferMode::packets};
  for (const auto& row : testing::combinations(
           {std::size(kWindowShapes), testing::kRoutes.size(), kTransfers.size(), 3})) {
    const char* const torus = kWindowShapes[row[0]];
    const auto workers = static_cast<unsigned>(1 + row[3]);
    SCOPED_TRACE(fmt::format("{} by {} with {} workers", torus, row[2], workers));
    RingMachine rings(Shape::parse(torus), workers, moved_by(kTransfers[row[2]]),
                      testing::routed(testing::kRoutes[row[1]]));
    take_all_steps(rings, workers, 5000);
  }
}

TEST(Window, MatchesALoopOverBytesOnTheSmallestRings) {
  for (const RingRoute route : testing::kRoutes)
    for (const std::uint64_t seed : {1u, 2u}) {
      RingMachine rings(Shape::parse("3x2"), 2, {}, testing::routed(route),
                        testing::smallest_buffers());
      take_all_steps(rings, seed, 5000);
    }
}

class SmallWindows {
 public:
  /// `all`: the memory of each node's window.
  SmallWindows(testing::EmulatedMachine& machine, std::vector<Bytes> all) : memory(std::move(all)) {
    for (Rank r = 0; r < machine.size(); ++r) windows.emplace_back(machine.node(r), memory[r]);
  }
  /// A window of `bytes` bytes on every node.
  SmallWindows(testing::EmulatedMachine& machine, std::size_t bytes)
      : SmallWindows(machine, std::vector<Bytes>(machine.size(), Bytes(bytes))) {}
  std::vector<Bytes> memory;
  std::deque<Window> windows;
};

Program flood(Node& node, SmallWindows* all, Bytes* block, unsigned puts) {
  Window& window = all->windows[node.rank()];
  for (unsigned n = 0; n < puts; ++n)
    for (Rank to = 0; to < node.size(); ++to)
      if (to != node.rank())
        window.put(to, node.rank() * block->size(), *block,
                   n % 2 == 0 ? Acknowledge::yes : Acknowledge::no);
  const std::uint64_t bytes = std::uint64_t{puts} * block->size() * (node.size() - 1);
  co_await window.arrived(bytes);
  co_await window.complete();
}

TEST(Window, ThousandsOfPutsAtOnceInAllDirectionsArriveAndAreAcknowledged) {
  constexpr unsigned kPuts = 300;
  const auto run = [](testing::EmulatedMachine& machine) {
    Bytes block(3000, std::byte{7});
    SmallWindows all(machine, machine.size() * block.size());
    machine.run([&](Node& node) { return flood(node, &all, &block, kPuts); });
    for (Rank r = 0; r < machine.size(); ++r) {
      EXPECT_EQ(all.windows[r].bytes_arrived().value(), kPuts * 3000u * (machine.size() - 1));
      for (std::size_t at = 0; at < all.memory[r].size(); ++at)
        ASSERT_EQ(all.memory[r][at], at / 3000 == r ? std::byte{0} : std::byte{7});
    }
  };
  for (const RingRoute route : testing::kRoutes) {
    RingMachine rings(Shape::parse("3"), 2, {}, testing::routed(route));
    run(rings);
  }
  SimMachine sim(Shape::parse("3"));
  run(sim);
  SimMachine dma(Shape::parse("3"), moved_by(TransferMode::put), {.dma = true}, with_dma());
  run(dma);
}

/// Puts, and gets the same bytes back as soon as the put is acknowledged.
Program put_and_get_back(Node& node, SmallWindows* all, unsigned rounds) {
  Window& window = all->windows[node.rank()];
  const Rank to = (node.rank() + 1) % node.size();
  Bytes there(all->memory[0].size());
  for (unsigned round = 1; round <= rounds; ++round) {
    Bytes here(there.size(), static_cast<std::byte>(node.rank() + round));
    const PendingPut put = window.put(to, 0, here, Acknowledge::yes);
    co_await put.remote();
    WindowAwaiter got = window.get(to, 0, there);
    co_await got;
    TOROID_CHECK(there == here);
  }
}

TEST(Window, AcknowledgedPutIsInPlace) {
  constexpr unsigned kRounds = 50;
  for (const std::size_t bytes : {8u, 216u, 217u, 5000u}) {
    for (const RingRoute route : testing::kRoutes)
      for (const unsigned workers : {1u, 2u}) {
        RingMachine rings(Shape::parse("3"), workers, {}, testing::routed(route));
        SmallWindows all(rings, bytes);
        rings.run([&](Node& node) { return put_and_get_back(node, &all, kRounds); });
        EXPECT_TRUE(rings.finished());
      }
    SimMachine sim(Shape::parse("3"));
    SmallWindows all(sim, bytes);
    sim.run([&](Node& node) { return put_and_get_back(node, &all, kRounds); });
    EXPECT_TRUE(sim.finished());
  }
}

TEST(Window, OnlyLongPutsAndAnswersMoveByDescriptorOnTheDirectRoute) {
  for (const std::size_t bytes : {1000u, 10'000u}) {
    RingMachine rings(Shape::parse("2"), 2, {}, testing::routed(RingRoute::direct));
    SmallWindows all(rings, bytes);
    rings.run([&](Node& node) { return put_and_get_back(node, &all, 1); });
    const FabricCounters& counters = rings.counters();
    EXPECT_EQ(counters.puts, bytes == 1000 ? 0u : 4u);
    EXPECT_EQ(counters.put_bytes, bytes == 1000 ? 0u : 4u * bytes);
  }
}

/// Node 0 sends a packet to node 1. The packet's handler, which runs on node 1, puts to node 0 and
/// gets from node 0.
Program ask_a_handler(Node& node, SmallWindows* all, Bytes* got) {
  Window& own = all->windows[node.rank()];
  Counter asked("requests");
  node.on(kFirstUserHandler, [&](const Packet& packet) {
    own.put(packet.as<Rank>(), 0, all->memory[1], Acknowledge::yes);
    (void)own.get(packet.as<Rank>(), 5000, *got);
    asked.bump();
  });
  co_await node.barrier();
  if (node.rank() == 0) {
    co_await node.send(1, kFirstUserHandler, node.rank());
    co_await own.arrived(5000);
  } else {
    co_await node.until(asked, 1);
    co_await own.complete();
  }
}

TEST(Window, HandlersMayPutAndGet) {
  const auto run = [](testing::EmulatedMachine& machine) {
    SmallWindows all(machine, {Bytes(10'000, std::byte{1}), Bytes(5000, std::byte{2})});
    Bytes got(5000);
    machine.run([&](Node& node) { return ask_a_handler(node, &all, &got); });
    EXPECT_TRUE(machine.finished());
    EXPECT_EQ(got, Bytes(5000, std::byte{1}));
    Bytes expected(10'000, std::byte{1});
    std::fill_n(expected.begin(), 5000, std::byte{2});
    EXPECT_EQ(all.memory[0], expected);
  };
  for (const RingRoute route : testing::kRoutes) {
    RingMachine rings(Shape::parse("2"), 2, {}, testing::routed(route));
    run(rings);
  }
  SimMachine sim(Shape::parse("2"));
  run(sim);
  SimMachine dma(Shape::parse("2"), moved_by(TransferMode::put), {.dma = true}, with_dma());
  run(dma);
}

/// Node 0 puts; node 1 computes, then waits for the bytes.
Program put_one(Node& node, SmallWindows* all, Tick computing, Tick* writing) {
  const std::size_t bytes = all->memory[0].size();
  if (node.rank() == 1) {
    co_await node.compute(computing);
    co_await all->windows[1].arrived(bytes);
    co_return;
  }
  const Tick begin = node.now();
  all->windows[0].put(1, 0, all->memory[0]);
  *writing = node.now() - begin;
}

/// The time at which node 1 has the bytes of `packets` full packets.
Tick arrival_by_engines(std::size_t packets, Tick computing) {
  SimMachine sim(Shape::parse("2m"), moved_by(TransferMode::put), {.dma = true}, with_dma());
  SmallWindows all(sim, packets * 216);
  Tick writing = 0;
  sim.run([&](Node& node) { return put_one(node, &all, computing, &writing); });
  EXPECT_EQ(writing, 100u);
  return sim.node(1).finished_at();
}

TEST(Window, PutCostsTheProcessorOneDescriptorWithEngines) {
  constexpr Tick kDescriptor = 100, kInject = 40, kReceive = 30, kHop = 69, kWire = 1080;
  for (const std::size_t packets : {1u, 5u, 50u}) {
    const Tick alone = kDescriptor + kInject + kHop + packets * kWire + kReceive;
    EXPECT_EQ(arrival_by_engines(packets, 0), alone);
    EXPECT_EQ(arrival_by_engines(packets, 10 * alone), 10 * alone);
  }
}

/// The bytes are in place when the engine's turn begins, but count as stored only when it ends.
TEST(Window, ProcessorSeesEngineWorkOnlyAfterItIsDone) {
  const Tick alone = arrival_by_engines(5, 0);
  for (Tick computing = alone - 60; computing < alone; ++computing)
    EXPECT_EQ(arrival_by_engines(5, computing), alone) << computing;
  EXPECT_EQ(arrival_by_engines(5, alone + 1), alone + 1);
}

}  // namespace
}  // namespace toroid
