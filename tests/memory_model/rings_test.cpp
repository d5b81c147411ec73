// Tries the lock-free rings of router/ under every execution of two threads that the memory model
// permits, with few slots and few messages. Nothing may be read before it is written, nothing may
// be overwritten before it is read, and no thread may wait forever. Each memory order of the rings
// is needed: if any of them is weakened to relaxed, some execution fails.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "hal/packet.hpp"
#include "router/ofi/packed_put_ring.hpp"
#include "router/shm/direct/tagged_ring.hpp"
#include "router/shm/torus/link.hpp"
#include "router/threads/doorbell.hpp"
#include "router/threads/spsc_chain.hpp"
#include "tests/memory_model/atomics.hpp"
#include "tests/memory_model/explorer.hpp"

namespace toroid {
namespace {

using model::Scenario;

PacketHeader numbered(std::uint32_t number) {
  return {0, std::uint64_t{number} << 32};
}

void expect_number(std::uint32_t number, std::uint32_t expected) {
  if (number != expected) model::fail("a message is lost, duplicated or out of order");
}

/// A sender on thread 0, a receiver on thread 1.
class OneWay : public Scenario {
 public:
  void run(unsigned thread) final { thread == 0 ? send() : receive(); }

 private:
  virtual void send() = 0;
  virtual void receive() = 0;
};

/// Messages alternate between two channels of a link, of which one has one slot and the other has
/// two.
class LinkScenario final : public OneWay {
 public:
  LinkScenario() {
    memory_.pushed = &pushed_;
    memory_.popped = &popped_;
    memory_.capacity = {1, 2, 0, 0};
    memory_.allocate();
  }

 private:
  static constexpr std::uint32_t kMessages = 4;

  void send() override {
    ring::LinkSender sender(memory_);
    for (std::uint32_t i = 0; i < kMessages; ++i) {
      if (sender.room(i % 2) == 0)
        model::await([&] { return sender.refresh() && sender.room(i % 2) > 0; });
      Packet& packet = sender.claim(i % 2);
      model::wrote(&packet);
      packet.header = numbered(i);
      sender.publish();
    }
  }

  void receive() override {
    ring::LinkReceiver receiver(memory_);
    for (std::uint32_t i = 0; i < kMessages; ++i) {
      if (receiver.waiting(i % 2) == 0)
        model::await([&] { return receiver.look() && receiver.waiting(i % 2) > 0; });
      const Packet& packet = receiver.front(i % 2);
      model::read(&packet);
      expect_number(packet.header.argument(), i);
      receiver.pop(i % 2);
      receiver.publish();
    }
  }

  ring::CountWord pushed_{0};
  ring::CountWord popped_{0};
  ring::LinkMemory memory_;
};

/// Packets go one at a time, except two that are published together.
class TaggedScenario final : public OneWay {
 public:
  TaggedScenario() {
    memory_.capacity = 2;
    memory_.allocate();
  }

 private:
  static constexpr std::uint32_t kSingle = 2;
  static constexpr std::uint32_t kMessages = 4;

  void commit(ring::TaggedSender& sender, std::uint32_t number) {
    model::wrote(&sender.claim());
    sender.commit(numbered(number));
  }

  void send() override {
    ring::TaggedSender sender(memory_);
    for (std::uint32_t i = 0; i < kMessages; ++i) {
      const std::uint32_t needed = i == kSingle ? 2 : 1;
      if (sender.room() < needed)
        model::await([&] { return sender.refresh() && sender.room() >= needed; });
      commit(sender, i);
      if (i == kSingle) commit(sender, ++i);
      sender.publish();
    }
  }

  void receive() override {
    ring::TaggedReceiver receiver(memory_);
    for (std::uint32_t i = 0; i < kMessages; ++i) {
      const Packet* packet = nullptr;
      model::await([&] { return (packet = receiver.front()) != nullptr; });
      model::read(packet);
      expect_number(packet->header.argument(), i);
      receiver.pop();
      receiver.publish();
    }
  }

