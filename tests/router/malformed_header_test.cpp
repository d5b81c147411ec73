// Headers as software may write them: what is malformed is counted and goes nowhere.
#include <gtest/gtest.h>

#include <deque>

#include "router/sim_fabric.hpp"
#include "tests/router/script.hpp"

namespace toroid {
namespace {

using testing::Script;

const Shape kShape = Shape::parse("4x4m");

HeaderFields sound(Rank from, Rank to) {
  Random random(1);
  return {.destination = to,
          .hints = minimal_directions(kShape, kShape.coord(from), kShape.coord(to), TieRule::parity,
                                      random),
          .chunks = 2};
}

PacketHeader changed(auto change) {
  HeaderFields fields = sound(0, 6);
  change(fields);
  return PacketHeader(fields);
}

/// One of every kind.
std::vector<PacketHeader> malformed() {
  const PacketHeader good{sound(0, 6)};
  return {changed([](auto& f) { f.destination = kShape.size(); }),
          changed([](auto& f) { f.hints = DirectionSet(0xfff); }),
          changed([](auto& f) { f.hints = {}; }),
          changed([](auto& f) { f.hints = DirectionSet(0b1001); }),
          changed([](auto& f) { f.dynamic = false; }),
          changed([](auto& f) { f.deposit = true; }),
          changed([](auto& f) { f.payload_bytes = 240; }),
          PacketHeader(good.hardware_word() | 1ull << 63, good.software_word()),
          PacketHeader(good.hardware_word(), good.software_word() | 1ull << 24)};
}

class Machines {
 public:
  explicit Machines(const std::vector<PacketHeader>& headers) : fabric_(kShape, Machine()) {
    for (Rank r = 0; r < kShape.size(); ++r) {
      scripts_.emplace_back(fabric_.device(r), r == 0 ? headers : std::vector<PacketHeader>{});
      fabric_.attach(r, scripts_.back());
    }
    fabric_.run();
  }
  const FabricCounters& counters() const { return fabric_.counters(); }
  Device& device(Rank r) { return fabric_.device(r); }
  std::size_t received() const {
    std::size_t sum = 0;
    for (const auto& script : scripts_) sum += script.received().size();
    return sum;
  }
  const Script& script(Rank r) const { return scripts_[r]; }

 private:
  SimFabric fabric_;
  std::deque<Script> scripts_;
};

TEST(MalformedHeader, IsCountedAndNeverDispatched) {
  const Machines machines(malformed());
  EXPECT_EQ(machines.counters().refused, malformed().size());
  EXPECT_EQ(machines.counters().packets, 0u);
  EXPECT_EQ(machines.counters().packet_hops, 0u);
  EXPECT_EQ(machines.received(), 0u);
}

TEST(MalformedHeader, GivesItsRoomInTheFifoBack) {
  std::vector<PacketHeader> many;
  for (int i = 0; i < 50; ++i)
    for (const auto& header : malformed()) many.push_back(header);
  Machines machines(many);
  EXPECT_EQ(machines.counters().refused, many.size());
  EXPECT_EQ(machines.device(0).fifos()[0].used, 0u);
}

TEST(MalformedHeader, LeavesTheSoundOnesAround) {
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

TEST(Device, APacketToItselfGivesItsRoomInTheFifoBack) {
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
