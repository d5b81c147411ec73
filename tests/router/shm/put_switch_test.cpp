// The queues that carry puts between workers.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "hal/shape.hpp"
#include "router/placement/placement.hpp"
#include "router/shm/direct/put_switch.hpp"
#include "router/shm/shared_device_state.hpp"

namespace toroid::ring {
namespace {

/// Records the notes that it receives.
class Recorder final : public PutEnd {
 public:
  void take_note(const PutNote& note) override { notes.push_back(note); }
  std::vector<PutNote> notes;
};

/// Four nodes on two workers, two each.
class TwoWorkers {
 public:
  TwoWorkers() : local_(Shape::parse("4")), all_(local_, placement()) {
    for (Rank node = 0; node < 4; ++node) all_.plug_in(node, ends_[node]);
  }
  PutPort& port(std::size_t worker) { return all_.port(worker); }
  const std::vector<PutNote>& notes(Rank node) const { return ends_[node].notes; }

 private:
  static Placement placement() {
    Placement placement;
    placement.workers.resize(2);
    placement.workers[0].nodes = {0, 1};
    placement.workers[1].nodes = {2, 3};
    return placement;
  }
  LocalNodes local_;
  Recorder ends_[4];
  PutSwitch all_;
};

PutNote note(Rank from, Rank to, std::uint32_t number, bool is_done = false) {
  return {{.from = from,
           .to = to,
           .window = 16,
           .origin = from,
           .first = number,
           .packets = 1,
           .array = nullptr,
           .source = nullptr},
          is_done};
}

TEST(PutSwitch, HandsAPutToItsReceiverAndItsCompletionToItsSender) {
  TwoWorkers two;
  two.port(0).send(note(0, 3, 7));
  EXPECT_TRUE(two.port(1).has_news());
  EXPECT_TRUE(two.notes(3).empty());
  EXPECT_TRUE(two.port(1).step());
  ASSERT_EQ(two.notes(3).size(), 1u);
  EXPECT_EQ(two.notes(3)[0].put.first, 7u);
  two.port(1).send(note(0, 3, 7, true));
  EXPECT_TRUE(two.port(0).step());
  ASSERT_EQ(two.notes(0).size(), 1u);
  EXPECT_TRUE(two.notes(0)[0].is_done);
  EXPECT_FALSE(two.port(0).has_news());
  EXPECT_FALSE(two.port(1).step());
}

TEST(PutSwitch, HandsOverNotesWithinAWorkerAtOnce) {
  TwoWorkers two;
  two.port(0).send(note(0, 1, 5));
  ASSERT_EQ(two.notes(1).size(), 1u);
  EXPECT_FALSE(two.port(0).has_news());
}

/// After the completion the node's program may go on, so a resting worker has to make a round.
TEST(PutSwitch, HasNewsOnceAfterACompletionWithinAWorker) {
  TwoWorkers two;
  PutNote told = note(1, 0, 5);
  told.is_done = true;
  two.port(0).send(told);
  ASSERT_EQ(two.notes(1).size(), 1u);
  EXPECT_TRUE(two.port(0).has_news());
  EXPECT_TRUE(two.port(0).step());
  EXPECT_FALSE(two.port(0).has_news());
  EXPECT_FALSE(two.port(0).step());
}

TEST(PutSwitch, KeepsNotesInOrderWhenTheQueueIsFull) {
  TwoWorkers two;
  constexpr std::uint32_t kNotes = 3 * kPutCapacity + 5;
  for (std::uint32_t n = 0; n < kNotes; ++n) two.port(0).send(note(n % 2, 2, n));
  EXPECT_FALSE(two.port(0).is_quiet());
  while (two.notes(2).size() < kNotes) {
    ASSERT_TRUE(two.port(1).step());
    two.port(0).step();
  }
  EXPECT_TRUE(two.port(0).is_quiet());
  for (std::uint32_t n = 0; n < kNotes; ++n) ASSERT_EQ(two.notes(2)[n].put.first, n);
}

/// Sends `count` notes to a node of the other worker and receives notes from there.
void send_and_take(PutPort& port, Rank from, Rank to, const std::vector<PutNote>& taken,
                   std::uint32_t count) {
  for (std::uint32_t n = 0; n < count; ++n) {
    port.send(note(from, to, n));
    if (n % 5 == 0) port.step();
  }
  while (taken.size() < count || !port.is_quiet())
    if (!port.step()) std::this_thread::yield();
}

TEST(PutSwitch, CarriesNotesBothWaysBetweenTwoThreads) {
  constexpr std::uint32_t kNotes = 50'000;
  TwoWorkers two;
  {
    const std::jthread other([&] { send_and_take(two.port(1), 3, 0, two.notes(3), kNotes); });
    send_and_take(two.port(0), 0, 3, two.notes(0), kNotes);
  }
  for (const Rank node : {Rank{0}, Rank{3}})
    for (std::uint32_t n = 0; n < kNotes; ++n) ASSERT_EQ(two.notes(node)[n].put.first, n);
}

}  // namespace
}  // namespace toroid::ring
