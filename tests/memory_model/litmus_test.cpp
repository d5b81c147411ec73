// Tests of the model itself: litmus tests whose outcomes the standard permits or forbids.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <utility>

#include "tests/memory_model/atomics.hpp"
#include "tests/memory_model/explorer.hpp"

namespace toroid::model {
namespace {

using Values = std::array<int, 4>;  ///< the values that a test has loaded, in its own order
constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kRelease = std::memory_order_release;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kSequential = std::memory_order_seq_cst;

/// Two atomic locations and a plain one, shared by two threads.
struct Memory {
  sync::atomic<int> x{0};
  sync::atomic<int> y{0};
  int plain = 0;
  Values values{};
};

class Litmus final : public Scenario {
 public:
  using Program = std::function<void(Memory&)>;

  Litmus(std::array<Program, 2> programs, std::set<Values>& seen)
      : programs_(std::move(programs)), seen_(&seen) {}

  void run(unsigned thread) override {
    programs_[thread](memory_);
    if (++ended_ == programs_.size()) seen_->insert(memory_.values);
  }

 private:
  std::array<Program, 2> programs_;
  std::set<Values>* seen_;
  std::size_t ended_ = 0;
  Memory memory_;
};

struct Explored {
  Outcome outcome;
  std::set<Values> seen;
};

Explored explored(const Litmus::Program& first, const Litmus::Program& second) {
  Explored explored;
  explored.outcome = explore([&] {
    return std::make_unique<Litmus>(std::array<Litmus::Program, 2>{first, second}, explored.seen);
  });
  EXPECT_TRUE(explored.outcome.complete);
  return explored;
}

Explored message_passing(std::memory_order store, std::memory_order load) {
  return explored(
      [store](Memory& m) {
        m.x.store(1, kRelaxed);
        m.y.store(1, store);
      },
      [load](Memory& m) {
        m.values[0] = m.y.load(load);
        m.values[1] = m.x.load(kRelaxed);
      });
}

Explored store_buffering(std::memory_order store, std::memory_order load) {
  return explored(
      [store, load](Memory& m) {
        m.x.store(1, store);
        m.values[0] = m.y.load(load);
      },
      [store, load](Memory& m) {
        m.y.store(1, store);
        m.values[1] = m.x.load(load);
      });
}

TEST(MemoryModel, ReordersAMessageAndItsFlagUnlessReleasedAndAcquired) {
  const Values early{1, 0};
  EXPECT_EQ(message_passing(kRelaxed, kRelaxed).seen.count(early), 1u);
  EXPECT_EQ(message_passing(kRelease, kRelaxed).seen.count(early), 1u);
  EXPECT_EQ(message_passing(kRelaxed, kAcquire).seen.count(early), 1u);
  const Explored ordered = message_passing(kRelease, kAcquire);
  EXPECT_EQ(ordered.seen, (std::set<Values>{{0, 0}, {0, 1}, {1, 1}}));
}

TEST(MemoryModel, LetsTwoThreadsMissEachOthersStoresUnlessAllAreSequentiallyConsistent) {
  const Values missed{0, 0};
  EXPECT_EQ(store_buffering(kRelease, kAcquire).seen.count(missed), 1u);
  EXPECT_EQ(store_buffering(kSequential, kAcquire).seen.count(missed), 1u);
  EXPECT_EQ(store_buffering(kRelease, kSequential).seen.count(missed), 1u);
  const Explored ordered = store_buffering(kSequential, kSequential);
  EXPECT_EQ(ordered.seen, (std::set<Values>{{0, 1}, {1, 0}, {1, 1}}));
}

TEST(MemoryModel, NeverReadsAnOlderStoreAfterANewerOne) {
  const Explored read = explored(
      [](Memory& m) {
        m.x.store(1, kRelaxed);
        m.x.store(2, kRelaxed);
      },
      [](Memory& m) {
        m.values[0] = m.x.load(kRelaxed);
        m.values[1] = m.x.load(kRelaxed);
      });
  EXPECT_EQ(read.seen, (std::set<Values>{{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}}));
}

Explored plain_message(std::memory_order store, std::memory_order load) {
  return explored(
      [store](Memory& m) {
        wrote(&m.plain);
        m.y.store(1, store);
      },
      [load](Memory& m) {
        if (m.y.load(load) == 1) read(&m.plain);
      });
}

TEST(MemoryModel, FindsDataRacesOnPlainMemory) {
  EXPECT_NE(plain_message(kRelaxed, kAcquire).outcome.failure, "");
  EXPECT_NE(plain_message(kRelease, kRelaxed).outcome.failure, "");
  EXPECT_EQ(plain_message(kRelease, kAcquire).outcome.failure, "");
}

TEST(MemoryModel, FindsThreadsThatWaitForever) {
  const auto wait = [](Memory& m) { await([&m] { return m.x.load(kRelaxed) == 2; }); };
  EXPECT_EQ(explored(wait, [](Memory& m) { m.x.store(1, kRelaxed); }).outcome.failure,
            "every thread waits forever");
  EXPECT_EQ(explored(wait, [](Memory& m) { m.x.store(2, kRelaxed); }).outcome.failure, "");
}

/// Two threads that count in plain memory, both with or both without a lock.
class Counting final : public Scenario {
 public:
  explicit Counting(bool locks) : locks_(locks) {}
  void run(unsigned) override {
    if (locks_) mutex_.lock();
    wrote(&count_);
    if (locks_) mutex_.unlock();
  }

 private:
  bool locks_;
  sync::mutex mutex_;
  int count_ = 0;
};

TEST(MemoryModel, OrdersAccessesUnderALock) {
  EXPECT_EQ(explore([] { return std::make_unique<Counting>(true); }).failure, "");
  EXPECT_NE(explore([] { return std::make_unique<Counting>(false); }).failure, "");
}

}  // namespace
}  // namespace toroid::model
