// Violations of the preconditions of the public headers in packet/.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hal/machine.hpp"
#include "hal/output_queues.hpp"
#include "hal/packet.hpp"
#include "hal/random.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/block_messages.hpp"
#include "packet/exchange/exchange.hpp"
#include "packet/exchange/group.hpp"
#include "packet/exchange/latency.hpp"
#include "packet/exchange/messages.hpp"
#include "packet/exchange/open_loop.hpp"
#include "packet/exchange/ring_broadcast.hpp"
#include "packet/exchange/ring_shift.hpp"
#include "packet/exchange/strided_box.hpp"
#include "packet/exchange/traffic_exchange.hpp"
#include "packet/exchange/traffic_messages.hpp"
#include "packet/message_passing/all_to_all.hpp"
#include "packet/message_passing/message_passing.hpp"
#include "packet/message_passing/request.hpp"
#include "packet/node/attachment.hpp"
#include "packet/node/message_record.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/runner.hpp"
#include "packet/policies/policies.hpp"
#include "packet/replay/critical_path.hpp"
#include "packet/replay/schedule.hpp"
#include "packet/replay/schedule_graph.hpp"
#include "packet/traffic/patterns.hpp"
#include "packet/traffic/permutation_traffic.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/hal/memory_archive.hpp"
#include "tests/packet/exchange/plans.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/sim/sim_machine.hpp"
#include "tests/violations.hpp"

namespace toroid {
namespace {

using testing::kHandler;
using testing::SimMachine;
using testing::Violation;

Shape two_nodes() {
  return Shape::parse("2");
}

/// An exchange of one packet in each direction, as node 0 sees it.
struct OneExchange {
  explicit OneExchange(const NodeOptions& options = {.settings = {.packets_per_visit = 1}})
      : sim(two_nodes(), options),
        messages(two_nodes(), 240, kPayloadBytes),
        plan(testing::plan_for(sim.node(0), messages)),
        exchange(sim.node(0), kHandler, Group::all(two_nodes(), 0), *plan, messages) {}

  SimMachine sim;
  UniformMessages messages;
  testing::PlanPointer plan;
  Exchange exchange;
  LatencyHistogram latency;
};

/// A ring broadcast of 8 bytes on two nodes, as node 0 sees it.
struct OneBroadcast {
  OneBroadcast() : sim(two_nodes()), broadcast(sim.node(0), kHandler, {1, 1, 0, 2, 1}, 8) {}
  void begin() { broadcast.begin(own, {std::span(buffers[0]), std::span(buffers[1])}); }

  SimMachine sim;
  std::array<std::byte, 8> own{};
  std::array<std::array<std::byte, 8>, 2> buffers{};
  RingBroadcast broadcast;
};

/// A ring shift of 8 bytes on two nodes, as node 0 sees it.
struct OneShift {
  explicit OneShift(RingShift::Carrier carrier = RingShift::Carrier::packets)
      : sim(two_nodes()), shift(sim.node(0), kHandler, {1, 1, 1, carrier}, 8) {}
  void begin() { shift.begin(own, next); }

