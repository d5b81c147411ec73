#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>

#include "hal/counters.hpp"
#include "hal/link_errors.hpp"
#include "hal/packet.hpp"
#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "router/shm/ring_fabric.hpp"
#include "router/shm/torus/link.hpp"
#include "router/shm/torus/retransmitting_link.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/shm/ring_machine.hpp"
#include "tests/scale.hpp"

namespace toroid::ring {
namespace {

LinkErrors faulty(double rate, LinkFaultSet faults = kNoticedFaults) {
  LinkErrors errors;
  errors.rates = {{rate, ""}};
  errors.faults = faults;
  return errors;
}

/// The memory of a checked link.
struct CheckedMemory {
  CheckedMemory(const LinkErrors& errors, const ChannelSlots& slots, std::uint64_t seed)
      : check(LinkFaultDraw(errors, errors.rates.front().errors, seed, 0), seed) {
    memory.pushed = &pushed;
    memory.popped = &popped;
    memory.capacity = slots;
    memory.check = &check;
    memory.allocate();
    check.allocate(slots);
  }
  CountWord pushed{};
  CountWord popped{};
  RetransmittingLink check;
  LinkMemory memory;
};

/// A checked link with both its ends. Each packet carries its number.
class CheckedRings {
 public:
  CheckedRings(const LinkErrors& errors, const ChannelSlots& slots, std::uint64_t seed = 1)
      : memory_(errors, slots, seed) {}

  bool try_push(unsigned channel) {
    (void)sender_.refresh();
    if (sender_.room(channel) == 0) return false;
    Packet& packet = sender_.claim(channel);
    const std::uint64_t number = sent_[channel]++;
    packet.header = PacketHeader(number, std::uint64_t{kBytes} << 16);
    for (unsigned i = 0; i < kBytes; ++i)
      packet.payload[i] = std::byte(mix64(number * kBytes + i) & 0xffu);
    return true;
  }
  /// Does what a node does at the end of its step.
  void publish() {
    checked_sender_.supervise();
    checked_sender_.stamp(sender_.written());
    sender_.publish();
  }
  void look() { (void)checked_receiver_.look(receiver_); }
  bool try_pop(unsigned channel) {
    if (receiver_.waiting(channel) == 0) return false;
    const Packet& packet = receiver_.front(channel);
    const std::uint64_t number = received_[channel]++;
    EXPECT_EQ(packet.header.hardware_word(), number) << "channel " << channel;
    for (unsigned i = 0; i < kBytes; ++i)
      if (packet.payload[i] != std::byte(mix64(number * kBytes + i) & 0xffu)) ++damaged_;
    receiver_.pop(channel);
    receiver_.publish();
    return true;
  }
  bool is_acknowledged() const { return !checked_sender_.awaits_acknowledgement(); }
  std::uint64_t received(unsigned channel) const { return received_[channel]; }
  unsigned damaged() const { return damaged_; }
  LinkHealth health() const { return memory_.check.health(); }

 private:
  static constexpr unsigned kBytes = 24;

