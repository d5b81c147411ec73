#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hal/counters.hpp"
#include "hal/link_errors.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "router/rules/routing.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/sim/model_case.hpp"
#include "tests/router/sim/sim_machine.hpp"

namespace toroid {
namespace {

using testing::by_the_general_model;
using testing::ModelCase;
using testing::outcome;
using testing::SimMachine;

LinkErrors erring(double rate, LinkFaultSet faults = kNoticedFaults) {
  LinkErrors errors;
  errors.rates = {{rate, ""}};
  errors.faults = faults;
  return errors;
}

ModelCase with_errors(ModelCase c, const LinkErrors& errors) {
  c.sim.routing.link_errors = errors;
  return c;
}

FabricCounters counters_of(const ModelCase& c) {
  return testing::after_run(c, [](const SimMachine& m) { return m.counters(); });
}

/// Node 0 sends packets to node 1, each after the previous one has been answered.
Program ping(Node& node, unsigned rounds, std::vector<Tick>* times) {
  Counter heard("answers");
  node.on(testing::kHandler, [&heard](const Packet&) { heard.bump(); });
  for (unsigned i = 1; i <= rounds; ++i) {
    if (node.rank() == 0) {
      const Tick begin = node.now();
      co_await node.send(1, testing::kHandler, i);
      co_await node.until(heard, i);
      times->push_back(node.now() - begin);
    } else {
      co_await node.until(heard, i);
      co_await node.send(0, testing::kHandler, i);
    }
  }
}

std::vector<Tick> times_of_pings(const LinkErrors& errors, LinkHealth* there) {
  SimOptions options;
  options.routing.link_errors = errors;
  SimMachine machine(Shape::parse("2m"), {}, options);
  std::vector<Tick> times;
  machine.run([&](Node& node) { return ping(node, 300, &times); });
  *there = machine.counters().health[0];
  return times;
}

/// Draws the link's faults a second time: whether each of its first `count` packets has a fault.
std::vector<bool> drawn(const LinkErrors& errors, std::uint64_t link, std::size_t count) {
  LinkFaultDraw draw(errors, errors.rates.front().errors, 1, link);
  std::vector<bool> faults(count);
  for (std::size_t i = 0; i < count; ++i) faults[i] = draw.next().has_value();
  return faults;
}

/// Each lost packet costs exactly its time on the wire plus the timeout. Only the link from 0 to 1
/// has errors.
TEST(LinkRetransmission, EveryLossCostsAPacketTimeAndATimeout) {
  LinkErrors errors = erring(0, set_of(LinkFault::drop));
  LinkHealth there;
  const std::vector<Tick> sound = times_of_pings(errors, &there);
  EXPECT_EQ(there.errors, 0u);
  errors.rates = {{0.2, "(0)X+"}};
  const std::vector<Tick> lossy = times_of_pings(errors, &there);
  const Machine machine;
  const Tick each = machine.wire_cycles(machine.wire_bytes(1)) + machine.acknowledgement_cycles();
  const std::vector<bool> faults = drawn(errors, 0, 1000);
  std::size_t at = 0;
  std::uint64_t losses = 0;
  for (std::size_t i = 0; i < lossy.size(); ++i) {
    Tick expected = sound[i];
    for (; faults[at++]; ++losses) expected += each;
    EXPECT_EQ(lossy[i], expected) << i;
  }
  EXPECT_GT(losses, 30u);
  EXPECT_EQ(there.errors, losses);
  EXPECT_EQ(there.repeats, losses);
}

TEST(LinkRetransmission, UsesTheMachinesTimeout) {
  Machine machine;  // 2 · 69, 1080 for a full packet, 184 for the acknowledgement
  EXPECT_EQ(machine.acknowledgement_cycles(), 1402u);
  machine.link_timeout_cycles = 5;
  EXPECT_EQ(machine.acknowledgement_cycles(), 5u);
}

TEST(LinkRetransmission, ChangesNothingWithoutErrors) {
  for (const char* shape : {"4x4x4", "5x3", "2x2x2x2", "8m"}) {
    FabricCounters plain = counters_of({shape});
    const FabricCounters checked = counters_of(with_errors({shape}, erring(0)));
    EXPECT_EQ(plain.end, checked.end) << shape;
    EXPECT_EQ(plain.packet_hops, checked.packet_hops) << shape;
    EXPECT_FALSE(plain.links_are_checked);
    EXPECT_TRUE(checked.links_are_checked);
    EXPECT_EQ(checked.link_errors.errors, 0u);
    EXPECT_EQ(checked.link_errors.crc_mismatches, 0u);
  }
}

TEST(LinkRetransmission, LosesNothingUnderAnyFault) {
  for (unsigned fault = 0; fault < 5; ++fault)
    for (const char* shape : {"4x4", "3x3x3", "2x2x2x2", "1", "2"}) {
      SCOPED_TRACE(std::string(kLinkFaultNames[fault]) + " on " + shape);
      const auto one = set_of(static_cast<LinkFault>(fault));
      const FabricCounters counters = counters_of(with_errors({shape}, erring(0.3, one)));
      EXPECT_EQ(counters.delivered, counters.packets);
      EXPECT_EQ(counters.link_errors.crc_mismatches, 0u);
      const bool errs = counters.packet_hops > 0 && one != set_of(LinkFault::delay);
      EXPECT_EQ(counters.link_errors.errors > 0, errs);
    }
}

TEST(LinkRetransmission, DoesNotDependOnThreadsOrTheModel) {
  for (const char* shape : {"6x4x2", "7x5", "3x2x2x2"}) {
    ModelCase one = with_errors({shape}, erring(0.05));
    const auto expected = outcome(one);
    EXPECT_EQ(outcome(by_the_general_model(one)), expected) << shape;
    for (const unsigned threads : {2u, 3u})
      EXPECT_EQ(outcome(testing::with_threads(one, threads)), expected) << shape;
  }
}

TEST(LinkRetransmission, FindsSilentlyDamagingLinksByTheirCrcs) {
  for (const bool general : {false, true}) {
    LinkErrors errors;
    errors.faults = set_of(LinkFault::silent);
    errors.rates = {{0, ""}, {0.5, "(1,2)Y-"}};
    ModelCase one = with_errors({"4x4"}, errors);
    one.sim.routing.general = general;
    const FabricCounters counters = counters_of(one);
    EXPECT_EQ(counters.link_errors.crc_mismatches, 1u);
    const LinkHealth& link = counters.health[(1 * 4 + 2) * 4 + 3];
    EXPECT_NE(link.sent_crc, link.received_crc);
    EXPECT_EQ(link.errors, 0u);
  }
}

}  // namespace
}  // namespace toroid
