// A probe's observations agree with the counters, and probing changes nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "hal/counters.hpp"
#include "hal/direction.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/sim/probe.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/sim/sim_machine.hpp"
#include "tests/router/smallest_buffers.hpp"

namespace toroid {
namespace {

using testing::MachineExchange;
using testing::SimMachine;

/// Records the path of every packet and computes what the counters should be.
class Witness final : public SimProbe {
 public:
  struct Way {
    Rank node;
    unsigned fifo;
    unsigned hops = 0;
    bool delivered = false;
  };

  Witness(const Shape& shape, const Machine& machine, Tick every)
      : shape_(shape), machine_(machine), every_(every) {}

  void on_inject(Tick now, Rank node, unsigned fifo, const ProbedPacket& packet) override {
    pass(now);
    EXPECT_EQ(packet.source, node);
    EXPECT_TRUE(ways.emplace(packet.serial, Way{node, fifo}).second);
    arrived_[packet.serial] = now;
  }
  void on_hop(Tick now, Rank node, Direction direction, VirtualChannel channel,
              const ProbedPacket& packet) override {
    pass(now);
    Way& way = ways.at(packet.serial);
    EXPECT_EQ(way.node, node);
    if (way.hops++ == 0) leave(now, way, packet);
    way.node = shape_.neighbour(node, direction).value();
    ++links[std::size_t{node} * shape_.links() + direction.index]
          .packets[static_cast<unsigned>(channel)];
  }
  void on_deliver(Tick now, Rank node, const ProbedPacket& packet) override {
    pass(now);
    Way& way = ways.at(packet.serial);
    EXPECT_EQ(node, way.node);
    EXPECT_EQ(node, packet.destination);
    EXPECT_EQ(way.hops,
              minimal_hops(shape_, shape_.coord(packet.source), shape_.coord(packet.destination)));
    way.delivered = true;
  }

  Tick sample_every() const override { return every_; }
  void on_sample(Tick now, const SimSnapshot& snapshot) override {
    EXPECT_EQ(now, samples++ * every_);
    for (std::size_t l = 0; l < snapshot.links().size(); ++l)
      ASSERT_EQ(snapshot.links()[l].packets, links[l].packets);
    for (Rank node = 0; node < shape_.size(); ++node)
      for (unsigned f = 0; f < snapshot.fifos(node).size(); ++f)
        EXPECT_LE(snapshot.fifos(node)[f].used, Machine().injection_fifo_chunks);
  }

  std::map<std::uint64_t, Way> ways;
  std::map<std::size_t, LinkCounters> links;
  std::map<std::pair<Rank, unsigned>, Tick> stalled;
  std::uint64_t samples = 0;

 private:
  void pass(Tick now) {
    EXPECT_LE(last_, now);
    last_ = now;
  }
  /// A packet is first in its FIFO once it has been written and the tail of the previous packet has
  /// left.
  void leave(Tick now, const Way& way, const ProbedPacket& packet) {
    Tick& free = free_[{way.node, way.fifo}];
    stalled[{way.node, way.fifo}] += now - std::max(free, arrived_[packet.serial]);
    free = now + machine_.wire_cycles(machine_.wire_bytes(packet.chunks));
  }

  const Shape& shape_;
  const Machine& machine_;
  Tick every_;
  Tick last_ = 0;
  std::map<std::uint64_t, Tick> arrived_;
  std::map<std::pair<Rank, unsigned>, Tick> free_;
};

void expect_agreement(const Witness& witness, const FabricCounters& counters, const Shape& shape) {
  EXPECT_EQ(witness.ways.size(), counters.packets);
  for (const auto& [serial, way] : witness.ways) EXPECT_TRUE(way.delivered);
  for (const auto& [link, seen] : witness.links)
    EXPECT_EQ(seen.packets, counters.links[link].packets);
  const std::size_t fifos = counters.fifos.size() / shape.size();
  std::uint64_t stalled = 0;
  for (const auto& [fifo, cycles] : witness.stalled) {
    EXPECT_EQ(cycles, counters.fifos[fifo.first * fifos + fifo.second].stalled_cycles);
    stalled += cycles;
  }
  EXPECT_GT(stalled, 0u);
}

TEST(Probe, AgreesWithTheCounters) {
  for (const char* text : {"5", "3x4m", "2x3x2", "4x4"})
    for (const Machine& machine : {Machine(), testing::smallest_buffers()}) {
      const Shape shape = Shape::parse(text);
      Witness witness(shape, machine, 997);
      SimMachine sim(shape, {}, {.probe = &witness}, machine);
      MachineExchange(sim, 700).run();
      expect_agreement(witness, sim.counters(), shape);
      EXPECT_EQ(witness.samples, sim.counters().end / 997 + 1);
    }
}

TEST(Probe, ChangesNothing) {
  const Shape shape = Shape::parse("4x3x2");
  const Machine machine;
  Witness witness(shape, machine, SimProbe::kNoSamples);
  SimMachine seen(shape, {}, {.probe = &witness}), unseen(shape);
  MachineExchange(seen, 500).run();
  MachineExchange(unseen, 500).run();
  EXPECT_EQ(witness.samples, 0u);
  EXPECT_EQ(seen.counters().events, unseen.counters().events);
  EXPECT_EQ(seen.counters().end, unseen.counters().end);
}

/// Records the time until which each input port of each node is busy with sending a packet.
class PortWatch final : public SimProbe {
 public:
  PortWatch(const Shape& shape, const Machine& machine) : shape_(shape), machine_(machine) {}

