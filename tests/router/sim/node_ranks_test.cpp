// Nodes with several ranks on the model: every pair of ranks, shared FIFOs, and time.
#include <gtest/gtest.h>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hal/check.hpp"
#include "hal/counters.hpp"
#include "hal/fabric.hpp"
#include "hal/failures.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/handlers.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/runner.hpp"
#include "router/sim/sim_fabric.hpp"

namespace toroid::node_ranks {
namespace {

constexpr HandlerId kHandler = kFirstUserHandler;

struct Heard {
  explicit Heard(Rank ranks) : from(ranks) {}
  std::vector<unsigned> from;  ///< [rank]: packets
  Counter count;
};

Program tell_all(Node& node, Heard& heard) {
  node.on(kHandler, [&](const Packet& packet) {
    EXPECT_EQ(packet.header.processor(), node.shape().ranks().processor(node.rank()));
    ++heard.from.at(packet.as<Rank>());
    heard.count.bump();
  });
  for (Rank to = 0; to < node.size(); ++to) {
    const Rank self = node.rank();
    if (to != self) co_await node.send(to, kHandler, self);
  }
  co_await node.until(heard.count, node.size() - 1);
}

std::vector<Heard> every_pair(Fabric& fabric) {
  Runner runner(fabric);
  std::vector<Heard> heard(fabric.shape().size(), Heard(fabric.shape().size()));
  for (Rank r = 0; r < heard.size(); ++r) runner.node(r).run(tell_all(runner.node(r), heard[r]));
  runner.run();
  return heard;
}

void expect_each_once(const std::vector<Heard>& heard) {
  for (Rank r = 0; r < heard.size(); ++r)
    for (Rank from = 0; from < heard.size(); ++from)
      EXPECT_EQ(heard[r].from[from], from == r ? 0u : 1u) << from << " to " << r;
}

TEST(SimNodeRanks, EveryRankReachesEveryOther) {
  for (const char* torus : {"1x2t", "1x4t", "2x2x2t", "3x2x4t", "4x3mx2t", "2x2x2x2x2x2t"}) {
    SCOPED_TRACE(torus);
    for (const bool general : {false, true}) {
      SimOptions options;
      options.routing.general = general;
      const auto fabric = make_sim_fabric(Shape::parse(torus), Machine{}, options);
      expect_each_once(every_pair(*fabric));
      const Rank ranks = fabric->shape().size();
      EXPECT_EQ(fabric->counters().packets, std::uint64_t{ranks} * (ranks - 1));
      EXPECT_EQ(fabric->counters().delivered, fabric->counters().packets);
      EXPECT_EQ(fabric->counters().nodes.size(), ranks);
      EXPECT_EQ(fabric->counters().links.size(),
                ranks / fabric->shape().ranks().per_node() * fabric->shape().links());
    }
  }
}

/// Links carry only what goes from node to node: on a ring of two nodes half of the packets, and
/// one hop each.
TEST(SimNodeRanks, PacketsWithinANodeCrossNoLink) {
  const auto fabric = make_sim_fabric(Shape::parse("2x4t"), Machine{});
  expect_each_once(every_pair(*fabric));
  EXPECT_EQ(fabric->counters().packet_hops, 2u * 4 * 4);
}

struct Stream {
  Rank from;
  Rank to;
  unsigned packets;
};

Program send_stream(Node& node, Stream stream, unsigned expected, Counter& heard) {
  node.on(kHandler, [&heard](const Packet&) { heard.bump(); });
  std::array<std::byte, kPayloadBytes> full{};
  for (unsigned i = 0; i < stream.packets; ++i) co_await node.send(stream.to, kHandler, full);
  co_await node.until(heard, expected);
}

/// The end of each rank's program if the streams run on `machine`.
std::vector<Tick> ends_of(const char* torus, const Machine& machine,
                          const std::vector<Stream>& streams, unsigned threads = 1) {
  SimOptions options;
  options.threads = threads;
  const auto fabric = make_sim_fabric(Shape::parse(torus), machine, options);
  Runner runner(*fabric);
  std::vector<Counter> heard(fabric->shape().size());
  for (Rank r = 0; r < heard.size(); ++r) {
    Stream own{r, r, 0};
    unsigned expected = 0;
    for (const Stream& stream : streams) {
      if (stream.from == r) own = stream;
      if (stream.to == r) expected += stream.packets;
    }
    runner.node(r).run(send_stream(runner.node(r), own, expected, heard[r]));
  }
  runner.run();
  std::vector<Tick> ends;
  for (const NodeTotals& totals : fabric->counters().nodes) ends.push_back(totals.finished);
  return ends;
}

Tick last(const std::vector<Tick>& ends) {
  return *std::ranges::max_element(ends);
}

/// On a line of two nodes there is one link from node 0 to node 1. Any number of ranks shares it:
/// n full packets take it n times its time for one.
TEST(SimNodeRanks, RanksShareTheInjectionBandwidthOfTheirNode) {
  const Machine machine;
  const Tick wire = machine.wire_cycles(machine.wire_bytes(kMaxChunks));
  constexpr unsigned kPackets = 60;
  for (const unsigned t : {1u, 2u, 4u}) {
    const std::string torus = fmt::format("2mx{}t", t);
    std::vector<Stream> streams;
    for (Rank r = 0; r < t; ++r) streams.push_back({r, t + r, kPackets});
    const Tick end = last(ends_of(torus.c_str(), machine, streams));
    const Tick ideal = machine.inject_cycles + t * kPackets * wire + machine.hop_latency_cycles +
                       machine.receive_cycles;
    EXPECT_GE(end, ideal);
    EXPECT_LE(end, ideal + wire) << t;
  }
}

/// Ranks that wait for room get it in turn, so equal streams of one node's ranks end together. Only
/// the first rank is ahead, by what it wrote while the FIFOs were empty.
TEST(SimNodeRanks, RanksGetRoomInTurn) {
  const Machine machine;
  const Tick wire = machine.wire_cycles(machine.wire_bytes(kMaxChunks));
  const unsigned room = 3 * machine.injection_fifo_chunks / kMaxChunks;  // 3 FIFOs serve the link
  const auto ends = ends_of("2mx4t", machine, {{0, 4, 50}, {1, 5, 50}, {2, 6, 50}, {3, 7, 50}});
  const auto [first, latest] = std::minmax({ends[5], ends[6], ends[7]});
  EXPECT_LE(latest - first, room * wire);
  EXPECT_LE(latest - ends[4], 4 * room * wire);
}

/// A stream to the other rank of the node takes its sender memory_packet_cycles per packet, and the
/// receiver the same once more after the last one. The links are not used.
TEST(SimNodeRanks, CopyTakesTheMachinesCyclesPerPacket) {
  Machine machine;
  for (const unsigned cycles : {0u, 1u, 70u, 1000u}) {
    machine.memory_packet_cycles = cycles;
    const Tick end = last(ends_of("3x2t", machine, {{0, 1, 40}}));
    EXPECT_GE(end, Tick{41} * cycles);
    EXPECT_LE(end, Tick{41} * cycles + 16 * Tick{cycles} + 100);
  }
}

TEST(SimNodeRanks, ResultsDoNotDependOnTheNumberOfThreads) {
  std::vector<Stream> streams;
  const Shape shape = Shape::parse("4x3x2x2t");
  for (Rank r = 0; r < shape.size(); ++r)
    streams.push_back(
        {r, (r * 7 + 5) % shape.size() == r ? (r + 1) % shape.size() : (r * 7 + 5) % shape.size(),
         30});
  const auto alone = ends_of("4x3x2x2t", Machine{}, streams, 1);
  for (const unsigned threads : {2u, 3u, 5u})
    EXPECT_EQ(ends_of("4x3x2x2t", Machine{}, streams, threads), alone) << threads;
}

TEST(SimNodeRanks, OneRankPerNodeIsThePlainTorus) {
  EXPECT_EQ(Shape::parse("4x3x1t"), Shape::parse("4x3"));
}

TEST(SimNodeRanks, RefusesWhatNeedsOneRankPerNode) {
  const Shape shape = Shape::parse("4x2t");
  Machine machine;
  machine.dma_inject_cycles = 1;
  SimOptions dma;
  dma.dma = true;
  EXPECT_THROW((void)make_sim_fabric(shape, machine, dma), BadInput);
  machine = {};
  machine.coprocessor = 1;
  EXPECT_THROW((void)make_sim_fabric(shape, machine), BadInput);
  machine = {};
  machine.injection_fifos = 14;
  EXPECT_THROW((void)make_sim_fabric(shape, machine), BadInput);
  EXPECT_THROW((void)shape.with_failures(FailureList{.links = {"(0,0)X+"}, .nodes = {}}), BadInput);
}

}  // namespace
}  // namespace toroid::node_ranks