  SimMachine sim;
  std::array<std::byte, 8> own{};
  std::array<std::byte, 8> next{};
  RingShift shift;
};

/// Asks for a turn in the past.
class LateSource final : public Outgoing {
 public:
  bool fill(OutputQueues&) override { return false; }
  NextLook next_look() override { return NextLook::at(1); }
};

Program post_late(Node& node, LateSource* source) {
  co_await node.compute(100);
  node.post(*source);
  co_await node.compute(100);
}

/// Nodes 0 and 1 swap messages; node 2 sends none.
PermutationTraffic swap_of_three() {
  return PermutationTraffic("swap", {1, 0, 2}, 240);
}

const Violation kAborting[] = {
    {"hal/send_descriptor.hpp:pack", "to.size",
     [] {
       OneExchange one;
       OutputQueues queues(1, 8);
       one.exchange.start();
       one.exchange.fill(queues);
       const SendDescriptor& front = queues.front(0);
       (void)front.source->pack(front, 0, 1, {});
     }},
    {"packet/exchange/exchange.hpp:audit", "starts_ == 0u",
     [] {
       OneExchange one;
       one.exchange.start();
       (void)one.exchange.audit(one.latency);
     }},
    {"packet/exchange/exchange.hpp:serialize", "end_.audit",
     [] {
       testing::SavedState archive;
       OneExchange().exchange.serialize(archive);
     }},
    {"packet/exchange/exchange_plan.hpp:ExchangePlan", "0u < settings_.packets_per_visit",
     [] { const OneExchange one(NodeOptions{.packets_per_visit = 0}); }},
    {"packet/exchange/exchange_plan.hpp:release", "has_releases_",
     [] { (void)OneExchange().plan->release(0, 0, 1); }},
    {"packet/exchange/exchange_plan.hpp:combining", "combines",
     [] { (void)OneExchange().plan->combining(0, 0, {}); }},
    {"packet/exchange/messages.hpp:MessagePart", "part.is_in",
     [] {
       (void)part_if_long(MessageCut(480, 240), {1, 0, 0}, nullptr, 0);
     }},
    {"packet/exchange/messages.hpp:MessageCut", "UINT32_MAX",
     [] { const MessageCut cut(std::uint64_t{1} << 32, 1); }},
    {"packet/exchange/messages.hpp:pack_part", "packed.size",
     [] {
       std::array<std::byte, 479> packed;
       (void)BlockMessages(two_nodes(), 0, 480).pack_part({1, 0, 2}, packed);
     }},
    {"packet/exchange/open_loop.hpp:ArrivalTimes", "per_cycle <= 1",
     [] { const ArrivalTimes times(ArrivalRule::bernoulli, 1.5, Random(1)); }},
    {"packet/exchange/open_loop.hpp:next", "per_cycle_ > 0",
     [] { (void)ArrivalTimes(ArrivalRule::bernoulli, 0, Random(1)).next(); }},
    {"packet/exchange/ring_broadcast.hpp:block", "used_ < arrived_",
     [] {
       OneBroadcast one;
       one.begin();
       (void)one.broadcast.block();
     }},
    {"packet/exchange/ring_shift.hpp:RingShift", "shares_memory_with",
     [] { const OneShift one(RingShift::Carrier::pointer); }},
    {"packet/exchange/traffic_exchange.hpp:counts_sources", "options.payload",
     [] {
       const PermutationTraffic traffic("swap", {1, 0}, 240);
       const TrafficExchange exchange(policy_by_name("random"), traffic, two_nodes(), Machine{},
                                      {.counts_sources = true});
     }},
    {"packet/exchange/traffic_exchange.hpp:serialize", "parts_.size",
     [] {
       const PermutationTraffic traffic("swap", {1, 0}, 240);
       testing::SavedState archive;
       TrafficExchange(policy_by_name("random"), traffic, two_nodes(), Machine{})
           .serialize(archive);
     }},
    {"packet/message_passing/all_to_all.hpp:start", "MessageRequest::done",
     [] {
       SimMachine sim(two_nodes());
       MessagePassing layer(sim.node(0), kHandler);
       AllToAll call(layer, Group::all(two_nodes(), 0), 0, {{8, 8}, {8, 8}});
       call.start();
       call.start();
     }},
    {"packet/node/node.hpp:at", "present_cycle.. < when",
     [] {
       SimMachine sim(two_nodes());
       LateSource source;
       sim.run([&](Node& node) { return post_late(node, &source); });
     }},
    {"packet/node/node.hpp:when", "is_never", [] { (void)NextLook::never().when(); }},
    {"packet/node/node.hpp:on", "object.node_ == this",
     [] {
       SimMachine sim(two_nodes());
       const int object = 0;
       const Attachment attachment(sim.node(0), "object", object);
       sim.node(1).on(attachment, kHandler, {});
     }},
    {"packet/node/node.hpp:hide", "removed == 1",
     [] {
       SimMachine sim(two_nodes());
       const std::array<std::byte, 8> memory{};
       sim.node(0).hide(memory);
     }},
    {"packet/node/node.hpp:Node", "options != nullptr",
     [] {
       const auto fabric = make_sim_fabric(two_nodes(), Machine{});
       const Node node(fabric->device(0), nullptr);
     }},
    {"packet/node/node.hpp:serialize", "record_ == nullptr",
     [] {
       MessageRecord record(2);
       SimMachine sim(two_nodes(), {.record = &record});
       testing::SavedState archive;
       sim.node(0).serialize(archive);
     }},
    {"packet/node/program.hpp:resume", "done", [] { Program().resume(); }},
    {"packet/node/runner.hpp:finished_at", "ran_",
     [] {
       const auto fabric = make_sim_fabric(two_nodes(), Machine{});
       (void)Runner(*fabric).finished_at();
     }},
    {"packet/node/runner.hpp:profile", "ran_",
     [] {
       const auto fabric = make_sim_fabric(two_nodes(), Machine{});
       (void)Runner(*fabric).profile();
     }},
    {"packet/replay/critical_path.hpp:critical_path", "graph.ranks.. <= shape.size",
     [] {
       const Schedule three{.name = "three", .ranks = std::vector<RankSchedule>(3)};
       (void)critical_path(Machine{}, two_nodes(), ScheduleGraph(three));
     }},
    {"packet/traffic/traffic.hpp:draw", "from",
     [] {
       Random random(1);
       (void)swap_of_three().draw(2, random);
     }},
};

const Violation kAbortingInACheckedBuild[] = {
    {"packet/exchange/messages.hpp:stretch", "this->packets",
     [] { (void)MessageCut(480, 240).stretch(1, 2); }},
    {"packet/exchange/messages.hpp:run", "bytes_to",
     [] {
       const Shape shape = Shape::parse("2x2");
       const auto plan =
           testing::plan_for(NodeOptions{.settings = {.packets_per_visit = 1}}, shape, shape);
       const auto lines = make_traffic("lines:X", shape, 240, 1);
       (void)TrafficMessages(*plan, *lines, 0).run(1, 0, 1);
     }},
    {"packet/exchange/strided_box.hpp:total", "bytes <= ",
     [] { (void)StridedBox{.count = 1ull << 40, .bytes = 1 << 30, .stride = 1 << 30}.total(); }},
    {"packet/exchange/strided_box.hpp:BoxCursor", "bytes <= rest_",
     [] {
       std::array<std::byte, 8> memory{};
       const StridedBox box = StridedBox::stretch(0, 8);
       BoxCursor<std::byte>(memory.data(), box, 4).advance(5);
     }},
    {"packet/exchange/strided_box.hpp:copy_boxes", "from.rest",
     [] {
       std::array<std::byte, 8> memory{};
       const StridedBox box = StridedBox::stretch(0, 8);
       copy_boxes({memory.data(), box, 4}, {memory.data(), box, 0}, 8);
     }},
    {"packet/node/node.hpp:descriptor", "chunks_for",
     [] { (void)SimMachine(two_nodes()).node(0).descriptor(1, kHandler, 100, 0, 1); }},
};

const Violation kThrowing[] = {
    {"packet/exchange/ring_broadcast.hpp:begin", "a RingBroadcast began a round before",
     [] {
       OneBroadcast one;
       one.begin();
       one.begin();
     }},
    {"packet/exchange/ring_broadcast.hpp:advance", "a RingBroadcast went on before its block",
     [] {
       OneBroadcast one;
       one.begin();
       one.broadcast.advance();
     }},
    {"packet/exchange/ring_shift.hpp:begin", "a RingShift began a round before",
     [] {
       OneShift one;
       one.begin();
       one.begin();
     }},
    {"packet/exchange/ring_shift.hpp:advance", "a RingShift went on before",
     [] {
       OneShift one;
       one.begin();
       one.shift.advance();
     }},
    {"packet/node/node.hpp:barrier", "before it has passed the one before",
     [] {
       SimMachine sim(two_nodes());
       (void)sim.node(0).barrier();
       (void)sim.node(0).barrier();
     }},
};

TEST(PacketPreconditionsDeathTest, AbortIfViolated) {
  testing::expect_aborts(kAborting);
}

TEST(PacketPreconditionsDeathTest, AbortIfViolatedInACheckedBuild) {
  testing::expect_aborts_in_a_checked_build(kAbortingInACheckedBuild);
}

TEST(PacketPreconditions, ThrowIfViolated) {
  testing::expect_thrown(kThrowing);
}

}  // namespace
}  // namespace toroid
