// Violations of the preconditions of the public headers in hal/.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "hal/bounds.hpp"
#include "hal/check.hpp"
#include "hal/direction.hpp"
#include "hal/drain.hpp"
#include "hal/failures.hpp"
#include "hal/fill.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/link_errors.hpp"
#include "hal/machine.hpp"
#include "hal/output_queues.hpp"
#include "hal/packet.hpp"
#include "hal/random.hpp"
#include "hal/route.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "tests/hal/descriptors.hpp"
#include "tests/violations.hpp"

namespace toroid {
namespace {

using testing::Violation;

/// A fill that is done from the beginning.
Fill empty_fill() {
  return Fill(SendOrder(std::vector<Rank>{}), {});
}

Failures no_failures(const char* torus) {
  return Failures(Shape::parse(torus), {});
}

InjectionFifos one_fifo() {
  return InjectionFifos(tie_fifos(Shape::parse("2"), 1, 8));
}

Route hops_along_x(std::uint8_t hops) {
  return {.hops = {hops}, .directions = testing::set_of({testing::kXPlus})};
}

const Violation kInEveryBuild[] = {
    {"hal/bounds.hpp:moved_by_engines", "has_dma_engine", [] { moved_by_engines(Machine{}); }},
    {"hal/check.hpp:character_end", "end <= text.size", [] { (void)character_end("text", 5); }},
    {"hal/drain.hpp:end_turn", "has_moved",
     [] {
       const OutputQueues queues(1, 4);
       Drain drain;
       drain.begin_turn(queues);
       drain.end_turn(queues, one_fifo());
     }},
    {"hal/failures.hpp:let_die", "may_change",
     [] { no_failures("4").let_die({.at = 1, .node = 0, .link = {}}); }},
    {"hal/fill.hpp:Batching", "0u < batching.per_visit",
     [] { const Fill fill(SendOrder({1}), {.packets = 1, .per_visit = 0}); }},
    {"hal/injection_fifo.hpp:InjectionFifos", "fifos.size.. <= kMost",
     [] { const InjectionFifos fifos(std::vector<InjectionFifo>(InjectionFifos::kMost + 1)); }},
    {"hal/injection_fifo.hpp:links_of_fifos", "0u < count",
     [] { (void)links_of_fifos(Shape::parse("2"), 0, FifoTying::any); }},
    {"hal/injection_fifo.hpp:tie_fifos", "0u < count",
     [] { (void)tie_fifos(Shape::parse("2"), 0, 8); }},
    {"hal/link_errors.hpp:fault", "sound_ == 0u", [] { (void)LinkFaultDraw().fault(); }},
    {"hal/output_queues.hpp:OutputQueues", "0u < in_turn", [] { const OutputQueues queues(0, 4); }},
    {"hal/send_order.hpp:SendOrder", "self < members",
     [] { const SendOrder order(OrderRule::rank, 3, 3, 1); }},
    {"hal/shape.hpp:coord", "rank < size_", [] { (void)Shape::parse("2x3").coord(6); }},
    {"hal/shape.hpp:ways", "is_twisted", [] { (void)Shape::parse("2x3").ways(); }},
    {"hal/shape.hpp:offset", "wraps_", [] { (void)Shape::parse("4m").offset({}, {}); }},
    {"hal/shape.hpp:resized", "extents.size.. == dims_",
     [] { (void)Shape::parse("4").resized({}); }},
};

const Violation kInACheckedBuild[] = {
    {"hal/direction.hpp:first", "empty", [] { (void)DirectionSet().first(); }},
    {"hal/failures.hpp:passable of directions", "from.d. != end.d.",
     [] { (void)no_failures("4x4").passable(0, 1, testing::set_of({testing::kXPlus})); }},
    {"hal/failures.hpp:passable of a route", "is_in_box",
     [] { (void)no_failures("4").passable(0, 3, hops_along_x(3)); }},
    {"hal/failures.hpp:leaves_escape", "is_in_box",
     [] { (void)no_failures("4").leaves_escape(0, 3, hops_along_x(3)); }},
    {"hal/failures.hpp:leaves_way", "route_along",
     [] { (void)no_failures("4").leaves_way(0, 1, DirectionSet(), true); }},
    {"hal/fill.hpp:peer", "done", [] { (void)empty_fill().peer(); }},
    {"hal/fill.hpp:visit", "done", [] { (void)empty_fill().visit(); }},
    {"hal/injection_fifo.hpp:add", "chunks <= room", [] { one_fifo().add(0, 9); }},
    {"hal/injection_fifo.hpp:release", "chunks <= used", [] { one_fifo().release(0, 1); }},
    {"hal/output_queues.hpp:emplace", "free_ == place",
     [] {
       OutputQueues queues(1, 4);
       queues.emplace(0, [&] {
         queues.push(0, testing::descriptor({}, 1));
         return testing::descriptor({}, 2);
       });
     }},
    {"hal/output_queues.hpp:front", "is_empty", [] { (void)OutputQueues(1, 4).front(0); }},
    {"hal/packet.hpp:PacketHeader", "f.payload_bytes <= kPayloadBytes",
     [] { (void)PacketHeader(HeaderFields{.hints = {}, .payload_bytes = 241}); }},
    {"hal/packet.hpp:with_order", "order",
     [] { (void)PacketHeader(HeaderFields{.hints = {}, .order = 1}).with_order(2); }},
    {"hal/packet.hpp:with_way", "destination",
     [] { (void)PacketHeader(HeaderFields{.destination = 1, .hints = {}}).with_way(2, {}); }},
    {"hal/random.hpp:below", "bound > 0", [] { (void)Random(1).below(0); }},
    {"hal/send_descriptor.hpp:next", "count <= left",
     [] { (void)testing::descriptor({}, 1).next(2); }},
    {"hal/send_descriptor.hpp:front", "empty", [] { (void)DescriptorQueue().front(); }},
    {"hal/shape.hpp:NodeRanks", "per_node", [] { (void)NodeRanks(3); }},
};

TEST(HalPreconditionsDeathTest, AbortIfViolated) {
  testing::expect_aborts(kInEveryBuild);
}

TEST(HalPreconditionsDeathTest, AbortIfViolatedInACheckedBuild) {
  testing::expect_aborts_in_a_checked_build(kInACheckedBuild);
}

}  // namespace
}  // namespace toroid
