// Drain compared with a plain version of FIG. 10 without shortcuts, on random queues and FIFOs.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "hal/direction.hpp"
#include "hal/drain.hpp"
#include "hal/fair_maps.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/output_queues.hpp"
#include "hal/packet.hpp"
#include "hal/random.hpp"
#include "hal/send_descriptor.hpp"
#include "tests/hal/descriptors.hpp"
#include "tests/scale.hpp"

namespace toroid {
namespace {

using DescriptorLists = std::vector<std::deque<SendDescriptor>>;
using testing::Moved;

/// The least full FIFO that can take the packet; -1 if there is none. If several are equally full,
/// the turn decides: first for a half of eight FIFOs, then for the one of the lowest rank in it.
int choose(const std::vector<InjectionFifo>& fifos, const PacketHeader& header, unsigned& turn) {
  std::vector<unsigned> least;
  for (unsigned f = 0; f < fifos.size(); ++f) {
    const auto& fifo = fifos[f];
    const bool ties = (fifo.directions.bits() & header.hints().bits()) != 0;
    const bool fits = fifo.used + header.chunks() <= fifo.capacity;
    if (!ties || !fits) continue;
    if (!least.empty() && fifo.used < fifos[least.front()].used) least.clear();
    if (least.empty() || fifo.used == fifos[least.front()].used) least.push_back(f);
  }
  if (least.empty()) return -1;
  const unsigned half = least.front() / 8 == least.back() / 8 ? least.front() / 8 : turn % 2;
  unsigned best = least.front() / 8 == half ? least.front() : least.back();
  const auto rank = [&](unsigned f) { return kFairMaps<3>.rank[turn / 8][f % 8] ^ turn % 8; };
  for (const unsigned f : least)
    if (f / 8 == half && rank(f) < rank(best)) best = f;
  if (least.size() > 1) turn = (turn + 1) % InjectionFifos::kTurns;
  return static_cast<int>(best);
}

/// FIG. 10: empties the queues one by one, each as far as possible, until a whole round moves
/// nothing.
Moved reference_drain(DescriptorLists& queues, std::vector<InjectionFifo>& fifos) {
  Moved moved;
  unsigned turn = 0;
  for (bool progress = true; progress;) {
    progress = false;
    for (auto& queue : queues)
      while (!queue.empty()) {
        const int f = choose(fifos, queue.front().header, turn);
        if (f < 0) break;
        fifos[static_cast<std::size_t>(f)].used += queue.front().header.chunks();
        moved.emplace_back(queue.front().cookie, static_cast<unsigned>(f));
        queue.pop_front();
        progress = true;
      }
  }
  return moved;
}

SendDescriptor random_descriptor(Random& random, std::uint64_t cookie) {
  const auto hints = static_cast<std::uint16_t>(1 + random.below(63));
  return testing::descriptor(DirectionSet(hints), cookie, 1 + random.below(8));
}

/// Either a few queues, whose heads are visited one by one, or many queues, whose heads are indexed
/// (from kIndexedFrom queues on).
unsigned random_queue_count(Random& random) {
  return random.coin() ? 1 + random.below(6) : OutputQueues::kIndexedFrom + random.below(100);
}

std::vector<InjectionFifo> random_fifos(Random& random) {
  std::vector<InjectionFifo> fifos(1 + random.below(InjectionFifos::kMost));
  for (auto& fifo : fifos) {
    fifo.directions = DirectionSet(static_cast<std::uint16_t>(1 + random.below(63)));
    fifo.capacity = 8 + random.below(60);
    fifo.used = random.below(fifo.capacity + 1);
  }
  return fifos;
}

TEST(Drain, MatchesTheFlowchartOnRandomQueuesAndFifos) {
  std::size_t total = 0;
  std::size_t stuck = 0;
  for (std::uint64_t seed = 1; seed <= testing::scaled(3000u); ++seed) {
    Random random(seed);
    auto expected_fifos = random_fifos(random);
    InjectionFifos fifos(expected_fifos);
    OutputQueues queues(random_queue_count(random), 100);
    DescriptorLists copies(queues.count());
    for (std::uint64_t c = 0; c < 40; ++c) {
      const SendDescriptor d = random_descriptor(random, c);
      const unsigned q = random.below(queues.count());
      queues[q].push(d);
      copies[q].push_back(d);
    }
    Moved moved;
    Drain().run(queues, fifos, 1000, [&](const SendDescriptor& d, std::uint32_t, unsigned f) {
      moved.emplace_back(d.cookie, f);
    });
    ASSERT_EQ(moved, reference_drain(copies, expected_fifos)) << "seed " << seed;
    for (unsigned f = 0; f < fifos.size(); ++f)
      ASSERT_EQ(fifos.used(f), expected_fifos[f].used) << "seed " << seed;
    total += moved.size();
    stuck += queues.empty() ? 0 : 1;
  }
  EXPECT_GT(total, testing::scaled(10000u));  // not all cases were stuck from the start
  EXPECT_GT(stuck, testing::scaled(1000u));   // not all cases had enough room
}

/// The packets that drain() hands over, one by one.
Moved drained_packets(OutputQueues& queues, InjectionFifos& fifos, std::size_t limit) {
  Moved moved;
  const std::size_t count =
      Drain().run(queues, fifos, limit, [&](const SendDescriptor& d, std::uint32_t n, unsigned f) {
        for (std::uint32_t p = d.first; p < d.first + n; ++p) moved.emplace_back(d.cookie + p, f);
      });
  EXPECT_EQ(count, moved.size());
  EXPECT_LE(count, limit);
  return moved;
}

TEST(Drain, MovesRunsLikeSinglePackets) {
  std::size_t in_runs = 0;
  for (std::uint64_t seed = 1; seed <= testing::scaled(3000u); ++seed) {
    Random random(seed);
    InjectionFifos fifos(random_fifos(random));
    InjectionFifos one_by_one_fifos = fifos;
    OutputQueues runs(random_queue_count(random), 100);
    OutputQueues singles(runs.count(), 1000);
    for (std::uint64_t c = 0; c < 10; ++c) {
      SendDescriptor d = random_descriptor(random, 100 * c);
      d.packets = 1 + random.below(12);
      const unsigned q = random.below(runs.count());
      runs[q].push(d);
      for (std::uint32_t p = 0; p < d.packets; ++p)
        singles[q].push({.header = d.header, .source = nullptr, .cookie = d.cookie + p});
    }
    const std::size_t limit = 1 + random.below(40);
    const Moved expected = drained_packets(singles, one_by_one_fifos, limit);
    ASSERT_EQ(drained_packets(runs, fifos, limit), expected) << "seed " << seed;
    for (unsigned f = 0; f < fifos.size(); ++f)
      ASSERT_EQ(fifos.used(f), one_by_one_fifos.used(f)) << "seed " << seed;
    in_runs += expected.size();
  }
  EXPECT_GT(in_runs, testing::scaled(10000u));
}

}  // namespace
}  // namespace toroid
