// Programs give the same greetings, bytes and counts on several processes and on the model.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hal/counters.hpp"
#include "hal/packet.hpp"
#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/block_messages.hpp"
#include "packet/exchange/messages.hpp"
#include "packet/exchange/stream.hpp"
#include "packet/node/collectives.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/settings.hpp"
#include "router/job/job.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tests/random_bytes.hpp"
#include "tests/router/counter_sums.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/greetings.hpp"
#include "tests/router/ofi/ofi_machine.hpp"
#include "tests/router/shm/ring_machine.hpp"
#include "tests/router/shm/tagged_messages.hpp"
#include "tests/router/sim/sim_machine.hpp"

namespace toroid {
namespace {

using testing::EmulatedMachine;
using testing::for_each_shape_and_case;
using testing::greet;
using testing::Greetings;
using testing::kHandler;
using testing::MachineExchange;
using testing::OfiCase;
using testing::over_links;
using testing::run_on_ofi;
using testing::SimMachine;
using testing::Tagged;
using testing::through_fifos;

using OfiAgreement = testing::OnEveryProvider;
INSTANTIATE_TEST_SUITE_P(Over, OfiAgreement, testing::kProviders, testing::provider_name);

/// The greetings that a node must receive, computed without any machine; sorted.
Greetings greetings_for(Rank to, Rank nodes) {
  Greetings all;
  for (Rank from = 0; from < nodes; ++from)
    all.push_back({from, from == to ? 7 : from * 1000 + to});
  return all;
}

void exchange_greetings(EmulatedMachine& machine) {
  std::vector<Greetings> log(machine.size());
  machine.run([&](Node& node) { return greet(node, &log[node.rank()]); });
  EXPECT_TRUE(machine.finished());
  for (const Rank to : machine.ranks()) {
    std::ranges::sort(log[to]);
    ASSERT_EQ(log[to], greetings_for(to, machine.size()));
  }
}

TEST_P(OfiAgreement, EveryNodeHearsEveryNodeOnce) {
  for_each_shape_and_case(GetParam(), 1, [](const Shape& shape, const OfiCase& c) {
    run_on_ofi(shape, c, [&](Job&, EmulatedMachine& machine) { exchange_greetings(machine); });
  });
}

void fill(std::span<std::byte> block, Rank from, Rank to) {
  testing::fill_at_random(block, Random(from + 1, to));
}

std::unique_ptr<Messages> filled_blocks(const Node& node, std::uint64_t bytes) {
  auto blocks = std::make_unique<BlockMessages>(node.shape(), node.rank(), bytes);
  for (Rank to = 0; to < node.size(); ++to) fill(blocks->to(to), node.rank(), to);
  blocks->copy_own();
  return blocks;
}

void exchange_blocks(EmulatedMachine& machine, std::uint64_t bytes) {
  MachineExchange exchange(machine, [&](Node& node) { return filled_blocks(node, bytes); });
  exchange.run();
  std::vector<std::byte> expected(bytes);
  for (const Rank to : machine.ranks())
    for (Rank from = 0; from < machine.size(); ++from) {
      fill(expected, from, to);
      const auto& messages = dynamic_cast<BlockMessages&>(exchange.messages(to));
      ASSERT_TRUE(testing::equal_bytes(messages.from(from), expected)) << from << " to " << to;
    }
}

TEST_P(OfiAgreement, BlocksArriveByteForByte) {
  for_each_shape_and_case(GetParam(), 2, [](const Shape& shape, const OfiCase& c) {
    const std::uint64_t bytes = 1 + 97 * c.seed % 600;
    run_on_ofi(shape, c, [&](Job&, EmulatedMachine& machine) { exchange_blocks(machine, bytes); });
  });
}

TEST_P(OfiAgreement, LongBlocksArriveByteForByteInManyFrames) {
  for (const RingRoute route : testing::kRoutes) {
    const OfiCase c{.route = route, .processes = 2, .workers = 2, .provider = GetParam()};
    run_on_ofi(Shape::parse("2x2"), c,
               [&](Job&, EmulatedMachine& machine) { exchange_blocks(machine, 300'000); });
  }
}

/// Streams to the node `shift` ranks further, so that every node hears from exactly one node.
Program stream_to_another(Node& node, Rank shift, std::size_t bytes,
                          std::vector<std::byte>* inbox) {
  Counter arrived("packets of the stream");
  inbox->resize(bytes);
  node.on(kHandler, [&arrived, inbox](const Packet& packet) {
    const std::size_t at = packet.header.argument();
    std::ranges::copy(packet.bytes(), inbox->begin() + static_cast<std::ptrdiff_t>(at));
    arrived.bump();
  });
  std::vector<std::byte> message(bytes);
  fill(message, node.rank(), 0);
  Stream stream(node, kHandler, (node.rank() + shift) % node.size(), message);
  stream.start(3);
  const std::uint64_t expected = 3 * stream.packets();
  co_await node.until(arrived, expected);
  co_await node.until(stream.sent(), 3);
}

void exchange_streams(EmulatedMachine& machine, std::size_t bytes) {
  const Rank shift = machine.size() / 2;
  std::vector<std::vector<std::byte>> inboxes(machine.size());
  machine.run(
      [&](Node& node) { return stream_to_another(node, shift, bytes, &inboxes[node.rank()]); });
  std::vector<std::byte> expected(bytes);
  for (const Rank to : machine.ranks()) {
    fill(expected, (to + machine.size() - shift) % machine.size(), 0);
    ASSERT_EQ(inboxes[to], expected) << "to " << to;
  }
}

TEST_P(OfiAgreement, StreamsArriveByteForByte) {
  constexpr std::array kShapes = {"7", "2x3x4"};
  constexpr std::array kProcesses = {2u, 3u, 5u};
  std::uint64_t seed = 0;
  for (const auto& row : testing::combinations_over(
           GetParam(), {kShapes.size(), kProcesses.size(), testing::kRoutes.size()})) {
    OfiCase c{.route = testing::kRoutes[row[2]], .processes = kProcesses[row[1]], .workers = 2};
    c.seed = ++seed;
    c.provider = GetParam();
    run_on_ofi(Shape::parse(kShapes[row[0]]), c,
               [&](Job&, EmulatedMachine& machine) { exchange_streams(machine, 2500); });
  }
}

constexpr unsigned kRounds = 8;
/// Whether each node has entered the barrier of each round.
using Entries = testing::Shared<std::array<std::atomic<bool>, kRounds>>;  ///< [rank]

Program pass_barriers(Node& node, std::uint64_t seed, const Entries* entries,
                      std::atomic<unsigned>* too_early) {
  Random random(seed, node.rank());
  for (unsigned round = 0; round < kRounds; ++round) {
    const unsigned rests = random.below(4);
    for (unsigned i = 0; i < rests; ++i) co_await node.compute(100);
    (*entries)[node.rank()][round] = true;
    co_await node.barrier();
    for (Rank r = 0; r < node.size(); ++r) *too_early += (*entries)[r][round] ? 0 : 1;
  }
}

TEST_P(OfiAgreement, NobodyPassesABarrierBeforeAllHaveEnteredIt) {
  for_each_shape_and_case(GetParam(), 3, [](const Shape& shape, const OfiCase& c) {
    const Entries entries(shape.size());
    run_on_ofi(shape, c, [&](Job&, EmulatedMachine& machine) {
      std::atomic<unsigned> too_early{0};
      machine.run([&](Node& node) { return pass_barriers(node, c.seed, &entries, &too_early); });
      EXPECT_EQ(too_early, 0u);
    });
  });
}

/// Runs an all-to-all of tagged packets and returns the counters.
FabricCounters counted(EmulatedMachine& machine, std::uint32_t packets) {
  MachineExchange exchange(machine, [&](Node& n) { return std::make_unique<Tagged>(n, packets); });
  exchange.run();
  for (const Rank r : machine.ranks())
    EXPECT_TRUE(dynamic_cast<Tagged&>(exchange.messages(r)).each_peer_once());
  return machine.counters();
}

void expect_models_counts(const Shape& shape, const OfiCase& c, const FabricCounters& all,
                          const FabricCounters& model) {
  EXPECT_EQ(all.packets, model.packets);
  EXPECT_EQ(all.delivered, model.delivered);
  EXPECT_EQ(all.refused, 0u);
  EXPECT_TRUE(all.refused_frames.empty());
  EXPECT_EQ(all.links.size(), model.links.size());
  EXPECT_EQ(through_fifos(all), model.packets);
  if (c.route == RingRoute::direct) return;
  EXPECT_EQ(all.packet_hops, model.packet_hops);
  EXPECT_EQ(over_links(all), 3 * testing::sum_of_minimal_hops(shape));
  if (c.routing != RoutingRule::deterministic) return;
  for (std::size_t i = 0; i < model.links.size(); ++i)
    ASSERT_EQ(all.links[i].packets, model.links[i].packets) << "link " << i;
}

/// The contributions of all nodes, then their sum, whose rounding depends on the order of addition.
Program collect(Node& node, std::vector<double>* all) {
  Collectives collectives(node);
  const double mine = 1e5 / (3.0 + node.rank());
  const double sum = co_await collectives.sum(mine);
  all->resize(node.size());
  co_await collectives.gather(mine, std::span(*all));
  all->push_back(sum);
}

std::vector<std::vector<double>> collected(EmulatedMachine& machine) {
  std::vector<std::vector<double>> all(machine.size());
  machine.run([&](Node& node) { return collect(node, &all[node.rank()]); });
  return all;
}

TEST_P(OfiAgreement, CollectivesGiveTheBitsOfTheModel) {
  for_each_shape_and_case(GetParam(), 5, [](const Shape& shape, const OfiCase& c) {
    SimMachine sim(shape);
    const auto expected = collected(sim);
    run_on_ofi(shape, c, [&](Job&, EmulatedMachine& machine) {
      const auto all = collected(machine);
      for (const Rank r : machine.ranks()) EXPECT_EQ(all[r], expected[r]) << r;
    });
  });
}

TEST_P(OfiAgreement, TotalCountersMatchModel) {
  for_each_shape_and_case(GetParam(), 4, [](const Shape& shape, const OfiCase& c) {
    SimMachine sim(shape, c.node());
    const FabricCounters model = counted(sim, 3);
    run_on_ofi(shape, c, [&](Job& job, EmulatedMachine& machine) {
      const FabricCounters counters = counted(machine, 3);
      if (job.rank() == 0) return expect_models_counts(shape, c, counters, model);
      EXPECT_EQ(counters.packets, 3 * machine.ranks().size() * (shape.size() - 1));
      EXPECT_EQ(counters.delivered, counters.packets);
    });
  });
}

}  // namespace
}  // namespace toroid
