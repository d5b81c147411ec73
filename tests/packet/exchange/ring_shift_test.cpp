// Blocks that are shifted round a ring arrive as they were sent, however fast each node is.
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
#include "router/shm/ring_fabric.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/router/shm/ring_machine.hpp"

namespace toroid {
namespace {

constexpr std::size_t kPortions = 3;

/// The blocks to shift, the number of steps in each round, and the number of rounds.
struct Shifts {
  std::size_t words;
  unsigned steps;
  unsigned rounds = 1;
  RingShift::Carrier carrier = RingShift::Carrier::packets;

  /// With pointers, nodes share memory, so a block that has been passed on may be overwritten.
  bool keeps_what_is_sent() const { return carrier == RingShift::Carrier::packets; }
};

struct Ring {
  Ring(Node& node, const Shifts& shifts)
      : shifts(shifts),
        buffers{std::vector<std::uint64_t>(shifts.words), std::vector<std::uint64_t>(shifts.words)},
        shift(node, kFirstUserHandler,
              {(node.rank() + 1) % node.size(), (node.rank() + node.size() - 1) % node.size(), 1,
               shifts.carrier},
              shifts.words * sizeof(std::uint64_t)) {}

  /// Every round begins in the other buffer.
  void begin(unsigned round, std::uint64_t mark) {
    std::ranges::fill(buffers[round % 2], mark);
    const auto bytes = [this](unsigned buffer) {
      return std::as_writable_bytes(std::span(buffers[buffer % 2]));
    };
    shift.begin(bytes(round), bytes(round + 1));
  }
  /// Whether the first `bytes` bytes of the current block all have this mark.
  bool holds(std::uint64_t mark, std::size_t bytes) const {
    const auto* const first = reinterpret_cast<const std::uint64_t*>(shift.block());
    const std::span words(first, bytes / sizeof(std::uint64_t));
    return std::ranges::count(words, mark) == std::ssize(words);
  }

  Shifts shifts;
  std::array<std::vector<std::uint64_t>, 2> buffers;
  RingShift shift;
  unsigned right = 0;
};

/// Every node has its own pace, which changes, and works in portions that are not multiples of
/// packets.
Program shift_round(Node& node, Ring& ring, unsigned round) {
  const std::size_t bytes = ring.shift.size();
  const unsigned steps = ring.shifts.steps;
  const auto mark = [&](Rank rank) { return round * std::uint64_t{node.size()} + rank; };
  ring.begin(round, mark(node.rank()));
  for (unsigned step = 0; step <= steps; ++step) {
    const std::uint64_t expected = mark((node.rank() + node.size() * steps - step) % node.size());
    for (std::size_t portion = 1; portion <= kPortions; ++portion) {
      const std::size_t to = bytes * portion / kPortions;
      const std::uint64_t arrived = ring.shift.arrived_with(to);
      co_await node.until(ring.shift.arrived(), arrived);
      ring.right += ring.holds(expected, to) ? 1 : 0;
      if (step == steps) continue;
      ring.shift.release(to);
      const Tick cycles = (node.rank() * 7 + step * 3 + portion) % 5 * 7000;
      co_await node.compute(cycles);
      if (ring.shifts.keeps_what_is_sent()) ring.right += ring.holds(expected, to) ? 1 : 0;
    }
    if (step + 1 < steps) ring.shift.advance();
    if (step + 1 == steps) ring.shift.end();
  }
  if (steps == 0) ring.shift.end();
  const std::uint64_t sent = ring.shift.sent_with_all();
  co_await node.until(ring.shift.sent(), sent);
}

Program shift_rounds(Node& node, Ring& ring) {
  for (unsigned round = 0; round < ring.shifts.rounds; ++round) {
    Program one = shift_round(node, ring, round);
    co_await node.perform(one);
  }
}

void expect_shifts(Fabric& fabric, const Shifts& shifts) {
  Runner runner(fabric);
  std::deque<Ring> rings;
  runner.run([&](Node& node) { return shift_rounds(node, rings.emplace_back(node, shifts)); });
  const Rank size = fabric.shape().size();
  const unsigned looks = shifts.keeps_what_is_sent() ? 2 * shifts.steps + 1 : shifts.steps + 1;
  for (Rank r = 0; r < size; ++r) {
    EXPECT_EQ(rings[r].right, shifts.rounds * kPortions * looks) << "node " << r << " of " << size;
  }
}

TEST(RingShift, PassesBlocksOnAtAnyPace) {
  for (const char* torus : {"1", "2", "3", "7"})
    for (const std::size_t words : {1u, 30u, 31u, 500u}) {
      const auto fabric = make_sim_fabric(Shape::parse(torus), Machine{});
      expect_shifts(*fabric, {words, fabric->shape().size() == 1 ? 0u : 23u});
    }
}

TEST(RingShift, LeavesBuffersToTheCallerBetweenRounds) {
  for (const char* torus : {"2", "3", "7"}) {
    const Shape shape = Shape::parse(torus);
    for (const unsigned times : {1u, 2u}) {
      const auto fabric = make_sim_fabric(shape, Machine{});
      expect_shifts(*fabric, {100, times * shape.size(), 5});
    }
  }
}

TEST(RingShift, WorksOnRingFabrics) {
  const auto cases = testing::ring_cases_beside(2);
  for (std::size_t s = 0; s < cases.size(); ++s)
    for (const auto& c : cases[s]) {
      const Shape shape = Shape::parse(s == 0 ? "2" : "5");
      const auto fabric = testing::ring_fabric(shape, c.threads, testing::routed(c.route));
      expect_shifts(*fabric, {300, 10 * shape.size(), 3});
    }
}

TEST(RingShift, PassesPointersOnIfMemoryIsShared) {
  for (const unsigned threads : {1u, 2u, 3u})
    for (const char* torus : {"2", "5"}) {
      const Shape shape = Shape::parse(torus);
      const auto fabric = testing::ring_fabric(shape, threads, testing::routed(RingRoute::direct));
      const unsigned steps = 10 * shape.size();
      expect_shifts(*fabric, {300, steps, 4, RingShift::Carrier::pointer});
      constexpr unsigned kOfAStep = kPortions + 1;  // one packet per portion, and one permission
      EXPECT_EQ(fabric->counters().packets, std::uint64_t{4} * steps * shape.size() * kOfAStep);
    }
}

TEST(RingShift, LeavesTheBlockOfASingleNodeInPlace) {
  const auto fabric = make_sim_fabric(Shape::parse("1"), Machine{});
  expect_shifts(*fabric, {10, 3, 2});
  EXPECT_EQ(fabric->counters().packets, 0u);
}

TEST(RingShift, RefusesBlocksTooLongForAnArgument) {
  constexpr std::uint64_t kMost = std::uint64_t{kPayloadBytes} * (UINT32_MAX / 2);
  EXPECT_NO_THROW(RingShift::check(kMost));
  EXPECT_THROW(RingShift::check(kMost + 1), BadInput);
}

}  // namespace
}  // namespace toroid
