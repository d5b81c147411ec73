// Broadcasts in a ring: all nodes get every block, one block after the other, however fast each
// node is.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "hal/fabric.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/ring_broadcast.hpp"
#include "packet/node/handlers.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/runner.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/router/shm/ring_machine.hpp"

namespace toroid {
namespace {

/// The blocks to broadcast, the place of the first one, and the number of rounds.
struct Broadcasts {
  std::size_t words;
  unsigned first = 0;
  unsigned rounds = 1;
};

struct BroadcastRing {
  BroadcastRing(Node& node, const Broadcasts& what)
      : what(what),
        own(what.words),
        buffers{std::vector<std::uint64_t>(what.words), std::vector<std::uint64_t>(what.words)},
        broadcast(node, kFirstUserHandler,
                  {(node.rank() + 1) % node.size(), (node.rank() + node.size() - 1) % node.size(),
                   node.rank(), node.size(), what.first % node.size()},
                  what.words * sizeof(std::uint64_t)) {}

  /// Overwrites all buffers first: between rounds they belong to the caller.
  void begin(std::uint64_t mark) {
    std::ranges::fill(own, mark);
    for (auto& buffer : buffers) std::ranges::fill(buffer, ~mark);
    broadcast.begin(std::as_bytes(std::span(own)), {std::as_writable_bytes(std::span(buffers[0])),
                                                    std::as_writable_bytes(std::span(buffers[1]))});
  }
  bool holds(std::uint64_t mark) const {
    const std::span words(reinterpret_cast<const std::uint64_t*>(broadcast.block()), own.size());
    return std::ranges::count(words, mark) == std::ssize(words);
  }

  Broadcasts what;
  std::vector<std::uint64_t> own;
  std::array<std::vector<std::uint64_t>, 2> buffers;
  RingBroadcast broadcast;
  unsigned right = 0;
};

/// Every node has its own pace, which changes.
Program broadcast_rounds(Node& node, BroadcastRing& ring) {
  for (unsigned round = 0; round < ring.what.rounds; ++round) {
    const auto mark = [&](Rank rank) { return round * std::uint64_t{node.size()} + rank; };
    ring.begin(mark(node.rank()));
    for (unsigned step = 0; step < node.size(); ++step) {
      const std::uint64_t current = ring.broadcast.current();
      co_await node.until(ring.broadcast.arrived(), current);
      const std::uint64_t expected = mark((ring.what.first + step) % node.size());
      ring.right += ring.holds(expected) ? 1 : 0;
      const Tick cycles = (node.rank() * 7 + step * 3) % 5 * 7000;
      co_await node.compute(cycles);
      ring.right += ring.holds(expected) ? 1 : 0;
      ring.broadcast.advance();
    }
    const std::uint64_t all = ring.broadcast.current() - 1;
    co_await node.until(ring.broadcast.finished(), all);
  }
}

void expect_broadcasts(Fabric& fabric, const Broadcasts& what) {
  Runner runner(fabric);
  std::deque<BroadcastRing> rings;
  runner.run([&](Node& node) { return broadcast_rounds(node, rings.emplace_back(node, what)); });
  const Rank size = fabric.shape().size();
  for (Rank r = 0; r < size; ++r) {
    EXPECT_EQ(rings[r].right, 2 * what.rounds * size) << "node " << r << " of " << size;
    EXPECT_FALSE(rings[r].broadcast.is_under_way());
  }
}

TEST(RingBroadcast, DeliversEveryBlockToAllAtAnyPace) {
  for (const char* torus : {"1", "2", "3", "4", "7"})
    for (const std::size_t words : {1u, 30u, 31u, 500u})
      for (const unsigned first : {0u, 1u, 5u}) {
        const auto fabric = make_sim_fabric(Shape::parse(torus), Machine{});
        expect_broadcasts(*fabric, {words, first, 1});
      }
}

TEST(RingBroadcast, LeavesBuffersToTheCallerBetweenRounds) {
  for (const char* torus : {"1", "2", "3", "4", "7"}) {
    const auto fabric = make_sim_fabric(Shape::parse(torus), Machine{});
    expect_broadcasts(*fabric, {100, 2, 5});
  }
}

TEST(RingBroadcast, WorksOnRingFabrics) {
  const auto cases = testing::ring_cases_beside(2);
  for (std::size_t s = 0; s < cases.size(); ++s)
    for (const auto& c : cases[s]) {
      const Shape shape = Shape::parse(s == 0 ? "2" : "5");
      const auto fabric = testing::ring_fabric(shape, c.threads, testing::routed(c.route));
      expect_broadcasts(*fabric, {300, 1, 10});
    }
}

/// A block crosses P - 1 links: half of the ring each way.
TEST(RingBroadcast, SendsABlockOverEachLinkAtMostOnce) {
  constexpr std::uint64_t kPackets = 5;
  for (const unsigned size : {2u, 3u, 4u, 7u}) {
    const auto fabric = make_sim_fabric(Shape::parse(std::to_string(size)), Machine{});
    expect_broadcasts(*fabric, {kPackets * 30, 0, 3});
    const std::uint64_t blocks = 3 * size * (size - 1);
    EXPECT_EQ(fabric->counters().packets, blocks * (kPackets + 1));  // one permission per block
    EXPECT_EQ(fabric->counters().packet_hops, fabric->counters().packets);
  }
}

}  // namespace
}  // namespace toroid
