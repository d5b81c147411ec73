// The all-to-all with real payloads of uneven length, some of them empty, in lines, planes and the
// whole machine.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "hal/route.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/exchange.hpp"
#include "packet/exchange/group.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "tests/packet/exchange/indexed_messages.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/sim/sim_machine.hpp"

namespace toroid {
namespace {

using testing::IndexedMessages;
using testing::kHandler;
using testing::SimMachine;

Program exchange(Node& node, unsigned first, unsigned last, std::uint32_t per_visit) {
  const Group group(node.shape(), first, last, node.rank());
  IndexedMessages messages(group);
  AllToAll all_to_all(node, kHandler, group, messages, {per_visit});
  all_to_all.start();
  const std::uint64_t expected = all_to_all.expected();
  co_await node.until(all_to_all.received(), expected);
  messages.expect_complete();
  co_await node.until(all_to_all.sent(), 1);  // others may still need the exchange
}

void run_exchange(const char* text, unsigned first, unsigned last, std::uint32_t per_visit,
                  NodeOptions options = {}) {
  SimMachine machine(Shape::parse(text), options);
  machine.run([&](Node& node) { return exchange(node, first, last, per_visit); });
  for (Rank r = 0; r < machine.size(); ++r) EXPECT_TRUE(machine.node(r).finished()) << text;
}

TEST(AllToAll, DeliversUnevenMessagesOverTheWholeMachine) {
  for (const char* shape : {"2", "7", "3x3", "4x4m", "3x2x4", "2x2x2x2x2"})
    for (const std::uint32_t per_visit : {1u, 2u, 5u})
      run_exchange(shape, 0, Shape::parse(shape).dims(), per_visit);
}

TEST(AllToAll, OfASingleNodeEndsAtOnce) {
  run_exchange("1", 0, 1, 1);
}

TEST(AllToAll, DeliversWithinLinesAndPlanes) {
  for (const std::uint32_t per_visit : {1u, 2u, 5u})
    for (unsigned first = 0; first < 3; ++first)
      for (unsigned last = first; last <= 3; ++last) run_exchange("4x3x5", first, last, per_visit);
}

TEST(AllToAll, DeliversWithEveryOrderRoutingAndQueueSize) {
  for (const auto order : {OrderRule::random, OrderRule::rank, OrderRule::shift})
    for (const auto routing :
         {RoutingRule::adaptive, RoutingRule::deterministic, RoutingRule::random_order})
      for (const std::size_t capacity : {1u, 16u})
        run_exchange("3x4x3", 0, 3, 2,
                     {.order = order,
                      .routing = routing,
                      .tie = TieRule::split,
                      .output_queues = 3,
                      .queue_capacity = capacity});
}

TEST(UniformMessages, CountTheirPackets) {
  for (const auto& [bytes, packets] : std::vector<std::pair<std::uint64_t, std::uint32_t>>{
           {0, 0}, {1, 1}, {240, 1}, {241, 2}, {480, 2}, {1000, 5}}) {
    const UniformMessages messages(9, bytes);
    EXPECT_EQ(messages.most_packets(), packets);
    EXPECT_EQ(messages.packets_expected(), 8u * packets);
    EXPECT_EQ(messages.bytes_to(3), bytes);
  }
}

}  // namespace
}  // namespace toroid
