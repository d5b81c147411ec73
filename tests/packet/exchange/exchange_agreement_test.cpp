// The all-to-all moves the same bytes on rings as on the model.
#include <gtest/gtest.h>
#include <array>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/block_messages.hpp"
#include "packet/exchange/exchange.hpp"
#include "packet/exchange/exchange_plan.hpp"
#include "packet/exchange/group.hpp"
#include "packet/exchange/messages.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "tests/packet/exchange/indexed_messages.hpp"
#include "tests/packet/exchange/plans.hpp"
#include "tests/random_bytes.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/shm/ring_machine.hpp"
#include "tests/router/sim/sim_machine.hpp"

namespace toroid {
namespace {

using testing::EmulatedMachine;
using testing::IndexedMessages;
using testing::kHandler;
using testing::MachineExchange;
using testing::RingMachine;
using testing::SimMachine;

using Bytes = std::vector<std::byte>;

void fill(std::span<std::byte> block, std::uint64_t seed, Rank from, Rank to) {
  testing::fill_at_random(block, Random(seed, std::uint64_t{from} << 32 | to));
}

std::unique_ptr<Messages> filled_blocks(const Node& node, std::uint64_t bytes, std::uint64_t seed) {
  auto blocks = std::make_unique<BlockMessages>(node.shape(), node.rank(), bytes);
  for (Rank to = 0; to < node.size(); ++to) fill(blocks->to(to), seed, node.rank(), to);
  blocks->copy_own();
  return blocks;
}

/// Everything that all nodes have received, sorted by receiver, then by sender.
Bytes exchanged(EmulatedMachine& machine, std::uint64_t bytes, std::uint64_t seed) {
  MachineExchange exchange(machine, [&](Node& node) { return filled_blocks(node, bytes, seed); });
  exchange.run();
  EXPECT_TRUE(machine.finished());
  Bytes all(machine.size() * machine.size() * bytes);
  for (Rank to = 0; to < machine.size(); ++to)
    for (Rank from = 0; from < machine.size(); ++from) {
      const auto block = dynamic_cast<BlockMessages&>(exchange.messages(to)).from(from);
      EXPECT_EQ(block.size(), bytes);
      if (bytes > 0) std::memcpy(&all[(to * machine.size() + from) * bytes], block.data(), bytes);
    }
  return all;
}

/// The expected result, computed without any machine.
Bytes transposed(Rank nodes, std::uint64_t bytes, std::uint64_t seed) {
  Bytes all(nodes * nodes * bytes);
  for (Rank to = 0; to < nodes; ++to)
    for (Rank from = 0; from < nodes; ++from)
      fill(std::span(all).subspan((to * nodes + from) * bytes, bytes), seed, from, to);
  return all;
}

TEST(ExchangeAgreement, BlocksArriveByteForByteAsOnTheModel) {
  const auto cases = testing::ring_cases_beside(testing::kRingShapes.size());
  for (std::size_t s = 0; s < cases.size(); ++s) {
    const char* const text = testing::kRingShapes[s];
    const Shape shape = Shape::parse(text);
    const std::uint64_t bytes = 200 + 41 * (shape.size() % 7);  // one packet or two
    SimMachine sim(shape);
    const Bytes expected = exchanged(sim, bytes, 5);
    ASSERT_EQ(expected, transposed(shape.size(), bytes, 5)) << text;
    for (const auto& c : cases[s]) {
      RingMachine rings(shape, c.threads, c.node(), testing::routed(c.route));
      ASSERT_TRUE(testing::equal_bytes(exchanged(rings, bytes, 5), expected))
          << text << ' ' << c.text();
      ASSERT_EQ(rings.counters().packets, sim.counters().packets) << text << ' ' << c.text();
    }
  }
}

TEST(ExchangeAgreement, BlocksOfEveryLengthArriveByteForByte) {
  constexpr std::array<std::uint64_t, 10> kBytes = {0, 1, 15, 16, 17, 239, 240, 241, 480, 5000};
  const auto cases = testing::ring_cases_beside(kBytes.size());
  for (std::size_t i = 0; i < cases.size(); ++i)
    for (const auto& c : cases[i]) {
      const std::uint64_t bytes = kBytes[i];
      RingMachine rings(Shape::parse("3x2"), c.threads, c.node(), testing::routed(c.route));
      ASSERT_TRUE(exchanged(rings, bytes, c.seed) == transposed(6, bytes, c.seed))
          << bytes << " bytes " << c.text();
    }
}

/// A group that exchanges uneven messages: lines, planes or all of a torus.
struct UnevenGroup {
  const char* torus;
  unsigned first, last;
};

void exchange_uneven(EmulatedMachine& machine, const UnevenGroup& group, const NodeOptions& node) {
  const Shape& shape = machine.shape();
  const auto plan =
      testing::plan_for(node, shape, shape.slice(group.first, group.last), {.places = true});
  machine.run([&](Node& n) {
    return testing::exchange_indexed(n, Group(shape, group.first, group.last, n.rank()),
                                     plan.get());
  });
  EXPECT_TRUE(machine.finished());
}

/// The model's packets are the same for every seed and setting, so the model runs only once.
void expect_uneven(const UnevenGroup& group, const std::vector<testing::RingCase>& cases) {
  const Shape shape = Shape::parse(group.torus);
  SimMachine sim(shape);
  exchange_uneven(sim, group, {});
  for (const auto& c : cases) {
    SCOPED_TRACE(shape.text() + ' ' + c.text());
    NodeOptions node = c.node();
    node.settings.packets_per_visit = 2;
    node.settings.queue_capacity = static_cast<unsigned>(1 + c.seed % 4);
    node.settings.output_queues = 1 + c.threads % 3;
    RingMachine rings(shape, c.threads, node, testing::routed(c.route));
    exchange_uneven(rings, group, node);
    EXPECT_EQ(rings.counters().packets, sim.counters().packets);
  }
}

TEST(ExchangeAgreement, UnevenMessagesArriveInLinesPlanesAndTheWholeMachine) {
  std::vector<UnevenGroup> groups = {{"7", 0, 1}, {"2x2x2x2", 0, 4}};
  for (unsigned first = 0; first < 3; ++first)
    for (unsigned last = first + 1; last <= 3; ++last) groups.push_back({"4x3x2m", first, last});
  const auto cases = testing::ring_cases_beside(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) expect_uneven(groups[g], cases[g]);
}

/// Rounds of the same messages with a barrier in between, like repeated transforms.
Program exchange_repeatedly(Node& node, Exchange* exchange, unsigned rounds) {
  for (unsigned round = 0; round < rounds; ++round) {
    exchange->start();
    co_await exchange->wait();
    co_await node.barrier();
  }
}

TEST(ExchangeAgreement, ManyRoundsOfTheSameMessagesComplete) {
  constexpr unsigned kRounds = 20;
  for (const auto& c : testing::ring_cases()) {
    RingMachine rings(Shape::parse("3x3"), c.threads, c.node(), testing::routed(c.route));
    std::deque<UniformMessages> messages;
    std::deque<Exchange> exchanges;
    const auto plan = testing::plan_for(c.node(), rings.shape(), rings.shape(), {.payload = false});
    for (Rank r = 0; r < rings.size(); ++r)
      exchanges.emplace_back(rings.node(r), kHandler, Group::all(rings.shape(), r), *plan,
                             messages.emplace_back(rings.shape(), 241, plan->data_bytes()));
    rings.run([&](Node& n) { return exchange_repeatedly(n, &exchanges[n.rank()], kRounds); });
    EXPECT_TRUE(rings.finished()) << c.text();
    for (const Exchange& exchange : exchanges) {
      EXPECT_EQ(exchange.received().value(), kRounds * 8 * 2) << c.text();
      EXPECT_EQ(exchange.sent().value(), kRounds) << c.text();
    }
  }
}

}  // namespace
}  // namespace toroid
