// Bounds of traffic, compared with an enumeration of every hop, with closed formulas and with known
// values.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hal/bounds.hpp"
#include "hal/check.hpp"
#include "hal/direction.hpp"
#include "hal/failures.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/machine.hpp"
#include "hal/random.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "packet/traffic/matrix_traffic.hpp"
#include "packet/traffic/patterns.hpp"
#include "packet/traffic/traffic.hpp"
#include "packet/traffic/traffic_bounds.hpp"
#include "packet/traffic/traffic_load.hpp"
#include "tests/hal/link_loads.hpp"
#include "tests/hal/shapes.hpp"

namespace toroid {
namespace {

const Machine kBgl;

/// The same traffic, given only by the entries of its matrix.
MatrixTraffic entries_of(const Traffic& traffic, const Shape& shape) {
  std::vector<TrafficEntry> entries;
  for (Rank a = 0; a < shape.size(); ++a)
    for (const Rank b : traffic.targets(a)) entries.push_back({a, b, traffic.bytes(a, b)});
  return {"entries", shape.size(), std::move(entries)};
}

std::vector<const char*> names_for(const Shape& shape) {
  std::vector<const char*> names;
  for (const char* name : {"all-to-all", "lines", "planes", "tornado", "bit-complement", "halo",
                           "hotspot", "incast:0", "zipf", "permutation", "uniform:3", "roll"})
    try {
      make_traffic(name, shape, 1, 1);
      names.push_back(name);
    } catch (const BadInput&) {
    }
  return names;
}

constexpr const char* kBoundedShapes[] = {"1",    "2",    "5",     "6",      "4x3",
                                          "2x5m", "4mx4", "3x2x4", "2x2x2x3"};

/// Wire bytes over each link if messages take the dimensions in order.
std::vector<std::uint64_t> link_bytes(const Shape& shape, const Traffic& traffic, TieRule rule) {
  Random unused(1);
  return testing::link_loads(shape, [&](const Coord& from, const Coord& to, unsigned d) {
    const std::uint64_t bytes = traffic.bytes(shape.rank(from), shape.rank(to));
    const auto wire = static_cast<unsigned>(message_cost(kBgl, bytes).wire_bytes);
    const DirectionSet hints = minimal_directions(shape, from, to, rule, unused);
    return testing::Ways{hints.has(Direction::plus(d)) ? wire : 0,
                         hints.has(Direction::minus(d)) ? wire : 0};
  });
}

/// For each layer of the dimension of `way`, the mean load of the layer's links in direction `way`.
/// A layer is indexed by its lower coordinate.
std::vector<double> layer_means(const Shape& shape, const std::vector<std::uint64_t>& links,
                                Direction way) {
  const unsigned k = shape.extent(way.dim());
  std::vector<double> sums(k);
  for (Rank r = 0; r < shape.size(); ++r) {
    const unsigned x = shape.coord(r)[way.dim()];
    const auto bytes = static_cast<double>(links[r * shape.links() + way.index]);
    sums[way.is_minus() ? (x + k - 1) % k : x] += bytes / (shape.size() / k);
  }
  return sums;
}

TEST(TrafficFlow, LayerLoadsMatchHopByHopEnumeration) {
  using ::testing::Pointwise;
  for (const char* text : kBoundedShapes)
    for (const char* name : names_for(Shape::parse(text)))
      for (const TieRule rule : {TieRule::parity, TieRule::plus, TieRule::minus}) {
        const Shape shape = Shape::parse(text);
        const auto traffic = make_traffic(name, shape, 250, 3);
        const TrafficFlow flow(kBgl, shape, *traffic);
        const auto links = link_bytes(shape, *traffic, rule);
        double most = 0;
        for (unsigned d = 0; d < shape.dims(); ++d) {
          const LayerLoads loads = flow.layers(d, rule);
          EXPECT_THAT(loads.plus, Pointwise(::testing::DoubleEq(),
                                            layer_means(shape, links, Direction::plus(d))))
              << name << " on " << text;
          EXPECT_THAT(loads.minus, Pointwise(::testing::DoubleEq(),
                                             layer_means(shape, links, Direction::minus(d))))
              << name << " on " << text;
          most = std::max(most, loads.most());
        }
        EXPECT_DOUBLE_EQ(flow.hottest_link(rule), most);
      }
}

/// No tie rule gives a load below the bound. This includes `split`, which tosses a coin for every
/// pair.
TEST(TrafficBounds, HoldHoweverTiesAreDecided) {
  for (const char* text : kBoundedShapes)
    for (const char* name : names_for(Shape::parse(text))) {
      const Shape shape = Shape::parse(text);
      const auto traffic = make_traffic(name, shape, 250, 3);
      const Bounds bounds = traffic_bounds(kBgl, shape, *traffic);
      for (const TieRule rule : {TieRule::parity, TieRule::plus, TieRule::minus, TieRule::split,
                                 TieRule::split, TieRule::balanced}) {
        const auto links = link_bytes(shape, *traffic, rule);
        const std::uint64_t hottest = links.empty() ? 0 : *std::ranges::max_element(links);
        EXPECT_LE(bounds.hottest_link, kBgl.wire_cycles(hottest)) << name << " on " << text;
        EXPECT_LE(bounds.hottest_link, traffic_bounds(kBgl, shape, *traffic, rule).hottest_link);
      }
    }
}

/// Sum over all messages of bytes times fewest hops along a dimension, divided by the number of
/// links of the dimension. A detour cannot reduce it.
double mean_link_bytes(const Shape& shape, const Traffic& traffic, unsigned d) {
  double bytes = 0;
  for (Rank a = 0; a < shape.size(); ++a)
    for (const Rank b : traffic.targets(a)) {
      const unsigned k = shape.extent(d);
      const unsigned x = shape.coord(a)[d];
      const unsigned y = shape.coord(b)[d];
      const unsigned apart = std::max(x, y) - std::min(x, y);
      const unsigned hops = shape.wraps(d) ? std::min(apart, k - apart) : apart;
      bytes += hops * static_cast<double>(message_cost(kBgl, traffic.bytes(a, b)).wire_bytes);
    }
  double links = 0;
  for (Rank r = 0; r < shape.size(); ++r)
    for (const Direction way : {Direction::plus(d), Direction::minus(d)})
      links += shape.neighbour(r, way) ? 1 : 0;
  return links == 0 ? 0 : bytes / links;
}

TEST(TrafficBounds, OverAllPathsAreTheMeanLinkLoadAndNeverExceedThoseOverShortestPaths) {
  for (const char* text : kBoundedShapes)
    for (const char* name : names_for(Shape::parse(text))) {
      const Shape shape = Shape::parse(text);
      const auto traffic = make_traffic(name, shape, 250, 3);
      const Bounds any = traffic_bounds_of_any_ways(kBgl, shape, *traffic);
      const Bounds shortest = traffic_bounds(kBgl, shape, entries_of(*traffic, shape));
      const std::string which = fmt::format("{} on {}", name, text);
      double mean = 0;
      for (unsigned d = 0; d < shape.dims(); ++d)
        mean = std::max(mean, mean_link_bytes(shape, *traffic, d));
      EXPECT_NEAR(static_cast<double>(any.hottest_link), mean * 8 / kBgl.link_bits_per_cycle, 1)
          << which;
      EXPECT_LE(any.hottest_link, shortest.hottest_link + 1) << which;
      EXPECT_LE(any.injection, shortest.injection) << which;
      EXPECT_EQ(any.processor, shortest.processor) << which;
      EXPECT_LE(any.zero_load, shortest.zero_load) << which;
    }
}

TEST(TrafficBounds, FromEntriesMatchThePattern) {
  for (const char* text : kBoundedShapes)
    for (const char* name : names_for(Shape::parse(text))) {
      const Shape shape = Shape::parse(text);
      const auto traffic = make_traffic(name, shape, 250, 3);
      const MatrixTraffic entries = entries_of(*traffic, shape);
      const Bounds closed = traffic_bounds(kBgl, shape, *traffic);
      const Bounds summed = traffic_bounds(kBgl, shape, entries);
      const std::string which = fmt::format("{} on {}", name, text);
      EXPECT_NEAR(static_cast<double>(closed.hottest_link),
                  static_cast<double>(summed.hottest_link), 1)
          << which;
      EXPECT_EQ(closed.processor, summed.processor) << which;
      EXPECT_EQ(closed.zero_load, summed.zero_load) << which;
      EXPECT_LE(closed.injection, summed.injection) << which;
    }
}

TEST(TrafficBounds, OfAllToAllHaveKnownValues) {
  const auto cycles = [](const char* text) {
    const Shape shape = Shape::parse(text);
    return traffic_bounds(kBgl, shape, *make_traffic("all-to-all", shape, 240, 1)).hottest_link;
  };
  EXPECT_EQ(cycles("8x8x8"), 552960u);
  EXPECT_EQ(cycles("8mx8mx8m"), 2 * 552960u);
  EXPECT_EQ(cycles("8x8x16"), 2211840u);
  EXPECT_EQ(cycles("64x32x32"), 524288u * 1080);
  EXPECT_EQ(cycles("4x4x4"), 32u * 1080);
}

/// If an all-to-all is given only by its entries, its bounds are those of the closed formula.
TEST(TrafficBounds, SummedOverPairsMatchTheClosedFormula) {
  for (unsigned dims = 1; dims <= 2; ++dims)
    for (const Shape& shape : testing::all_shapes(dims, 7)) {
      const auto traffic = make_traffic("all-to-all", shape, 240, 1);
      const TrafficFlow flow(kBgl, shape, entries_of(*traffic, shape));
      EXPECT_NEAR(flow.hottest_link(), hottest_link_messages(shape).value() * 270, 1e-6)
          << shape.text();
    }
}

// On 4x3, node 0 sends two full packets to (2,1).
TEST(TrafficBounds, CountTheLinksThatANodesPacketsCanTake) {
  const Shape shape = Shape::parse("4x3");
  const MatrixTraffic traffic("one", 12, {{0, 7, 480}});
  const Bounds bounds = traffic_bounds(kBgl, shape, traffic);
  EXPECT_EQ(bounds.injection, 2u * 1080 / 3);  // over X+, X- and Y+
  EXPECT_EQ(bounds.hottest_link, bounds.injection);
  EXPECT_EQ(bounds.processor, 2u * 200);  // the receiver's; the sender's is 2 · 150
  EXPECT_EQ(bounds.zero_load, 150u + 3 * 69 + 1080 + 2 * 200);  // by two links, but one processor
  const MatrixTraffic straight("straight", 12, {{0, 1, 480}});
  EXPECT_EQ(traffic_bounds(kBgl, shape, straight).injection, 2u * 1080);  // over Y+ only
}

TEST(TrafficBounds, OfIncastAreSetByTheSink) {
  const Shape shape = Shape::parse("4x4x4");
  const Bounds bounds = traffic_bounds(kBgl, shape, *make_traffic("incast", shape, 240, 1));
  EXPECT_EQ(bounds.injection, 63u * 1080 / 6);
  EXPECT_EQ(bounds.processor, 63u * 200);
}

TEST(TrafficBounds, AreZeroWithoutMessages) {
  for (const char* text : {"1", "3x3"})
    for (const char* name : {"all-to-all", "incast:0", "permutation"}) {
      const Shape shape = Shape::parse(text);
      EXPECT_EQ(traffic_bounds(kBgl, shape, *make_traffic(name, shape, 0, 1)).max(), 0u) << name;
    }
}

// Two of eight directions share a FIFO on a machine with six.
TEST(TrafficBounds, OfInjectionFifosCountMessagesThatShareOne) {
  const Shape shape = Shape::parse("3x3x3x3");
  const auto faces = make_traffic("neighbour", shape, 240, 1);
  const auto cycles = [&](unsigned fifos, FifoTying tying) {
    Machine machine;
    machine.injection_fifos = fifos;
    return injection_fifo_bound(machine, shape, *faces, links_of_fifos(shape, fifos, tying));
  };
  EXPECT_EQ(cycles(8, FifoTying::per_direction), 1080u);
  EXPECT_EQ(cycles(6, FifoTying::per_direction), 2u * 1080);
  EXPECT_EQ(cycles(6, FifoTying::any), 8u * 1080 / 6);
  EXPECT_EQ(cycles(4, FifoTying::per_dimension), 2u * 1080);
  EXPECT_EQ(cycles(1, FifoTying::per_direction), 8u * 1080);
  const auto all = make_traffic("all-to-all", shape, 240, 1);
  EXPECT_EQ(
      injection_fifo_bound(kBgl, shape, *all, links_of_fifos(shape, 6, FifoTying::per_direction)),
      80u * 1080 / 6);
}

// Packets for X+ must share one of four FIFOs with those for three other links.
TEST(TrafficBounds, OfInjectionFifosCountWhatATableTies) {
  const Shape shape = Shape::parse("3x3");
  const auto bound = [&](const char* traffic, const char* table) {
    return injection_fifo_bound(kBgl, shape, *make_traffic(traffic, shape, 240, 1),
                                links_of_fifos(shape, 4, FifoLinks::parse(table)));
  };
  EXPECT_EQ(bound("neighbour", "X+,X-,Y+,Y-"), 1080u);
  EXPECT_EQ(bound("neighbour", "any,any,any,any"), 1080u);
  EXPECT_EQ(bound("neighbour", "X+X-Y+,Y-,Y-,Y-"), 3u * 1080);
  EXPECT_EQ(bound("all-to-all", "any,any,any,any"), 8u * 1080 / 4);
  EXPECT_EQ(bound("all-to-all", "X+X-Y+Y-,Y-,Y-,Y-"), 5u * 1080);  // two along X, three by Y+
}

TEST(TrafficBounds, OfIncastOnATwistedTorusAreSetByTheSink) {
  const Shape shape = Shape::parse("4x4x8@XZ4@YZ4");
  const Bounds bounds = traffic_bounds(kBgl, shape, *make_traffic("incast", shape, 240, 1));
  EXPECT_EQ(bounds.injection, 127u * 1080 / 6);
  EXPECT_GE(bounds.hottest_link, bounds.injection);
}

// Shortest paths would take both messages over X+ of node 0. The failure sends one of them the long
// way, by X-.
TEST(TrafficBounds, AroundFailuresAssumeThatMessagesMayTakeTheLongWay) {
  const Shape shape = Shape::parse("5").with_failures(
      FailureList{.links = {"(1)X+"}, .nodes = {}, .long_ways = true});
  const MatrixTraffic traffic("two", 5, {{0, 1, 240}, {0, 2, 240}});
  EXPECT_EQ(traffic_bounds(kBgl, shape.without_failures(), traffic).hottest_link, 2u * 1080);
  EXPECT_LE(traffic_bounds(kBgl, shape, traffic).hottest_link, 1080u);
}

TEST(TrafficBounds, OfTornadoAreSetByItsDirection) {
  const Shape shape = Shape::parse("8x8");
  // Every message goes three steps up in each dimension, so every + link carries three messages.
  EXPECT_EQ(traffic_bounds(kBgl, shape, *make_traffic("tornado", shape, 240, 1)).hottest_link,
            3u * 1080);
}

}  // namespace
}  // namespace toroid
