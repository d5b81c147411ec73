// The depth of a link's channels in memory: set by the machine file or, if it sets none, by the
// number of channels. The depth affects only the time of a run.
#include <gtest/gtest.h>

#include <cstdint>

#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/shm/ring_machine.hpp"
#include "tests/router/smallest_buffers.hpp"

namespace toroid {
namespace {

using testing::MachineExchange;
using testing::RingMachine;

/// Slots per channel (equal for all four), computed from the memory of a torus's rings.
double slots_of(const char* torus, const Machine& machine) {
  const Shape shape = Shape::parse(torus);
  double channels = 0;
  for (unsigned d = 0; d < shape.dims(); ++d)
    channels += shape.extent(d) > 1 ? 2.0 * kVirtualChannels * shape.size() : 0;
  return ring_bytes(shape, machine, 1, RingRoute::torus) / (channels * sizeof(Packet));
}

Machine with_slots(unsigned slots) {
  Machine machine;
  machine.ring_slots = slots;
  return machine;
}

TEST(ChannelDepth, FollowsTheMachineFileButNeverBelowTheHardware) {
  EXPECT_EQ(slots_of("3x4", with_slots(1)), 4);  // the hardware's 32 chunks per channel
  EXPECT_EQ(slots_of("3x4", with_slots(5)), 5);
  EXPECT_EQ(slots_of("2x1x1", with_slots(8191)), 8191);
  Machine deep = with_slots(5);
  deep.dynamic_vc_chunks = deep.bubble_vc_chunks = deep.priority_vc_chunks = 80;
  EXPECT_EQ(slots_of("3x4", deep), 10);
}

TEST(ChannelDepth, DecreasesWithTheNumberOfChannelsByDefault) {
  constexpr double kAll = 16 << 20;  // bytes
  EXPECT_EQ(slots_of("2x1x1", Machine()), 2048);
  EXPECT_EQ(slots_of("4x4x4", Machine()), 42);  // 42.7 for 64 nodes, 6 links, 4 channels
  for (const char* torus : {"2", "3x5", "4x4x4", "6x5x4"})
    EXPECT_LE(ring_bytes(Shape::parse(torus), Machine(), 1, RingRoute::torus), kAll) << torus;
  EXPECT_EQ(slots_of("32x32x16", Machine()), 4);  // not less than the hardware's
}

TEST(ChannelDepth, DoesNotChangeTheNumbersOfPacketsAndHops) {
  const Shape shape = Shape::parse("3x2x2");
  std::uint64_t hops = 0;
  for (const unsigned slots : {1u, 2u, 3u, 7u, 0u, 600u}) {
    Machine buffers = testing::smallest_buffers();
    buffers.ring_slots = slots;
    RingMachine machine(shape, 2, {}, testing::routed(RingRoute::torus), buffers);
    MachineExchange exchange(machine, 4801);
    exchange.run();
    EXPECT_EQ(machine.counters().delivered, machine.counters().packets) << slots;
    if (slots == 1) hops = machine.counters().packet_hops;
    EXPECT_EQ(machine.counters().packet_hops, hops) << slots;
    EXPECT_EQ(machine.counters().packets, 12u * 11 * 21) << slots;
  }
}

}  // namespace
}  // namespace toroid