  void on_hop(Tick now, Rank node, Direction direction, VirtualChannel,
              const ProbedPacket& packet) override {
    const auto came = came_by_.find(packet.serial);
    if (came != came_by_.end()) {
      Tick& busy = busy_until_[{node, came->second}];
      together += now < busy ? 1 : 0;
      busy = now + machine_.wire_cycles(machine_.wire_bytes(packet.chunks));
    }
    came_by_[packet.serial] = direction.index;
  }

  unsigned together = 0;  ///< number of packets that a port began to send while it sent another

 private:
  Shape shape_;
  Machine machine_;
  std::map<std::uint64_t, unsigned> came_by_;  ///< [packet]: the direction of its last hop
  std::map<std::pair<Rank, unsigned>, Tick> busy_until_;
};

TEST(Probe, SeesPortsSendOnePacketAtATimeIfTheMachineLimitsThem) {
  for (const char* text : {"3x4x5", "4x4", "2x2x2x2x2"})
    for (const unsigned reads : {1u, 4u}) {
      const Shape shape = Shape::parse(text);
      Machine machine;
      machine.input_reads = reads;
      PortWatch watch(shape, machine);
      SimMachine sim(shape, {}, {.probe = &watch}, machine);
      MachineExchange(sim, 960).run();
      EXPECT_EQ(watch.together == 0, reads == 1) << text;
    }
}

/// Records everything that samples show.
class Samples final : public SimProbe {
 public:
  Samples(const Shape& shape, bool follows) : shape_(shape), follows_(follows) {}

  bool follows_packets() const override { return follows_; }
  Tick sample_every() const override { return 101; }
  void on_sample(Tick now, const SimSnapshot& machine) override {
    seen.insert(seen.end(), {now, machine.packets_under_way()});
    for (const LinkCounters& link : machine.links()) {
      seen.push_back(link.wire_bytes);
      seen.insert(seen.end(), link.packets.begin(), link.packets.end());
    }
    for (Rank node = 0; node < shape_.size(); ++node) add_queues(node, machine);
  }

  std::vector<std::uint64_t> seen;

 private:
  void add_queues(Rank node, const SimSnapshot& machine) {
    for (unsigned f = 0; f < machine.fifos(node).size(); ++f)
      seen.insert(seen.end(),
                  {machine.fifos(node)[f].used, machine.fifo_counters(node, f).stalled_cycles});
    for (std::uint8_t l = 0; l < shape_.links(); ++l)
      for (unsigned c = 0; c < kVirtualChannels; ++c)
        seen.push_back(machine.waiting(node, {l}, static_cast<VirtualChannel>(c)));
  }

  const Shape& shape_;
  bool follows_;
};

TEST(Probe, SeesTheSameSamplesWhetherItFollowsPacketsOrNot) {
  for (const char* text : {"5", "3x4m", "4x3x2", "2x2x2x2"})
    for (const Machine& machine : {Machine(), testing::smallest_buffers()}) {
      const Shape shape = Shape::parse(text);
      Samples following(shape, true), sampling(shape, false);
      SimMachine followed(shape, {}, {.probe = &following}, machine);
      SimMachine sampled(shape, {}, {.probe = &sampling}, machine);
      MachineExchange(followed, 500).run();
      MachineExchange(sampled, 500).run();
      EXPECT_FALSE(following.seen.empty());
      EXPECT_EQ(following.seen, sampling.seen) << text;
    }
}

std::uint64_t wire_bytes(std::span<const LinkCounters> links) {
  std::uint64_t sum = 0;
  for (const LinkCounters& link : links) sum += link.wire_bytes;
  return sum;
}

/// Records the links shown at one cycle, and how much they had carried by then.
class LinksOnce final : public SimProbe {
 public:
  bool follows_packets() const override { return false; }
  Tick sample_every() const override { return 5000; }
  void on_sample(Tick now, const SimSnapshot& machine) override {
    if (now != sample_every()) return;
    shown = machine.links();
    carried = wire_bytes(shown);
  }

  std::span<const LinkCounters> shown;
  std::uint64_t carried = 0;
};

/// The general model shows its live counters, which go on growing after the sample. The fast model
/// shows sums that it has computed for the sample.
TEST(Probe, ThatOnlySamplesKeepsTheFastModel) {
  const Shape shape = Shape::parse("4x3x2");
  for (const bool general : {false, true}) {
    LinksOnce probe;
    SimMachine sim(shape, {}, {.routing = {.general = general}, .probe = &probe});
    MachineExchange(sim, 500).run();
    const std::uint64_t in_the_end = wire_bytes(sim.counters().links);
    EXPECT_LT(0u, probe.carried);
    EXPECT_LT(probe.carried, in_the_end);
    EXPECT_EQ(wire_bytes(probe.shown), general ? in_the_end : probe.carried);
  }
}

class Refusal final : public SimProbe {
  void on_deliver(Tick, Rank, const ProbedPacket&) override { throw RunFailed("seen enough"); }
};

TEST(Probe, EndsTheRunByThrowing) {
  Refusal refusal;
  SimMachine sim(Shape::parse("3"), {}, {.probe = &refusal});
  MachineExchange exchange(sim, 100);
  EXPECT_THROW(exchange.run(), RunFailed);
}

}  // namespace
}  // namespace toroid
