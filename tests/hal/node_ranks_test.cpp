// Shapes whose nodes have several ranks.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "hal/bounds.hpp"
#include "hal/check.hpp"
#include "hal/direction.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/random.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"

namespace toroid {
namespace {

TEST(NodeRanks, ProcessorIsTheLastCoordinate) {
  const Shape shape = Shape::parse("3x2x4t");
  EXPECT_EQ(shape.text(), "3x2x4t");
  EXPECT_EQ(shape.size(), 24u);
  EXPECT_EQ(shape.nodes(), 6u);
  EXPECT_EQ(shape.dims(), 3u);
  EXPECT_EQ(shape.torus_dims(), 2u);
  EXPECT_EQ(shape.links(), 4u);
  EXPECT_EQ(shape.torus().text(), "3x2");
  for (Rank r = 0; r < shape.size(); ++r) {
    const Coord at = shape.coord(r);
    EXPECT_EQ(shape.rank(at), r);
    EXPECT_EQ(at[2], shape.ranks().processor(r));
    EXPECT_EQ(shape.ranks().rank(shape.ranks().node(r), at[2]), r);
    Coord of_node = at;
    of_node[2] = 0;
    EXPECT_EQ(shape.torus().coord(shape.ranks().node(r)), of_node);
  }
}

TEST(NodeRanks, LinksLeadToTheSameProcessorOfTheNextNode) {
  const Shape shape = Shape::parse("4x2x2t");
  for (Rank r = 0; r < shape.size(); ++r)
    for (std::uint8_t l = 0; l < kMaxLinks; ++l) {
      const auto next = shape.neighbour(r, {l});
      const auto node = shape.torus().neighbour(shape.ranks().node(r), {l});
      ASSERT_EQ(next.has_value(), node.has_value());
      if (!next) continue;
      EXPECT_EQ(shape.ranks().node(*next), *node);
      EXPECT_EQ(shape.ranks().processor(*next), shape.ranks().processor(r));
    }
}

TEST(NodeRanks, RoutesAreThoseOfTheNodes) {
  const Shape shape = Shape::parse("4x3mx4t");
  const Shape torus = Shape::parse("4x3m");
  for (Rank a = 0; a < shape.size(); ++a)
    for (Rank b = 0; b < shape.size(); ++b) {
      const Coord from = shape.coord(a), to = shape.coord(b);
      const Coord at = torus.coord(shape.ranks().node(a)),
                  goal = torus.coord(shape.ranks().node(b));
      Random one(1), other(1);
      const DirectionSet hints = minimal_directions(shape, from, to, TieRule::parity, one);
      EXPECT_EQ(hints, minimal_directions(torus, at, goal, TieRule::parity, other));
      EXPECT_EQ(minimal_hops(shape, from, to), minimal_hops(torus, at, goal));
      EXPECT_EQ(route_along(shape, from, to, hints)->hops,
                route_along(torus, at, goal, hints)->hops);
      const bool within = shape.ranks().node(a) == shape.ranks().node(b) && a != b;
      EXPECT_EQ(route_along(shape, from, to, shape.within_node()).has_value(), within);
    }
}

/// Every pair of ranks: the header says the destination's node and processor, and is valid.
TEST(NodeRanks, HeaderHasTheDestinationsProcessor) {
  const Shape shape = Shape::parse("2x2x4t");
  for (Rank a = 0; a < shape.size(); ++a)
    for (Rank b = 0; b < shape.size(); ++b) {
      if (a == b) continue;
      Random random(1);
      DirectionSet hints =
          minimal_directions(shape, shape.coord(a), shape.coord(b), TieRule::plus, random);
      if (hints.empty()) hints = shape.within_node();
      const PacketHeader header =
          PacketHeader(HeaderFields{.hints = {}, .chunks = 3})
              .with_way(shape.ranks().node(b), hints, shape.ranks().processor(b));
      EXPECT_EQ(PacketHeader(header.fields()), header);
      EXPECT_EQ(rank_of(header, shape), b);
      Route route;
      EXPECT_EQ(validate(header, shape, shape.coord(a), route), HeaderError::none);
    }
}

TEST(NodeRanks, HeaderWithAProcessorThatNodesLackIsRefused) {
  const PacketHeader header = PacketHeader(HeaderFields{}).with_way(1, DirectionSet(1), 2);
  Route route;
  EXPECT_EQ(validate(header, Shape::parse("3x4t"), Coord{}, route), HeaderError::none);
  EXPECT_EQ(validate(header, Shape::parse("3x2t"), Coord{}, route), HeaderError::reserved_bits_set);
  EXPECT_EQ(validate(header, Shape::parse("3"), Coord{}, route), HeaderError::reserved_bits_set);
}

TEST(NodeRanks, MemoryHasAPlaceAfterTheFifos) {
  const Machine machine;
  const Shape shape = Shape::parse("4x4x2t");
  const auto plain = fifos_of_node(Shape::parse("4x4"), machine, FifoTying::any);
  const auto fifos = fifos_of_node(shape, machine, FifoTying::any);
  ASSERT_EQ(fifos.size(), plain.size() + 1);
  EXPECT_EQ(fifos.back().directions, shape.within_node());
  for (std::size_t f = 0; f < plain.size(); ++f)
    EXPECT_EQ(fifos[f].directions, plain[f].directions);
}

TEST(NodeRanks, WrongNumbersAreRefused) {
  for (const char* text : {"2t", "4x3t", "4x8t", "4x0t", "4xt", "4x2tx2", "4x2mt", "8x4x2t@YX4",
                           "2x2x2x2x2x2x2t", "256x256x256x2t"})
    EXPECT_THROW((void)Shape::parse(text), BadInput) << text;
  EXPECT_EQ(Shape::parse("4x1t"), Shape::parse("4"));
}

/// An all-to-all of n nodes with t ranks puts t² times the messages of one with one rank on each
/// link, and t (n t - t) messages into the FIFOs of a node.
TEST(NodeRanks, BoundsCountMessagesBetweenNodes) {
  const Machine machine;
  const MessageCost cost = message_cost(machine, 2400);
  const Bounds plain = all_to_all_bounds(machine, Shape::parse("4x4x4"), cost);
  for (const unsigned t : {2u, 4u}) {
    const Shape shape = Shape::parse("4x4x4x" + std::to_string(t) + "t");
    EXPECT_DOUBLE_EQ(hottest_link_messages(shape).value(),
                     t * t * hottest_link_messages(Shape::parse("4x4x4")).value());
    const Bounds bounds = all_to_all_bounds(machine, shape, cost);
    EXPECT_NEAR(static_cast<double>(bounds.hottest_link),
                static_cast<double>(t * t * plain.hottest_link), t * t);
    EXPECT_NEAR(static_cast<double>(bounds.injection), static_cast<double>(t * t * plain.injection),
                t * t);
    EXPECT_EQ(bounds.processor,
              (64 * t - t) * cost.packets * (machine.inject_cycles + machine.receive_cycles) +
                  (t - 1) * cost.packets * 2 * machine.memory_packet_cycles);
  }
}

}  // namespace
}  // namespace toroid
