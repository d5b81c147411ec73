// ReceptionBuffers, DescriptorQueue, OutputQueues and ObjectPool, compared with plain standard
// containers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <vector>

#include "hal/direction.hpp"
#include "hal/object_pool.hpp"
#include "hal/output_queues.hpp"
#include "hal/random.hpp"
#include "hal/reception_buffer.hpp"
#include "hal/send_descriptor.hpp"
#include "tests/hal/descriptors.hpp"

namespace toroid {
namespace {

TEST(ReceptionBuffers, ReservesUpToTheCapacityOfEachFifo) {
  ReceptionBuffers buffer(2, 3, 32);
  EXPECT_EQ(buffer.fifos(), 3u);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(buffer.try_reserve(1, 1, 8));
  EXPECT_FALSE(buffer.try_reserve(1, 1, 1));
  EXPECT_TRUE(buffer.try_reserve(1, 0, 32));  // another FIFO still has room
  buffer.release(1, 1, 8);
  EXPECT_FALSE(buffer.try_reserve(1, 1, 9));
  EXPECT_TRUE(buffer.try_reserve(1, 1, 8));  // the refused request has taken nothing
  EXPECT_FALSE(buffer.try_reserve(1, 1, 1));
  for (unsigned fifo = 0; fifo < 3; ++fifo)
    EXPECT_TRUE(buffer.try_reserve(0, fifo, 32));  // FIFOs of another node still have room
}

TEST(ReceptionBuffers, HoldsTheLargestCapacityThatAMachineMayHave) {
  ReceptionBuffers buffer(2, 1, 8192);
  for (int i = 0; i < 1024; ++i) ASSERT_TRUE(buffer.try_reserve(1, 0, 8));
  EXPECT_FALSE(buffer.try_reserve(1, 0, 1));
}

TEST(ReceptionBuffersDeathTest, AbortsOnReleasingMoreThanIsReserved) {
  ReceptionBuffers buffer(2, 1, 32);
  EXPECT_TRUE(buffer.try_reserve(1, 0, 8));
  EXPECT_DEATH(buffer.release(1, 0, 9), "CHECK failed");
}

TEST(ObjectPool, ReusesPlacesAndNeverMovesObjects) {
  Random random(5);
  ObjectPool<std::uint64_t> pool;
  std::map<std::uint32_t, const std::uint64_t*> in_use;
  std::size_t most = 0;
  for (std::uint64_t step = 0; step < 5000; ++step) {
    if (in_use.empty() || random.below(2) == 0) {
      const std::uint32_t number = pool.take();
      pool[number] = step;
      ASSERT_TRUE(in_use.emplace(number, &pool[number]).second);
    } else {
      const auto one =
          std::next(in_use.begin(), random.below(static_cast<std::uint32_t>(in_use.size())));
      ASSERT_EQ(one->second, &pool[one->first]);
      pool.give_back(one->first);
      in_use.erase(one);
    }
    most = std::max(most, in_use.size());
  }
  EXPECT_EQ(pool.size(), most);
}

TEST(DescriptorQueue, IsFirstInFirstOutWhileItGrowsAndWrapsAround) {
  Random random(4);
  DescriptorQueue queue;
  std::deque<std::uint64_t> reference;
  std::size_t longest = 0;
  for (std::uint64_t step = 0; step < 20000; ++step) {
    // On average, the queue grows in the first half of every thousand steps and shrinks in the
    // second half.
    const bool push = random.below(100) < (step % 1000 < 500 ? 70u : 30u);
    if (push) {
      queue.push(testing::descriptor(DirectionSet(1), step));
      reference.push_back(step);
    } else if (!reference.empty()) {
      ASSERT_EQ(queue.front().cookie, reference.front());
      queue.pop();
      reference.pop_front();
    }
    ASSERT_EQ(queue.size(), reference.size());
    ASSERT_EQ(queue.empty(), reference.empty());
    longest = std::max(longest, reference.size());
  }
  EXPECT_GT(longest, 100u);
  EXPECT_EQ(testing::cookies(queue), std::vector(reference.begin(), reference.end()));
}

TEST(OutputQueues, AreVisitedInTurn) {
  OutputQueues queues(3, 2);
  std::vector<unsigned> visits;
  for (int i = 0; i < 7; ++i, queues.advance()) visits.push_back(queues.next());
  EXPECT_EQ(visits, (std::vector<unsigned>{0, 1, 2, 0, 1, 2, 0}));
  queues.restart();
  EXPECT_EQ(queues.next(), 0u);
}

TEST(OutputQueues, ReportNoRoomAtCapacityButStillTakeMore) {
  OutputQueues queues(2, 2);
  EXPECT_TRUE(queues.empty());
  for (std::uint64_t c = 0; c < 2; ++c) {
    EXPECT_TRUE(queues.has_room(1));
    queues[1].push(testing::descriptor(DirectionSet(1), c));
  }
  EXPECT_FALSE(queues.has_room(1));
  EXPECT_TRUE(queues.has_room(0));
  EXPECT_FALSE(queues.empty());
  queues[1].push(testing::descriptor(DirectionSet(1), 2));
  EXPECT_EQ(testing::cookies(queues[1]), (std::vector<std::uint64_t>{0, 1, 2}));
}

/// The same queues made of standard containers, with the functions of OutputQueues that summarise
/// all queues.
struct PlainQueues {
  std::vector<std::deque<std::uint64_t>> queues;
  std::size_t capacity;
  unsigned in_turn;

  bool empty() const {
    return std::ranges::all_of(queues, [](const auto& q) { return q.empty(); });
  }
  bool any_has_room() const {
    return std::any_of(queues.begin(), queues.begin() + in_turn,
                       [&](const auto& q) { return q.size() < capacity; });
  }
};

TEST(OutputQueues, MatchStandardContainersForAnyNumberOfQueues) {
  for (const unsigned in_turn : {1u, 3u, 40u}) {
    Random random(in_turn);
    OutputQueues queues(in_turn, 2, 2);
    PlainQueues plain{std::vector<std::deque<std::uint64_t>>(in_turn + 2), 2, in_turn};
    for (std::uint64_t step = 0; step < 5000; ++step) {
      const unsigned i = random.below(queues.count());
      std::deque<std::uint64_t>& queue = plain.queues[i];
      if (random.below(100) < (step % 1000 < 500 ? 70u : 30u)) {
        queues[i].push(testing::descriptor(DirectionSet(1), step));
        queue.push_back(step);
      } else if (!queue.empty()) {
        ASSERT_EQ(queues[i].front().cookie, queue.front());
        queues[i].pop();
        queue.pop_front();
      }
      ASSERT_EQ(queues[i].size(), queue.size());
      ASSERT_EQ(queues.has_room(i), queue.size() < 2);
      ASSERT_EQ(queues.empty(), plain.empty());
      ASSERT_EQ(queues.any_has_room(), plain.any_has_room());
    }
    for (unsigned i = 0; i < queues.count(); ++i)
      EXPECT_EQ(testing::cookies(queues[i]),
                std::vector(plain.queues[i].begin(), plain.queues[i].end()));
    EXPECT_TRUE(queues.empty());
    EXPECT_TRUE(queues.all_have_room());
  }
}

}  // namespace
}  // namespace toroid
