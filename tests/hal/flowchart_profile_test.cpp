// The counts of the steps of fill and drain, checked by hand and against plain versions of the
// flowcharts.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hal/direction.hpp"
#include "hal/drain.hpp"
#include "hal/fill.hpp"
#include "hal/flowchart_profile.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/output_queues.hpp"
#include "hal/random.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "tests/hal/descriptors.hpp"
#include "tests/hal/patent_example.hpp"

namespace toroid {
namespace {

using namespace testing;  // NOLINT: the tests' own helpers

/// A turn as in Node: drains until a run moves nothing or all queues are empty.
std::size_t turn(Drain& drain, OutputQueues& queues, InjectionFifos& fifos) {
  std::size_t total = 0;
  drain.begin_turn(queues);
  while (!queues.empty()) {
    const std::size_t moved =
        drain.run(queues, fifos, 16, [](const SendDescriptor&, std::uint32_t, unsigned) {});
    total += moved;
    if (moved == 0) break;
  }
  return total;
}

DirectionCounts stuck_on(std::uint64_t x_plus, std::uint64_t x_minus, std::uint64_t y_plus,
                         std::uint64_t y_minus) {
  return {x_plus, x_minus, y_plus, y_minus};
}

// The patent's example: 8 peers, k = 2 packets, b = 1, so d = 2 rounds, L = 3 queues.
TEST(FillProfile, CountsThePatentsExample) {
  OutputQueues queues(3, 100);
  Fill fill(patent::random_map(), {.packets = 2, .per_visit = 1});
  fill.run(queues, patent::element);
  EXPECT_EQ(queues.profile(),
            (FillProfile{.visits = 16, .packets = 16, .descriptors = 16, .rounds = 2}));
}

TEST(FillProfile, CountsPacketsPerDescriptorAndEmptyVisits) {
  OutputQueues queues(1, 100);
  Fill fill(SendOrder({1, 2, 3}), {.packets = 6, .per_visit = 3});
  fill.run(queues, [](Rank peer, std::uint32_t first, std::uint32_t limit) -> SendDescriptor {
    if (peer == 2 && first >= 3)
      return SendDescriptor::none();  // peer 2 gets three packets, not six
    SendDescriptor made = descriptor(set_of({kXPlus}), peer);
    made.packets = limit;
    return made;
  });
  EXPECT_EQ(
      queues.profile(),
      (FillProfile{.visits = 6, .empty_visits = 1, .packets = 15, .descriptors = 5, .rounds = 2}));
}

TEST(FillProfile, DistinguishesFullQueuesFromAThrottle) {
  OutputQueues queues(2, 1);
  queues.note_stop();
  queues[1].push(descriptor(set_of({kXPlus}), 1));
  queues.note_stop();
  queues.note_stop();
  EXPECT_EQ(queues.profile().held_back, 1u);
  EXPECT_EQ(queues.profile().stops, 2u);
}

// L = 3: {Q32 Q21 Q12}, {Q22 Q23 Q31}, {Q13 Q33}, and FIFOs of one packet each. By hand:
// Q32 (X+ Y-) -> X+; Q21 (Y+) -> Y+; Q12 (X+) is stuck. Q22 (X+ Y+) is stuck. Q13 (X-) -> X-;
// Q33 (X- Y-) -> Y-. Now no FIFO has room. After X+ has been emptied: Q12 -> X+, and its queue is
// empty; again no FIFO has room. After X- has been emptied, Q22 (X+ Y+) blocks Q23 (Y+ X-), which
// could leave by X-: one stuck head, two empty queues.
TEST(DrainProfile, CountsThePatentsExampleByHand) {
  OutputQueues queues(3, 100);
  Fill(patent::random_map(), {.packets = 1, .per_visit = 1}).run(queues, patent::element);
  InjectionFifos fifos(tie_fifos(patent::torus(), 4, 1));
  Drain drain;
  EXPECT_EQ(turn(drain, queues, fifos), 4u);
  EXPECT_EQ(
      drain.profile(),
      (DrainProfile{.turns = 1, .queued = 8, .most_queued = 8, .full_turns = 1, .packets = 4}));
  fifos.release(kXPlus.index, 1);
  EXPECT_EQ(turn(drain, queues, fifos), 1u);
  EXPECT_EQ(
      drain.profile(),
      (DrainProfile{.turns = 2, .queued = 8 + 4, .most_queued = 8, .full_turns = 2, .packets = 5}));
  fifos.release(kXMinus.index, 1);
  EXPECT_EQ(turn(drain, queues, fifos), 0u);
  EXPECT_EQ(drain.profile(), (DrainProfile{.turns = 3,
                                           .queued = 8 + 4 + 3,
                                           .most_queued = 8,
                                           .full_turns = 2,
                                           .packets = 5,
                                           .stuck_turns = 1,
                                           .stuck_heads = 1,
                                           .skipped_queues = 2,
                                           .stuck_on = stuck_on(1, 0, 1, 0)}));
  for (unsigned f = 0; f < fifos.size(); ++f) fifos.release(f, fifos.used(f));
  EXPECT_EQ(turn(drain, queues, fifos), 3u);
  turn(drain, queues, fifos);
  EXPECT_EQ(drain.profile().turns, 5u);
  EXPECT_EQ(drain.profile().idle_turns, 1u);
  EXPECT_EQ(drain.profile().heads(), 9u);
}

/// The counts of a turn that ends stuck or without room. They are found by a scan of every queue,
/// as in FIG. 10.
DrainProfile plain_counts(OutputQueues& queues, const InjectionFifos& fifos) {
  DrainProfile counts{.turns = 1};
  if (fifos.open(1).empty()) return {.turns = 1, .full_turns = 1};
  counts.stuck_turns = 1;
  for (unsigned i = 0; i < queues.count(); ++i) {
    if (queues[i].empty()) {
      ++counts.skipped_queues;
      continue;
    }
    ++counts.stuck_heads;
    for (std::uint8_t d = 0; d < kMaxLinks; ++d)
      counts.stuck_on[d] += queues[i].front().header.hints().has({d}) ? 1 : 0;
  }
  return counts;
}

TEST(DrainProfile, CountsEveryStuckHeadOfFewAndOfManyQueues) {
  std::uint64_t stuck = 0;
  for (const unsigned count : {1u, 5u, 32u, 33u, 200u}) {
    Random random(count);
    OutputQueues queues(count, 100);
    InjectionFifos fifos(tie_fifos(Shape::parse("8x8"), 4, 8));
    DrainProfile expected;
    Drain drain;
    std::uint64_t waiting = 0;
    for (unsigned step = 0; step < 200; ++step) {
      queues[random.below(count)].push(
          descriptor(DirectionSet(static_cast<std::uint16_t>(1 + random.below(15))), step,
                     1 + random.below(8)));
      const unsigned emptied = random.below(4);
      fifos.release(emptied, fifos.used(emptied));
      ++waiting;
      const std::size_t moved = turn(drain, queues, fifos);
      DrainProfile now = queues.empty() ? DrainProfile{.turns = 1} : plain_counts(queues, fifos);
      now.packets = moved;
      now.queued = now.most_queued = waiting;
      waiting -= moved;
      expected += now;
      ASSERT_EQ(drain.profile(), expected) << count << " queues, step " << step;
    }
    stuck += expected.stuck_heads;
  }
  EXPECT_GT(stuck, 500u);
}

TEST(DirectionTally, CountsManySetsOfTwelveDirections) {
  Random random(7);
  DirectionTally tally;
  DirectionCounts emptied{}, expected{};
  for (unsigned set = 0; set < 5000; ++set) {
    const DirectionSet directions(static_cast<std::uint16_t>(random.below(1u << kMaxLinks)));
    tally.add(directions, emptied);
    for (std::uint8_t d = 0; d < kMaxLinks; ++d) expected[d] += directions.has({d}) ? 1 : 0;
    if (set % 500 != 0 && set < 4990) continue;
    DirectionCounts counts = emptied;
    tally.add_to(counts);
    ASSERT_EQ(counts, expected) << set;
  }
}

TEST(FlowchartProfile, IsSummedOverNodes) {
  FlowchartProfile sum;
  const FlowchartProfile one{.fill = {1, 2, 3, 4, 5, 6, 7},
                             .drain = {.turns = 8,
                                       .queued = 15,
                                       .most_queued = 16,
                                       .full_turns = 9,
                                       .packets = 10,
                                       .idle_turns = 11,
                                       .stuck_turns = 12,
                                       .stuck_heads = 13,
                                       .skipped_queues = 14,
                                       .stuck_on = stuck_on(1, 2, 3, 4)}};
  sum += one;
  sum += one;
  EXPECT_EQ(sum.fill, (FillProfile{2, 4, 6, 8, 10, 12, 14}));
  EXPECT_EQ(sum.drain, (DrainProfile{16, 30, 16, 18, 20, 22, 24, 26, 28, stuck_on(2, 4, 6, 8)}));
}

}  // namespace
}  // namespace toroid
