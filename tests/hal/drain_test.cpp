#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hal/direction.hpp"
#include "hal/drain.hpp"
#include "hal/drain_rules.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/output_queues.hpp"
#include "hal/send_descriptor.hpp"
#include "tests/hal/descriptors.hpp"

namespace toroid {
namespace {

using namespace testing;  // NOLINT: the tests' own helpers

InjectionFifo fifo(Direction direction, unsigned capacity) {
  return {.directions = set_of({direction}), .capacity = capacity};
}

InjectionFifos tied(std::vector<InjectionFifo> fifos) {
  return InjectionFifos(fifos);
}

Moved drained(Drain& drain, OutputQueues& queues, InjectionFifos& fifos, std::size_t limit = 1000) {
  Moved moved;
  const std::size_t count = drain.run(
      queues, fifos, limit,
      [&](const SendDescriptor& d, std::uint32_t, unsigned f) { moved.emplace_back(d.cookie, f); });
  EXPECT_EQ(count, moved.size());
  return moved;
}

TEST(Drain, SkipsAQueueWhoseFifosAreFull) {
  OutputQueues queues(3, 100);
  InjectionFifos fifos = tied({fifo(kXPlus, 1), fifo(kYPlus, 8)});
  for (const std::uint64_t c : {10u, 11u}) queues[0].push(descriptor(set_of({kXPlus}), c));
  for (const std::uint64_t c : {20u, 21u}) queues[1].push(descriptor(set_of({kXPlus}), c));
  for (const std::uint64_t c : {30u, 31u}) queues[2].push(descriptor(set_of({kYPlus}), c));
  Drain drain;
  EXPECT_EQ(drained(drain, queues, fifos), (Moved{{10, 0}, {30, 1}, {31, 1}}));
  EXPECT_EQ(queues[0].front().cookie, 11u);
  EXPECT_EQ(queues[1].size(), 2u);
}

TEST(Drain, ResumesWhereRoomHasAppeared) {
  OutputQueues queues(2, 100);
  InjectionFifos fifos = tied({fifo(kXPlus, 1), fifo(kYPlus, 1)});
  for (const std::uint64_t c : {10u, 11u}) queues[0].push(descriptor(set_of({kXPlus}), c));
  for (const std::uint64_t c : {20u, 21u}) queues[1].push(descriptor(set_of({kYPlus}), c));
  Drain drain;
  EXPECT_EQ(drained(drain, queues, fifos), (Moved{{10, 0}, {20, 1}}));
  EXPECT_EQ(drained(drain, queues, fifos), Moved{});
  fifos.release(1, 1);
  EXPECT_EQ(drained(drain, queues, fifos), (Moved{{21, 1}}));
  fifos.release(0, 1);
  EXPECT_EQ(drained(drain, queues, fifos), (Moved{{11, 0}}));
  EXPECT_TRUE(queues.empty());
}

/// Drains packets of two chunks that may go by X+ or Y+. Of the three FIFOs for these directions,
/// the second is empty.
Moved drained_by(DrainRule rule, std::size_t packets) {
  OutputQueues queues(1, 100);
  InjectionFifos fifos =
      tied({fifo(kXPlus, 8), fifo(kYPlus, 8), fifo(kXPlus, 4), fifo(kXMinus, 8)});
  fifos.add(0, 4);
  fifos.add(2, 2);
  for (std::uint64_t c = 0; c < packets; ++c)
    queues[0].push(descriptor(set_of({kXPlus, kYPlus}), c, 2));
  Drain drain(rule);
  return drained(drain, queues, fifos);
}

TEST(Drain, ChoosesTheFifoByTheDrainRule) {
  EXPECT_EQ(drained_by(DrainRule::least_full, 5), (Moved{{0, 1}, {1, 1}, {2, 2}, {3, 1}, {4, 0}}));
  EXPECT_EQ(drained_by(DrainRule::first_fit, 5), (Moved{{0, 0}, {1, 0}, {2, 1}, {3, 1}, {4, 1}}));
  EXPECT_EQ(drained_by(DrainRule::round_robin, 5), (Moved{{0, 1}, {1, 2}, {2, 0}, {3, 1}, {4, 0}}));
}

TEST(Drain, FillsAllRoomUnderAnyRule) {
  for (const DrainRule rule : {DrainRule::least_full, DrainRule::first_fit, DrainRule::round_robin})
    EXPECT_EQ(drained_by(rule, 20).size(), 7u);
}

TEST(Drain, VisitsNamedQueuesToo) {
  OutputQueues queues(1, 100, 2);
  InjectionFifos fifos = tied({fifo(kXPlus, 1), fifo(kYPlus, 8)});
  queues[0].push(descriptor(set_of({kXPlus}), 1));
  queues[0].push(descriptor(set_of({kXPlus}), 2));
  queues.named(1).push(descriptor(set_of({kYPlus}), 3));
  Drain drain;
  EXPECT_EQ(drained(drain, queues, fifos), (Moved{{1, 0}, {3, 1}}));
}

TEST(Drain, NeverLetsAPacketOvertakeTheHeadOfItsQueue) {
  OutputQueues queues(1, 100);
  InjectionFifos fifos = tied({fifo(kXPlus, 0), fifo(kYPlus, 8)});
  queues[0].push(descriptor(set_of({kXPlus}), 1));
  queues[0].push(descriptor(set_of({kYPlus}), 2));
  Drain drain;
  EXPECT_EQ(drained(drain, queues, fifos), Moved{});
}

TEST(Drain, NeedsRoomForTheWholePacket) {
  OutputQueues queues(1, 100);
  InjectionFifos fifos = tied({fifo(kXPlus, 12)});
  for (const std::uint64_t c : {1u, 2u}) queues[0].push(descriptor(set_of({kXPlus}), c, 8));
  Drain drain;
  EXPECT_EQ(drained(drain, queues, fifos), (Moved{{1, 0}}));
  EXPECT_EQ(fifos[0].used, 8u);
  fifos.release(0, 3);  // 12 - 5 = 7 chunks free: one too few
  EXPECT_EQ(drained(drain, queues, fifos), Moved{});
  fifos.release(0, 1);
  EXPECT_EQ(drained(drain, queues, fifos), (Moved{{2, 0}}));
}

TEST(Drain, CountsEachPacketBeforeItChoosesTheNextLeastFullFifo) {
  OutputQueues queues(1, 100);
  InjectionFifos fifos = tied({fifo(kXPlus, 32), fifo(kYPlus, 32), fifo(kXPlus, 32)});
  const auto both = set_of({kXPlus, kYPlus});
  const unsigned chunks[] = {3, 2, 1, 1, 1};
  for (std::uint64_t c = 0; c < 5; ++c) queues[0].push(descriptor(both, c, chunks[c]));
  Drain drain;  // by hand, chunks per FIFO: 3 0 0, 3 2 0, 3 2 1, 3 2 2, then 3 2 3
  EXPECT_EQ(drained(drain, queues, fifos), (Moved{{0, 0}, {1, 1}, {2, 2}, {3, 2}, {4, 2}}));
  EXPECT_EQ(fifos[0].used, 3u);
  EXPECT_EQ(fifos[1].used, 2u);
  EXPECT_EQ(fifos[2].used, 3u);
}

TEST(Drain, StopsAtTheLimitAndResumesInTheSameQueue) {
  OutputQueues queues(2, 100);
  InjectionFifos fifos = tied({fifo(kXPlus, 100)});
  for (std::uint64_t c = 0; c < 5; ++c) queues[0].push(descriptor(set_of({kXPlus}), c));
  for (std::uint64_t c = 5; c < 8; ++c) queues[1].push(descriptor(set_of({kXPlus}), c));
  Drain drain;
  Moved all;
  for (std::size_t call = 0; call < 4; ++call) {
    const Moved moved = drained(drain, queues, fifos, 2);
    EXPECT_EQ(moved.size(), 2u);
    all.insert(all.end(), moved.begin(), moved.end());
  }
  for (std::uint64_t c = 0; c < 8; ++c) EXPECT_EQ(all[c].first, c);
  EXPECT_TRUE(queues.empty());
}

TEST(Drain, MovesNothingOutOfEmptyQueues) {
  OutputQueues queues(4, 100);
  InjectionFifos fifos = tied({fifo(kXPlus, 100)});
  Drain drain;
  EXPECT_EQ(drained(drain, queues, fifos), Moved{});
}

}  // namespace
}  // namespace toroid