  CheckedMemory memory_;
  LinkSender sender_{memory_.memory};
  LinkReceiver receiver_{memory_.memory};
  CheckedSender checked_sender_{memory_.memory, memory_.check};
  CheckedReceiver checked_receiver_{memory_.memory, memory_.check};
  std::array<std::uint64_t, kVirtualChannels> sent_{};
  std::array<std::uint64_t, kVirtualChannels> received_{};
  unsigned damaged_ = 0;
};

/// Lets both ends take steps in random order until each channel has delivered `packets`.
void run(CheckedRings& link, std::uint64_t packets, std::uint64_t seed) {
  Random random(seed);
  std::array<std::uint64_t, kVirtualChannels> pushed{};
  for (unsigned step = 0;; ++step) {
    ASSERT_LT(step, 20'000'000u) << "the link has stopped";
    const unsigned c = random.below(kVirtualChannels);
    switch (random.below(4)) {
      case 0:
        pushed[c] += pushed[c] < packets && link.try_push(c) ? 1 : 0;
        break;
      case 1:
        link.publish();
        break;
      case 2:
        link.look();
        break;
      default:
        (void)link.try_pop(c);
    }
    bool all = link.is_acknowledged();
    for (unsigned k = 0; k < kVirtualChannels; ++k) all &= link.received(k) == packets;
    if (all) return;
  }
}

TEST(LinkCheck, DeliversOnceAndInOrderUnderEveryFault) {
  for (unsigned fault = 0; fault < 5; ++fault)
    for (const double rate : {0.01, 0.5})
      for (const std::uint16_t slots : std::array<std::uint16_t, 4>{1, 2, 7, 64}) {
        SCOPED_TRACE(std::string(kLinkFaultNames[fault]) + " " + std::to_string(rate));
        CheckedRings link(faulty(rate, set_of(static_cast<LinkFault>(fault))),
                          {slots, slots, slots, slots}, slots);
        run(link, 500, fault);
        EXPECT_EQ(link.damaged(), 0u);
        EXPECT_EQ(link.health().sent_crc, link.health().received_crc);
      }
}

TEST(LinkCheck, DeliversOnceAndInOrderUnderAllFaultsTogether) {
  for (std::uint64_t seed = 1; seed <= testing::scaled(20u); ++seed) {
    LinkErrors errors = faulty(0.3);
    errors.burst = 1 + static_cast<unsigned>(seed % 4);
    CheckedRings link(errors, {8, 3, 1, 100}, seed);
    run(link, 300, seed);
    EXPECT_EQ(link.damaged(), 0u);
    EXPECT_GT(link.health().errors, 0u);
    EXPECT_GT(link.health().repeats, 0u);
    EXPECT_EQ(link.health().sent_crc, link.health().received_crc);
  }
}

TEST(LinkCheck, ResendsNothingWithoutErrors) {
  CheckedRings link(faulty(0), {4, 4, 4, 4});
  run(link, 1000, 1);
  EXPECT_EQ(link.health().errors, 0u);
  EXPECT_EQ(link.health().repeats, 0u);
}

TEST(LinkCheck, FindsSilentDamageByItsCrcs) {
  CheckedRings link(faulty(0.01, set_of(LinkFault::silent)), {8, 8, 8, 8});
  run(link, 1000, 1);
  EXPECT_GT(link.damaged(), 0u);
  EXPECT_EQ(link.health().errors, 0u);
  EXPECT_NE(link.health().sent_crc, link.health().received_crc);
}

/// Sends more packets than a channel's 16-bit counters can distinguish.
TEST(LinkCheck, SurvivesCounterOverflow) {
  CheckedRings link(faulty(0.001), {600, 600, 600, 600});
  run(link, 70'000, 3);
  EXPECT_EQ(link.damaged(), 0u);
}

TEST(LinkCheck, DeliversEverythingBetweenTwoThreads) {
  const std::uint64_t packets = testing::is_thorough() ? 30'000 : 4'000;
  CheckedRings link(faulty(0.02), {16, 16, 16, 16});
  std::thread sender([&link, packets] {
    std::array<std::uint64_t, kVirtualChannels> pushed{};
    const auto is_done = [&](std::uint64_t n) { return n == packets; };
    while (!std::ranges::all_of(pushed, is_done) || !link.is_acknowledged()) {
      for (unsigned c = 0; c < kVirtualChannels; ++c)
        pushed[c] += pushed[c] < packets && link.try_push(c) ? 1 : 0;
      link.publish();
    }
  });
  for (bool all = false; !all;) {
    link.look();
    all = true;
    for (unsigned c = 0; c < kVirtualChannels; ++c) {
      while (link.try_pop(c)) continue;
      all &= link.received(c) == packets;
    }
  }
  sender.join();
  EXPECT_EQ(link.damaged(), 0u);
  EXPECT_GT(link.health().errors, 100u);
  EXPECT_EQ(link.health().sent_crc, link.health().received_crc);
}

TEST(LinkCheck, CarriesExchangesOverEveryShape) {
  for (const char* shape : testing::kRingShapes)
    for (const unsigned workers : {1u, 3u}) {
      SCOPED_TRACE(shape);
      RingOptions options = testing::routed(RingRoute::torus);
      options.routing.link_errors = faulty(0.05);
      testing::RingMachine machine(Shape::parse(shape), workers, {}, options);
      testing::MachineExchange exchange(machine, 1000);
      exchange.run();
      const FabricCounters& counters = machine.counters();
      EXPECT_EQ(counters.delivered, counters.packets);
      EXPECT_EQ(counters.link_errors.crc_mismatches, 0u);
      EXPECT_TRUE(counters.links_are_checked);
    }
}

}  // namespace
}  // namespace toroid::ring