  ring::TaggedMemory memory_;
};

/// Sends more values than the chain has links, so that links that were left behind are used again.
class ChainScenario final : public OneWay {
 private:
  static constexpr std::uint32_t kMessages = 3;

  void send() override {
    for (std::uint32_t i = 0; i < kMessages; ++i) {
      model::wrote(&chain_.draft());
      chain_.draft() = i;
      chain_.post();
    }
  }

  void receive() override {
    for (std::uint32_t i = 0; i < kMessages; ++i) {
      model::await([&] { return !chain_.empty(); });
      model::read(&chain_.front());
      expect_number(chain_.front(), i);
      chain_.pop();
    }
  }

  SpscChain<std::uint32_t> chain_;
};

/// Sends one part more than the ring has slots; the sender fills the first slots without checking
/// for room. Two parts are received, so that a slot is reused while another is in use.
class PartScenario final : public OneWay {
 private:
  static constexpr std::uint32_t kSlots = 4;
  static constexpr std::uint32_t kMessages = kSlots + 1;
  static constexpr std::uint32_t kReceived = 2;

  void send() override {
    for (std::uint32_t i = 0; i < kMessages; ++i) {
      if (i >= kSlots) model::await([&] { return ring_.room() > 0; });
      model::wrote(ring_.claim().data());
      ring_.commit(i, {});
    }
  }

  void receive() override {
    for (std::uint32_t i = 0; i < kReceived; ++i) {
      const ofi::PackedPutRing::Slot* slot = nullptr;
      model::await([&] { return (slot = ring_.front()) != nullptr; });
      model::read(slot->bytes.data());
      expect_number(slot->to, i);
      ring_.pop();
    }
  }

  ofi::PackedPutRing ring_{1};
};

/// Thread 1 sleeps until thread 0 has made two changes visible, one after the other.
class BellScenario final : public OneWay {
 private:
  static constexpr int kThings = 2;

  void send() override {
    for (int i = 1; i <= kThings; ++i) {
      things_.store(i);
      bell_.ring();
    }
  }

  void receive() override {
    for (;;) {
      bell_.prepare();
      const int seen = things_.load();
      if (seen < kThings) {
        bell_.sleep();
        continue;
      }
      bell_.stay_awake();
      return;
    }
  }

  sync::atomic<int> things_{0};
  Doorbell bell_;
};

template <typename T>
std::unique_ptr<Scenario> made() {
  return std::make_unique<T>();
}

/// `orders`: the expected number of operations with an order stronger than relaxed.
template <typename T>
void expect_sound_and_minimal(std::size_t orders) {
  const model::Outcome sound = model::explore(made<T>);
  EXPECT_TRUE(sound.complete) << sound.executions;
  EXPECT_EQ(sound.failure, "");
  EXPECT_GT(sound.executions, 1u);
  EXPECT_EQ(sound.ordered.size(), orders);
  ::testing::Test::RecordProperty("executions", static_cast<int>(sound.executions));
  for (const model::Site& site : sound.ordered)
    EXPECT_NE(model::explore(made<T>, {.weakened = site}).failure, "") << site;
}

TEST(MemoryOrdersOf, LinksSufficeAndAreAllNeeded) {
  expect_sound_and_minimal<LinkScenario>(4);
}

TEST(MemoryOrdersOf, TaggedRingsSufficeAndAreAllNeeded) {
  expect_sound_and_minimal<TaggedScenario>(4);
}

TEST(MemoryOrdersOf, ChainsSufficeAndAreAllNeeded) {
  expect_sound_and_minimal<ChainScenario>(4);
}

TEST(MemoryOrdersOf, PartRingsSufficeAndAreAllNeeded) {
  expect_sound_and_minimal<PartScenario>(4);
}

/// The waker's store and the sleeper's last check are sequentially consistent operations of
/// BellScenario, not of Doorbell.
TEST(MemoryOrdersOf, DoorbellsSufficeAndAreAllNeeded) {
  expect_sound_and_minimal<BellScenario>(4);
}

}  // namespace
}  // namespace toroid
