// Fill and drain on the patent's own example of FIGS. 9 and 10.
#include "tests/hal/patent_example.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>

#include "hal/drain.hpp"
#include "hal/fill.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/output_queues.hpp"

namespace toroid {
namespace {

using namespace testing;          // NOLINT: the tests' own helpers
using namespace testing::patent;  // NOLINT

struct Injected {
  Rank peer;
  DirectionSet hints;
  unsigned fifo;
};

/// Runs FIG. 9 and then FIG. 10 with L queues and one FIFO per direction.
std::vector<Injected> fill_and_drain(unsigned queue_count) {
  OutputQueues queues(queue_count, 100);
  Fill fill(random_map(), {.packets = 1, .per_visit = 1});
  fill.run(queues, element);
  EXPECT_TRUE(fill.done());
  InjectionFifos fifos(tie_fifos(torus(), 4, 32));
  std::vector<Injected> moved;
  Drain().run(queues, fifos, 100, [&](const SendDescriptor& d, std::uint32_t, unsigned fifo) {
    moved.push_back({static_cast<Rank>(d.cookie), d.header.hints(), fifo});
  });
  EXPECT_TRUE(queues.empty());
  return moved;
}

TEST(PatentExample, SendsInTheOrderOfTheRandomMap) {
  const auto moved = fill_and_drain(1);
  ASSERT_EQ(moved.size(), kRandomMap.size());
  for (std::size_t i = 0; i < moved.size(); ++i) EXPECT_EQ(moved[i].peer, q(kRandomMap[i]));
}

TEST(PatentExample, OffersExactlyThePossibleDirections) {
  const std::map<unsigned, DirectionSet> possible = {
      {32, set_of({kXPlus, kYMinus})}, {22, set_of({kXPlus, kYPlus})},
      {13, set_of({kXMinus})},         {21, set_of({kYPlus})},
      {23, set_of({kYPlus, kXMinus})}, {33, set_of({kXMinus, kYMinus})},
      {12, set_of({kXPlus})},          {31, set_of({kYMinus})}};
  const auto moved = fill_and_drain(1);
  ASSERT_EQ(moved.size(), possible.size());
  for (const auto& [rc, directions] : possible) {
    const auto it = std::find_if(moved.begin(), moved.end(),
                                 [rc = rc](const Injected& m) { return m.peer == q(rc); });
    ASSERT_NE(it, moved.end()) << "Q" << rc;
    EXPECT_EQ(it->hints, directions) << "Q" << rc;
  }
}

// By hand, choosing the first of equally full FIFOs in the order X+ X- Y+ Y-:
//   Q32 X+ (0) or Y- (0) -> X+    Q22 X+ (1) or Y+ (0) -> Y+    Q13 -> X-    Q21 -> Y+
//   Q23 Y+ (2) or X- (1) -> X-    Q33 X- (2) or Y- (0) -> Y-    Q12 -> X+    Q31 -> Y-
TEST(PatentExample, FillsTheLeastFullFifo) {
  const std::vector<Direction> by_hand = {kXPlus,  kYPlus,  kXMinus, kYPlus,
                                          kXMinus, kYMinus, kXPlus,  kYMinus};
  const auto moved = fill_and_drain(1);
  ASSERT_EQ(moved.size(), by_hand.size());
  for (std::size_t i = 0; i < moved.size(); ++i)
    EXPECT_EQ(moved[i].fifo, by_hand[i].index) << "Q" << kRandomMap[i];
}

// With L = 3 the queues are {Q32 Q21 Q12}, {Q22 Q23 Q31}, {Q13 Q33}; each is drained as far as the
// FIFOs allow before the next.
TEST(PatentExample, DrainsEachOfThreeQueuesInTurn) {
  const std::vector<unsigned> by_hand = {32, 21, 12, 22, 23, 31, 13, 33};
  const auto moved = fill_and_drain(3);
  ASSERT_EQ(moved.size(), by_hand.size());
  for (std::size_t i = 0; i < moved.size(); ++i) EXPECT_EQ(moved[i].peer, q(by_hand[i]));
}

}  // namespace
}  // namespace toroid
