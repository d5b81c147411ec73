// Collectives against closed formulas, on the model and on rings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
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
#include "packet/node/collectives.hpp"
#include "packet/node/message_record.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/replay/recorded_schedule.hpp"
#include "packet/replay/schedule.hpp"
#include "packet/replay/schedule_graph.hpp"
#include "tests/packet/every_machine.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/failure_of.hpp"
#include "tests/router/sim/sim_machine.hpp"
#include "tests/scale.hpp"

namespace toroid {
namespace {

using testing::EmulatedMachine;
using testing::failure_of;
using ::testing::HasSubstr;
using testing::SimMachine;

/// Extents of 1 and 2, odd and prime numbers of nodes, powers of two, and a mesh.
constexpr std::array kCollectiveShapes = {"1", "2", "3x5", "7", "4x4x4", "1x6x1", "2x3m"};

/// A value of 40 bytes, so that the values of seven nodes need two packets.
struct Wide {
  std::array<std::uint64_t, 5> words;
};
Wide wide(std::uint64_t seed) {
  return {{seed, seed + 1, seed * seed, ~seed, 7}};
}

/// Counts the results that differ from their formulas. It makes calls of every kind one after the
/// other, and computes for a random time before each.
Program call_everything(Node& node, unsigned rounds, unsigned* wrong) {
  Collectives all(node);
  Random random(rounds, node.rank());
  const std::uint64_t size = node.size(), rank = node.rank();
  for (unsigned round = 1; round <= rounds; ++round) {
    const Tick rest = random.coin() ? random.below(3000) : 0;
    co_await node.compute(rest);
    const Rank root = (3 * round) % node.size();
    const std::uint64_t sum = co_await all.sum(round * rank);
    *wrong += sum != round * size * (size - 1) / 2;
    const double least = co_await all.min(static_cast<double>(rank) - round);
    *wrong += least != -static_cast<double>(round);
    const std::int32_t most = co_await all.max(-static_cast<std::int32_t>(rank) - 5);
    *wrong += most != -5;
    const Wide told = co_await all.broadcast(wide(rank + round), root);
    *wrong += told.words != wide(root + round).words;
    std::vector<Wide> values(node.size());
    const Wide mine = wide(rank * round);
    co_await all.gather(mine, std::span(values));
    for (Rank r = 0; r < node.size(); ++r)
      *wrong += values[r].words != wide(std::uint64_t{r} * round).words;
    std::vector<std::uint16_t> places(rank == root ? node.size() : 0);
    co_await all.gather(static_cast<std::uint16_t>(rank + round), std::span(places), root);
    for (Rank r = 0; r < places.size(); ++r) *wrong += places[r] != r + round;
  }
}

TEST(Collectives, GiveTheValuesOfClosedFormulas) {
  const unsigned rounds = testing::by_set(4u, 20u);
  for (const char* shape : kCollectiveShapes)
    testing::on_every_machine(shape, [&](EmulatedMachine& machine) {
      std::vector<unsigned> wrong(machine.size());
      machine.run([&](Node& n) { return call_everything(n, rounds, &wrong[n.rank()]); });
      EXPECT_TRUE(machine.finished()) << shape;
      EXPECT_EQ(wrong, std::vector<unsigned>(machine.size())) << shape;
    });
}

/// The contribution of a node, which no order of addition sums without rounding.
double fraction(Rank rank) {
  return 1.0 / (3.0 + rank) * (rank % 2 == 0 ? 1e6 : -1e-3);
}

/// The sum of a subtree, in the order that CollectiveTree promises.
double tree_sum(Rank root, Rank size, Rank width) {
  double sum = fraction(root);
  for (Rank step = 1; step < width && root + step < size; step *= 2)
    sum += tree_sum(root + step, size, step);
  return sum;
}

Program sum_fractions(Node& node, std::array<double, 3>* sums) {
  Collectives all(node);
  *sums = {fraction(node.rank()), 1, -fraction(node.rank())};
  co_await all.sum(std::span(*sums));
}

TEST(Collectives, AddInTheSameOrderOnEveryNodeAndFabric) {
  for (const char* shape : kCollectiveShapes)
    testing::on_every_machine(shape, [&](EmulatedMachine& machine) {
      const double sum = tree_sum(0, machine.size(), ~Rank{0});
      const std::array<double, 3> expected = {sum, 1.0 * machine.size(), -sum};
      std::vector<std::array<double, 3>> sums(machine.size());
      machine.run([&](Node& n) { return sum_fractions(n, &sums[n.rank()]); });
      for (const auto& own : sums) EXPECT_EQ(own, expected) << shape;
    });
}

Program sum_once(Node& node, std::uint64_t* sum) {
  Collectives all(node);
  *sum = co_await all.sum(std::uint64_t{1} << 63);
}

TEST(Collectives, WrapSumsOfIntegersAndSendTwoPacketsPerEdgeOfTheTree) {
  for (const auto& [shape, nodes] :
       {std::pair("1", 1u), std::pair("2", 2u), std::pair("3x5", 15u)}) {
    SimMachine machine(Shape::parse(shape));
    std::uint64_t sum = 7;
    machine.run([&](Node& n) { return sum_once(n, &sum); });
    EXPECT_EQ(sum, nodes % 2 == 0 ? 0 : std::uint64_t{1} << 63);
    EXPECT_EQ(machine.counters().packets, 2 * (nodes - 1));
  }
}

/// Every value fills a packet.
using Full = std::array<std::byte, kPayloadBytes>;

Program gather_full(Node& node, Rank root, unsigned* wrong) {
  Collectives all(node);
  Full mine;
  mine.fill(static_cast<std::byte>(node.rank()));
  std::vector<Full> values(node.size());
  co_await all.gather(mine, std::span(values), root);
  for (Rank r = 0; r < node.size(); ++r)
    *wrong += values[r].back() != static_cast<std::byte>(node.rank() == root ? r : 0);
}

TEST(Collectives, GatherValuesOfWholePacketsOnTheRootAlone) {
  for (const Rank root : {0u, 3u, 10u}) {
    SimMachine machine(Shape::parse("11"));
    std::vector<unsigned> wrong(machine.size());
    machine.run([&](Node& n) { return gather_full(n, root, &wrong[n.rank()]); });
    EXPECT_EQ(wrong, std::vector<unsigned>(machine.size())) << root;
  }
}

template <typename Call>
std::string refusal_of(const Call& call) {
  SimMachine machine(Shape::parse("3"));
  Collectives all(machine.node(1));
  try {
    call(all);
    return "accepted";
  } catch (const BadInput& refusal) {
    return refusal.what();
  }
}

TEST(Collectives, RefuseWhatDoesNotFit) {
  std::vector<double> many(31);
  EXPECT_EQ(refusal_of([&](Collectives& all) { (void)all.sum(std::span(many)); }),
            "a sum takes at most 240 bytes from each node, not 248");
  EXPECT_EQ(refusal_of([&](Collectives& all) { (void)all.broadcast(1, 3); }),
            "the root of a broadcast is a node from 0 to 2, not 3");
  EXPECT_EQ(refusal_of([&](Collectives& all) { (void)all.gather(1.0, std::span(many)); }),
            "a gather needs one place per node, 3 places, not 31");
  EXPECT_EQ(refusal_of([&](Collectives& all) { (void)all.gather(1.0, std::span(many), 2); }),
            "accepted");  // this is node 1, which gets nothing
}

Program call_differently(Node& node) {
  Collectives all(node);
  if (node.rank() == 0)
    co_await all.sum(1);
  else
    co_await all.max(1);
}

TEST(Collectives, EndTheRunIfNodesMakeDifferentCalls) {
  SimMachine machine(Shape::parse("2"));
  EXPECT_THAT(
      failure_of([&] { machine.run(call_differently); }),
      HasSubstr("the nodes make different collective calls: a packet from node (1) does not "
                "belong to the sum of node (0)"));
}

Program sum_other_types(Node& node) {
  Collectives all(node);
  if (node.rank() == 1)
    co_await all.sum(std::int64_t{1});
  else
    co_await all.sum(1.0);
}

Program broadcast_from_other_roots(Node& node) {
  Collectives all(node);
  const Rank root = node.rank() == 3 ? 1 : 2;
  co_await all.broadcast(7, root);
}

TEST(Collectives, EndTheRunIfTypesOrRootsDiffer) {
  for (const auto program : {sum_other_types, broadcast_from_other_roots}) {
    SimMachine machine(Shape::parse("4"));
    EXPECT_THAT(failure_of([&] { machine.run(program); }),
                HasSubstr("the nodes make different collective calls"));
  }
}

Program call_until(Node& node, unsigned calls) {
  Collectives all(node);
  for (unsigned call = 0; call < calls; ++call) co_await all.sum(1);
}

TEST(Collectives, ReportNodesThatWaitForOneWhoseProgramHasEnded) {
  testing::on_every_machine("2", [](EmulatedMachine& machine) {
    EXPECT_THAT(failure_of([&] {
                  machine.run([](Node& n) { return call_until(n, n.rank() == 1 ? 3 : 2); });
                }),
                HasSubstr("sum of all nodes"));
  });
}

TEST(Collectives, AreRecordedAsMessagesWithTheirDependencies) {
  const Shape shape = Shape::parse("3x3");
  MessageRecord record(shape.size());
  SimMachine machine(shape, {.record = &record});
  machine.run([](Node& n) { return call_until(n, 2); });
  const Schedule schedule = schedule_of(record, Machine());
  const ScheduleGraph graph(schedule);
  std::size_t sends = 0, dependencies = 0;
  for (const RankSchedule& rank : schedule.ranks) {
    dependencies += rank.dependencies.size();
    for (const Operation& operation : rank.operations)
      sends += operation.kind == Operation::Kind::send;
  }
  EXPECT_EQ(sends, 2 * 2 * (shape.size() - 1));
  EXPECT_GE(dependencies, sends);
}

}  // namespace
}  // namespace toroid
