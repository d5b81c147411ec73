// Headers as software may write them: malformed ones are counted and not sent.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/router/sim/scripted_machine.hpp"

namespace toroid {
namespace {

using testing::malformed;
using testing::sound;

struct Machines : testing::ScriptedMachine {
  explicit Machines(const std::vector<PacketHeader>& headers)
      : ScriptedMachine(make_sim_fabric(testing::kScriptShape, Machine()), headers) {}
};

TEST(MalformedHeader, IsCountedAndNeverDispatched) {
  const Machines machines(malformed());
  EXPECT_EQ(machines.counters().refused, malformed().size());
  EXPECT_EQ(machines.counters().packets, 0u);
  EXPECT_EQ(machines.counters().packet_hops, 0u);
  EXPECT_EQ(machines.received(), 0u);
}

TEST(MalformedHeader, ReleasesItsRoomInTheFifo) {
  std::vector<PacketHeader> many;
  for (int i = 0; i < 50; ++i)
    for (const auto& header : malformed()) many.push_back(header);
  Machines machines(many);
  EXPECT_EQ(machines.counters().refused, many.size());
  EXPECT_EQ(machines.device(0).fifos()[0].used, 0u);
}

TEST(MalformedHeader, DoesNotAffectValidPackets) {
  std::vector<PacketHeader> mixed;
  for (const auto& header : malformed()) {
    mixed.push_back(header);
    mixed.emplace_back(sound(0, 6));
  }
  const Machines machines(mixed);
  EXPECT_EQ(machines.counters().refused, malformed().size());
  EXPECT_EQ(machines.counters().delivered, malformed().size());
  ASSERT_EQ(machines.script(6).received().size(), malformed().size());
  for (const auto& header : machines.script(6).received())
    EXPECT_EQ(header, PacketHeader(sound(0, 6)));
}

TEST(Device, PacketToItselfReleasesItsRoomInTheFifo) {
  const std::vector<PacketHeader> to_itself(40, PacketHeader(sound(0, 0)));
  Machines machines(to_itself);
  EXPECT_EQ(machines.script(0).received().size(), to_itself.size());
  EXPECT_EQ(machines.device(0).fifos()[0].used, 0u);
}

TEST(Device, PriorityPacketsTakeThePriorityChannel) {
  HeaderFields fields = sound(0, 6);
  fields.dynamic = false;
  fields.channel = VirtualChannel::priority;
  const Machines machines({PacketHeader(fields), PacketHeader(fields)});
  std::uint64_t priority = 0;
  for (const auto& link : machines.counters().links) priority += link.packets[3];
  EXPECT_EQ(priority, 2u * 3);  // (0,0) to (1,2)
  EXPECT_EQ(machines.counters().packet_hops, 2u * 3);
  EXPECT_EQ(machines.script(6).received().size(), 2u);
}

}  // namespace
}  // namespace toroid
