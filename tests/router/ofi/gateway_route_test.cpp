// The gateways of both routes with real nodes, over a network in memory that is slow and changes
// the order of frames.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "hal/machine.hpp"
#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/exchange.hpp"
#include "packet/exchange/group.hpp"
#include "packet/node/node.hpp"
#include "packet/node/settings.hpp"
#include "router/ofi/frame.hpp"
#include "router/ofi/gateway.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tests/packet/exchange/plans.hpp"
#include "tests/pairwise.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/ofi/fake_network.hpp"
#include "tests/router/ofi/stepped_machine.hpp"
#include "tests/router/shm/tagged_messages.hpp"
#include "tests/router/smallest_buffers.hpp"
#include "tests/scale.hpp"

namespace toroid {
namespace {

using testing::FrameBytes;
using testing::header_of;
using testing::SteppedMachine;
using testing::SteppedOptions;
using testing::Tagged;

/// Runs an all-to-all of tagged packets, each of which must arrive once.
void expect_conserved(SteppedMachine& machine, std::uint32_t packets) {
  std::deque<Tagged> messages;
  std::deque<Exchange> exchanges;
  const Tagged some(machine.node(0), packets);
  const testing::PlanPointer plan = testing::plan_for(machine.node(0), some);
  for (Rank r = 0; r < machine.size(); ++r) {
    Node& node = machine.node(r);
    exchanges.emplace_back(node, testing::kHandler, Group::all(node.shape(), r), *plan,
                           messages.emplace_back(node, packets));
  }
  ASSERT_NO_FATAL_FAILURE(
      machine.run([&](Node& node) { return testing::receive_all(node, &exchanges[node.rank()]); }));
  for (const Tagged& message : messages) ASSERT_TRUE(message.each_peer_once());
  const std::uint64_t sent = std::uint64_t{machine.size()} * (machine.size() - 1) * packets;
  EXPECT_EQ(machine.injected(), sent);
  EXPECT_EQ(machine.delivered(), sent);
}

void expect_conserved(const char* text, const SteppedOptions& options, std::uint32_t packets) {
  SCOPED_TRACE(fmt::format(
      "{} over {} processes of {} workers, {}, seed {}", text, options.processes, options.workers,
      kRingRouteNames[static_cast<unsigned>(options.route)], options.network.seed));
  SteppedMachine machine(Shape::parse(text), options);
  expect_conserved(machine, packets);
  EXPECT_EQ(machine.refused(), ofi::RefusedFrames{});
  if (options.route == RingRoute::direct) return;
  EXPECT_EQ(machine.packet_hops(), packets * testing::sum_of_minimal_hops(Shape::parse(text)));
}

const std::vector<std::pair<const char*, unsigned>> kDivisions = {
    {"2", 2}, {"5", 2}, {"7m", 3}, {"3x3", 3}, {"4x2m", 4}, {"1x6x1", 5}, {"2x3x2", 2}, {"3x3", 9}};

TEST(DirectGateway, DeliversEveryPacketOnceForAnyNumberOfWorkers) {
  for (const auto& row : testing::combinations({kDivisions.size(), 3, 2})) {
    const auto& [text, processes] = kDivisions[row[0]];
    const auto workers = static_cast<unsigned>(1 + row[1]);
    const bool smallest = row[2] == 1;
    expect_conserved(text,
                     {.processes = processes,
                      .workers = workers,
                      .network = {.seed = workers + processes},
                      .machine = smallest ? testing::smallest_buffers() : Machine()},
                     smallest ? 2 : 5);
  }
}

TEST(TorusGateway, DeliversEveryPacketOnceForAnyNumberOfWorkers) {
  for (const auto& row : testing::combinations({kDivisions.size(), 3, 2})) {
    const auto& [text, processes] = kDivisions[row[0]];
    const auto workers = static_cast<unsigned>(1 + row[1]);
    const RoutingRule routing = row[2] == 0 ? RoutingRule::adaptive : RoutingRule::deterministic;
    expect_conserved(text,
                     {.processes = processes,
                      .workers = workers,
                      .route = RingRoute::torus,
                      .network = {.seed = workers + processes},
                      .node = {.settings = {.routing = routing}},
                      .machine = testing::smallest_buffers()},
                     3);
  }
}

/// There are more packets for one node than the links between processes have slots.
TEST(TorusGateway, NeverSendsMoreThanALinkHasRoomFor) {
  const unsigned seeds = testing::scaled(3u);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    for (const char* text : {"4", "4m"})
      expect_conserved(text,
                       {.processes = 4,
                        .route = RingRoute::torus,
                        .network = {.seed = seed},
                        .node = {.seed = seed, .settings = {.routing = RoutingRule::deterministic}},
                        .machine = testing::smallest_buffers()},
                       300);
}

TEST(DirectGateway, DeliversEveryPacketWhenRingsAndFramesAreFull) {
  for (const unsigned workers : {1u, 3u})
    expect_conserved("6",
                     {.processes = 2,
                      .workers = workers,
                      .node = {.settings = {.output_queues = 4}},
                      .machine = testing::smallest_buffers(),
                      .limits = {.frame_bytes = 512, .window = 1, .send_buffers = 1}},
                     300);
}

TEST(GatewayOfAnyRoute, RefusesCopiedAndDamagedFrames) {
  for (const RingRoute route : {RingRoute::direct, RingRoute::torus})
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      SteppedOptions options{.processes = 3, .workers = 2, .route = route};
      options.network.seed = seed;
      ofi::RefusedFrames expected{};
      options.network.fate = [&, random = Random(seed)](unsigned, unsigned,
                                                        const FrameBytes& frame) mutable {
        std::vector<FrameBytes> arriving{frame};
        if (header_of(frame).sequence == 0 || random.below(3) != 0) return arriving;
        const bool copied = random.coin();
        FrameBytes& other = arriving.emplace_back(frame);
        if (!copied) other[16 + random.below(24)] ^= std::byte{4};  // sequence and counts
        const auto error = copied ? ofi::FrameError::wrong_sequence : ofi::FrameError::bad_checksum;
        ++expected[static_cast<std::size_t>(error)];
        return arriving;
      };
      SteppedMachine machine(Shape::parse("3x2"), options);
      expect_conserved(machine, 6);
      // The last frames may still be in flight.
      for (unsigned i = 0; i < 2000; ++i) (void)machine.gateway(i % 3).step(true);
      const ofi::RefusedFrames refused = machine.refused();
      EXPECT_EQ(refused, expected);
    }
}

}  // namespace
}  // namespace toroid
