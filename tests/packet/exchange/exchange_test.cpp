// The all-to-all with real payloads of uneven length, some of them empty, in lines, planes and the
// whole machine.
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "hal/packet.hpp"
#include "hal/route.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/group.hpp"
#include "packet/exchange/messages.hpp"
#include "packet/node/node.hpp"
#include "packet/node/settings.hpp"
#include "tests/packet/exchange/indexed_messages.hpp"
#include "tests/packet/exchange/plans.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/sim/sim_machine.hpp"

namespace toroid {
namespace {

using testing::IndexedMessages;
using testing::kHandler;
using testing::plan_for;
using testing::SimMachine;

void run_exchange(const char* text, unsigned first, unsigned last, std::uint32_t per_visit,
                  NodeOptions options = {}) {
  options.packets_per_visit = per_visit;
  SimMachine machine(Shape::parse(text), options);
  const Shape slice = machine.shape().slice(first, last);
  const auto plan = plan_for(options, machine.shape(), slice, {.places = true});
  machine.run([&](Node& node) {
    return testing::exchange_indexed(node, Group(node.shape(), first, last, node.rank()),
                                     plan.get());
  });
  for (Rank r = 0; r < machine.size(); ++r) EXPECT_TRUE(machine.node(r).finished()) << text;
}

TEST(Exchange, DeliversUnevenMessagesOverTheWholeMachine) {
  for (const char* shape : {"2", "7", "3x3", "4x4m", "3x2x4", "2x2x2x2x2"})
    for (const std::uint32_t per_visit : {1u, 2u, 5u})
      run_exchange(shape, 0, Shape::parse(shape).dims(), per_visit);
}

TEST(Exchange, OnASingleNodeEndsAtOnce) {
  run_exchange("1", 0, 1, 1);
}

TEST(Exchange, DeliversWithinLinesAndPlanes) {
  for (const std::uint32_t per_visit : {1u, 2u, 5u})
    for (unsigned first = 0; first < 3; ++first)
      for (unsigned last = first; last <= 3; ++last) run_exchange("4x3x5", first, last, per_visit);
}

TEST(Exchange, DeliversWithEveryOrderRoutingAndQueueSize) {
  for (const auto order : {OrderRule::random, OrderRule::rank, OrderRule::shift})
    for (const auto routing :
         {RoutingRule::adaptive, RoutingRule::deterministic, RoutingRule::random_order})
      for (const unsigned capacity : {1u, 16u})
        run_exchange("3x4x3", 0, 3, 2,
                     {.settings = {.order = order,
                                   .output_queues = 3,
                                   .queue_capacity = capacity,
                                   .routing = routing,
                                   .tie = TieRule::split}});
}

TEST(UniformMessages, CountTheirPackets) {
  for (const auto& [bytes, packets] : std::vector<std::pair<std::uint64_t, std::uint32_t>>{
           {0, 0}, {1, 1}, {240, 1}, {241, 2}, {480, 2}, {1000, 5}}) {
    const UniformMessages messages(Shape::parse("9"), bytes, kPayloadBytes);
    EXPECT_EQ(messages.most_packets(), packets);
    EXPECT_EQ(messages.packets_expected(), 8u * packets);
    EXPECT_EQ(messages.bytes_to(3), bytes);
  }
}

}  // namespace
}  // namespace toroid
