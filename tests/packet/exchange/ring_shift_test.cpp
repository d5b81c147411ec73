// Blocks that are shifted round a ring: what arrives is what was sent, whatever the nodes' pace.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "hal/check.hpp"
#include "hal/fabric.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/ring_shift.hpp"
#include "packet/node/handlers.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/runner.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/router/shm/ring_machine.hpp"

namespace toroid {
namespace {

constexpr std::size_t kPortions = 3;

struct Ring {
  Ring(Node& node, std::size_t words, unsigned steps)
      : steps(steps),
        buffers{std::vector<std::uint64_t>(words, node.rank()), std::vector<std::uint64_t>(words)},
        shift(node, kFirstUserHandler,
              {(node.rank() + 1) % node.size(), (node.rank() + node.size() - 1) % node.size()},
              {std::as_writable_bytes(std::span(buffers[0])),
               std::as_writable_bytes(std::span(buffers[1]))}) {}

  /// The first bytes of the current block were `rank`'s at the start; all of them.
  bool holds(Rank rank, std::size_t bytes) const {
    const auto words = std::span(buffers[shift.current()]).first(bytes / sizeof(std::uint64_t));
    return std::ranges::count(words, rank) == std::ssize(words);
  }

  unsigned steps;
  std::array<std::vector<std::uint64_t>, 2> buffers;
  RingShift shift;
  unsigned right = 0;
};

/// Every node at a pace of its own, which changes, and in portions that are no multiples of
/// packets.
Program shift_round(Node& node, Ring& ring) {
  const std::size_t bytes = ring.shift.size();
  for (unsigned step = 0; step <= ring.steps; ++step) {
    const Rank expected = (node.rank() + node.size() * ring.steps - step) % node.size();
    for (std::size_t portion = 1; portion <= kPortions; ++portion) {
      const std::size_t to = bytes * portion / kPortions;
      const std::uint64_t arrived = ring.shift.arrived_with(to);
      co_await node.until(ring.shift.arrived(), arrived);
      ring.right += ring.holds(expected, to) ? 1 : 0;
      if (step == ring.steps) continue;
      ring.shift.release(to);
      const Tick cycles = (node.rank() * 7 + step * 3 + portion) % 5 * 7000;
      co_await node.compute(cycles);
      ring.right += ring.holds(expected, to) ? 1 : 0;
    }
    if (step < ring.steps) ring.shift.advance();
  }
  const std::uint64_t sent = ring.shift.sent_with_all();
  co_await node.until(ring.shift.sent(), sent);
}

void expect_shifts(Fabric& fabric, std::size_t words, unsigned steps) {
  Runner runner(fabric);
  std::deque<Ring> rings;
  runner.run([&](Node& node) { return shift_round(node, rings.emplace_back(node, words, steps)); });
  const Rank size = fabric.shape().size();
  for (Rank r = 0; r < size; ++r) {
    EXPECT_EQ(rings[r].right, kPortions * (2 * steps + 1)) << "node " << r << " of " << size;
  }
}

TEST(RingShift, PassesBlocksOnAtAnyPace) {
  for (const char* torus : {"1", "2", "3", "7"})
    for (const std::size_t words : {1u, 30u, 31u, 500u}) {
      const auto fabric = make_sim_fabric(Shape::parse(torus), Machine{});
      expect_shifts(*fabric, words, fabric->shape().size() == 1 ? 0 : 23);
    }
}

TEST(RingShift, PassesBlocksOnOverRings) {
  for (const auto& c : testing::ring_cases())
    for (const char* torus : {"2", "5"}) {
      const auto fabric =
          testing::ring_fabric(Shape::parse(torus), c.threads, testing::routed(c.route));
      expect_shifts(*fabric, 300, 50);
    }
}

TEST(RingShift, LeavesTheBlockOfALonelyNodeWhereItIs) {
  const auto fabric = make_sim_fabric(Shape::parse("1"), Machine{});
  expect_shifts(*fabric, 10, 3);
  EXPECT_EQ(fabric->counters().packets, 0u);
}

TEST(RingShift, RefusesBlocksThatAnArgumentCannotCount) {
  constexpr std::uint64_t kMost = std::uint64_t{kPayloadBytes} * (UINT32_MAX / 2);
  EXPECT_NO_THROW(RingShift::check(kMost));
  EXPECT_THROW(RingShift::check(kMost + 1), BadInput);
}

}  // namespace
}  // namespace toroid
