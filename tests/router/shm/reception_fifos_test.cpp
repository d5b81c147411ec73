// The reception FIFOs of nodes whose packets go hop by hop: what is in them no longer blocks
// others.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "hal/device.hpp"
#include "hal/direction.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/processor.hpp"
#include "hal/put.hpp"
#include "hal/random.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "router/rules/routing.hpp"
#include "router/shm/ring_fabric.hpp"
#include "router/shm/torus/reception_fifos.hpp"
#include "tests/router/shm/ring_machine.hpp"

namespace toroid::ring {
namespace {

constexpr HandlerId kReceptionHandler = 40;

Packet packet_to(Rank to, unsigned chunks, std::uint32_t argument) {
  Packet packet{};
  packet.header = PacketHeader(HeaderFields{
      .destination = to, .hints = {}, .chunks = chunks, .handler = 1, .argument = argument});
  return packet;
}

TEST(ReceptionFifos, HoldWhatTheMachineHasRoomForInOrderOfArrival) {
  Machine machine;
  machine.reception_fifos = 2;
  machine.reception_fifo_chunks = 8;
  ReceptionFifos fifos(machine, 4);
  const auto port = [](unsigned l) {
    return Input::channel({static_cast<std::uint8_t>(l)}, VirtualChannel::dynamic0);
  };
  EXPECT_TRUE(fifos.empty());
  EXPECT_TRUE(fifos.try_take(packet_to(0, 5, 1), port(0)));
  EXPECT_TRUE(fifos.try_take(packet_to(0, 8, 2), port(1)));
  EXPECT_TRUE(fifos.try_take(packet_to(0, 3, 3), port(2)));  // shares FIFO 0 with port 0
  EXPECT_FALSE(fifos.try_take(packet_to(0, 1, 4), port(0)));
  EXPECT_FALSE(fifos.try_take(packet_to(0, 1, 4), port(3)));
  for (std::uint32_t i = 1; i <= 3; ++i, fifos.pop()) EXPECT_EQ(fifos.front().header.argument(), i);
  EXPECT_TRUE(fifos.empty());
  for (std::uint32_t i = 0; i < 100; ++i) {  // as the ring grows and goes round
    EXPECT_TRUE(fifos.try_take(packet_to(0, 1, i), port(i % 2)));
    if (i % 8 != 7) continue;
    for (std::uint32_t j = i - 7; j <= i; ++j, fifos.pop())
      EXPECT_EQ(fifos.front().header.argument(), j);
  }
}

/// Sends packets to the nodes in its list, then receives as soon as `may_receive` says so.
class Correspondent final : public Processor, private PacketSink {
 public:
  Correspondent(Device& device, std::vector<Rank> destinations, std::function<bool()> may_receive)
      : device_(device), destinations_(std::move(destinations)), may_receive_(may_receive) {}

  TurnResult turn() override {
    while (sent_ < destinations_.size() && send(destinations_[sent_])) ++sent_;
    (void)device_.flush();
    if (may_receive_()) (void)device_.receive(*this, 512);
    return {.output_waiting = sent_ < destinations_.size(), .again = !may_receive_()};
  }
  bool finished() const override { return sent_ == destinations_.size(); }
  std::string waits_for() const override { return "others"; }
  unsigned received() const { return received_; }

 private:
  bool send(Rank to) {
    const Shape& shape = device_.shape();
    Random random(1, 0);
    const DirectionSet hints = minimal_directions(shape, shape.coord(device_.rank()),
                                                  shape.coord(to), TieRule::plus, random);
    if (!device_.fifos().takes(0, hints, 1)) return false;
    device_.fifos().add(0, 1);
    const PacketHeader header(
        HeaderFields{.destination = to, .hints = hints, .handler = kReceptionHandler});
    device_.inject({.header = header, .source = nullptr, .cookie = 0}, 1, 0);
    return true;
  }
  void arrive(const Packet&) override { ++received_; }
  std::size_t arrive(const PutDescriptor&) override { return 0; }

  Device& device_;
  std::vector<Rank> destinations_;
  std::function<bool()> may_receive_;
  std::size_t sent_ = 0;
  std::atomic<unsigned> received_{0};
};

/// Node 0 of a line sends to node 1, which receives nothing until node 2 has a packet that came
/// behind those.
bool passes(unsigned before, Machine machine) {
  const Shape shape = Shape::parse("3m");
  RingOptions options = testing::routed(RingRoute::torus);
  options.stall = std::chrono::milliseconds(300);
  const auto fabric = testing::ring_fabric(shape, 1, options, machine);
  std::vector<Rank> destinations(before, 1);
  destinations.push_back(2);
  const auto always = [] { return true; };
  Correspondent last(fabric->device(2), {}, always);
  Correspondent first(fabric->device(0), destinations, always);
  Correspondent middle(fabric->device(1), {}, [&] { return last.received() > 0; });
  fabric->attach(0, first);
  fabric->attach(1, middle);
  fabric->attach(2, last);
  try {
    fabric->run();
  } catch (const RunFailed&) {
    return false;
  }
  EXPECT_EQ(middle.received(), before);
  EXPECT_EQ(last.received(), 1u);
  return true;
}

TEST(ReceptionFifos, LetPacketsPassThoseThatWaitForTheProcessor) {
  Machine machine;
  machine.injection_fifos = 1;
  machine.reception_fifo_chunks = 8;
  EXPECT_TRUE(passes(1, machine));
  EXPECT_TRUE(passes(8, machine));
  // More than two dynamic channels and one reception FIFO take: nothing is dropped, so the packets
  // behind wait.
  machine.ring_slots = 64;
  EXPECT_FALSE(passes(300, machine));
}

}  // namespace
}  // namespace toroid::ring
