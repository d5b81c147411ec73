// Headers as software may write them, on rings: malformed ones are counted and not sent.
#include <gtest/gtest.h>

#include <cstdint>
#include <tuple>
#include <vector>

#include "hal/packet.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tests/router/shm/ring_machine.hpp"
#include "tests/router/sim/scripted_machine.hpp"

namespace toroid {
namespace {

using testing::kScriptShape;
using testing::malformed;
using testing::ScriptedMachine;
using testing::sound;

class RingMalformedHeader : public ::testing::TestWithParam<std::tuple<RingRoute, unsigned>> {
 protected:
  ScriptedMachine run(const std::vector<PacketHeader>& headers) const {
    const auto [route, threads] = GetParam();
    return {testing::ring_fabric(kScriptShape, threads, testing::routed(route)), headers};
  }
};

TEST_P(RingMalformedHeader, IsCountedAndNeverDispatched) {
  const ScriptedMachine machine = run(malformed());
  EXPECT_EQ(machine.counters().refused, malformed().size());
  EXPECT_EQ(machine.counters().packets, 0u);
  EXPECT_EQ(machine.counters().packet_hops, 0u);
  EXPECT_EQ(machine.received(), 0u);
}

TEST_P(RingMalformedHeader, ReleasesItsRoomInTheFifo) {
  std::vector<PacketHeader> many;
  for (int i = 0; i < 50; ++i)
    for (const auto& header : malformed()) many.push_back(header);
  ScriptedMachine machine = run(many);
  EXPECT_EQ(machine.counters().refused, many.size());
  EXPECT_EQ(machine.device(0).fifos()[0].used, 0u);
}

TEST_P(RingMalformedHeader, DoesNotAffectValidPackets) {
  std::vector<PacketHeader> mixed;
  for (const auto& header : malformed()) {
    mixed.push_back(header);
    mixed.emplace_back(sound(0, 6));
  }
  const ScriptedMachine machine = run(mixed);
  EXPECT_EQ(machine.counters().refused, malformed().size());
  EXPECT_EQ(machine.counters().delivered, malformed().size());
  ASSERT_EQ(machine.script(6).received().size(), malformed().size());
  for (const auto& header : machine.script(6).received())
    EXPECT_EQ(header, PacketHeader(sound(0, 6)));
}

TEST_P(RingMalformedHeader, DoesNotRejectAPacketToItself) {
  const std::vector<PacketHeader> to_itself(40, PacketHeader(sound(0, 0)));
  ScriptedMachine machine = run(to_itself);
  EXPECT_EQ(machine.script(0).received().size(), to_itself.size());
  EXPECT_EQ(machine.device(0).fifos()[0].used, 0u);
}

TEST_P(RingMalformedHeader, DoesNotRejectAPriorityPacket) {
  HeaderFields fields = sound(0, 6);
  fields.dynamic = false;
  fields.channel = VirtualChannel::priority;
  const ScriptedMachine machine = run({PacketHeader(fields), PacketHeader(fields)});
  EXPECT_EQ(machine.script(6).received().size(), 2u);
  if (std::get<0>(GetParam()) == RingRoute::direct) return;
  std::uint64_t priority = 0;
  for (const auto& link : machine.counters().links) priority += link.packets[3];
  EXPECT_EQ(priority, 2u * 3);  // (0,0) to (1,2)
  EXPECT_EQ(machine.counters().packet_hops, 2u * 3);
}

INSTANTIATE_TEST_SUITE_P(Fabrics, RingMalformedHeader,
                         ::testing::Combine(::testing::ValuesIn(testing::kRoutes),
                                            ::testing::Values(1u, 3u)));

}  // namespace
}  // namespace toroid
