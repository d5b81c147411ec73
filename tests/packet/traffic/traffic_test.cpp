// Patterns of traffic, compared with their definitions for all pairs of nodes of small machines.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "hal/direction.hpp"
#include "hal/failures.hpp"
#include "hal/machine.hpp"
#include "hal/random.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "packet/traffic/matrix_traffic.hpp"
#include "packet/traffic/patterns.hpp"
#include "packet/traffic/traffic.hpp"
#include "packet/traffic/traffic_bounds.hpp"

namespace toroid {
namespace {

constexpr std::uint64_t kBytes = 1000;
constexpr const char* kShapes[] = {"1", "2", "7", "7m", "3x3", "2x5", "4x1x3", "3x2x5m", "2x2x2x3"};

using Sends = std::function<bool(const Shape&, const Coord& from, const Coord& to)>;

/// Checks that exactly the pairs for which `sends` holds get `kBytes`.
void expect_pairs(const std::string& name, const Shape& shape, const Sends& sends) {
  const auto traffic = make_traffic(name, shape, kBytes, 7);
  for (Rank a = 0; a < shape.size(); ++a)
    for (Rank b = 0; b < shape.size(); ++b) {
      const bool expected = a != b && sends(shape, shape.coord(a), shape.coord(b));
      EXPECT_EQ(traffic->bytes(a, b), expected ? kBytes : 0)
          << name << " on " << shape.text() << ": " << a << " to " << b;
    }
}

void expect_pairs(const std::string& name, const Sends& sends) {
  for (const char* text : kShapes) expect_pairs(name, Shape::parse(text), sends);
}

/// For patterns whose dimensions are independent: a pair gets bytes if `rule` holds in every
/// dimension.
template <typename Rule>
Sends each_dimension(const Rule& rule) {
  return [rule](const Shape& shape, const Coord& from, const Coord& to) {
    for (unsigned d = 0; d < shape.dims(); ++d)
      if (!rule(shape, d, from[d], to[d])) return false;
    return true;
  };
}

/// Distance along one dimension; on a ring, the shorter of the two.
unsigned apart(const Shape& shape, unsigned d, unsigned a, unsigned b) {
  const unsigned direct = a < b ? b - a : a - b;
  return shape.wraps(d) ? std::min(direct, shape.extent(d) - direct) : direct;
}

TEST(Traffic, SampleHasTheSameNumberOfTargetsAndSourcesEverywhere) {
  for (const char* text : {"2", "3", "2x2", "2x3", "2x2x2", "4x3", "5x4x3", "1x7", "16"}) {
    const Shape shape = Shape::parse(text);
    for (Rank count = 1; count <= shape.size() / 2; ++count) {
      const auto traffic = make_traffic(fmt::format("sample:{}", count), shape, kBytes, count);
      for (Rank r = 0; r < shape.size(); ++r) {
        ASSERT_EQ(traffic->targets(r).size(), count) << text;
        ASSERT_EQ(traffic->sources(r).size(), count) << text;
        for (const Rank to : traffic->targets(r)) ASSERT_EQ(traffic->bytes(r, to), kBytes) << text;
      }
    }
  }
}

TEST(Traffic, SampleLoadsALinkWithItsShareOfTheAllToAll) {
  const Shape shape = Shape::parse("8x4x4");
  const Machine machine;
  const auto whole = traffic_bounds(machine, shape, *make_traffic("all-to-all", shape, 240, 1));
  const auto sample = traffic_bounds(machine, shape, *make_traffic("sample:32", shape, 240, 1));
  EXPECT_EQ(sample.hottest_link * 4, whole.hottest_link);
}

/// If a traffic states a common length of its messages, every message has this length.
TEST(Traffic, CommonMessageLengthIsThatOfEachMessage) {
  for (const Shape& shape :
       {Shape::parse("4x4"), Shape::parse("3x2x4m"), Shape::parse("5x1m"), Shape::parse("8x4@YX4"),
        Shape::parse("4x4").with_failures(FailureList{.links = {}, .nodes = {"(1,2)", "(0,0)"}})}) {
    unsigned alike = 0;
    for (const char* name :
         {"all-to-all", "uniform", "uniform:2", "sample:2", "lines:X", "planes", "neighbour",
          "halo", "hotspot", "incast", "permutation", "zipf", "tornado"}) {
      const auto traffic = make_traffic(name, shape, kBytes, 7);
      const auto bytes = traffic->message_bytes();
      alike += bytes ? 1 : 0;
      for (Rank self = 0; bytes && self < shape.size(); ++self) {
        for (const Rank to : traffic->targets(self))
          EXPECT_EQ(traffic->bytes(self, to), *bytes) << name << " on " << shape.text();
        for (const Rank from : traffic->sources(self))
          EXPECT_EQ(traffic->bytes(from, self), *bytes) << name << " on " << shape.text();
      }
    }
    EXPECT_GE(alike, 3u) << shape.text();
  }
}

TEST(Traffic, AllToAllAndUniformReachAllNodes) {
  const Sends everybody = [](auto&...) { return true; };
  expect_pairs("all-to-all", everybody);
  expect_pairs("uniform", everybody);
  EXPECT_TRUE(make_traffic("uniform", Shape::parse("3x3"), 1, 1)->is_uniform_all_to_all());
  EXPECT_FALSE(make_traffic("lines:X", Shape::parse("3x3"), 1, 1)->is_uniform_all_to_all());
}

TEST(Traffic, LinesAndPlanesStayInsideTheirDimensions) {
  const auto inside = [](unsigned dims) {
    return each_dimension([dims](const Shape&, unsigned d, unsigned a, unsigned b) {
      return a == b || (dims >> d & 1u) != 0;
    });
  };
  const Shape shape = Shape::parse("3x2x5m");
  expect_pairs("lines", shape, inside(1));
  expect_pairs("lines:Y", shape, inside(2));
  expect_pairs("lines:Z", shape, inside(4));
  expect_pairs("planes", shape, inside(3));
  expect_pairs("planes:XZ", shape, inside(5));
  expect_pairs("planes:ZY", shape, inside(6));
}

TEST(Traffic, TornadoGoesAlmostHalfWayRound) {
  for (const char* text : {"7", "3x3", "4x1x3", "8x6", "2x5"})
    expect_pairs("tornado", Shape::parse(text),
                 each_dimension([](const Shape& s, unsigned d, unsigned a, unsigned b) {
                   const unsigned k = s.extent(d);
                   const unsigned steps = k % 2 == 0 ? k / 2 - 1 : k / 2;
                   return b == (a + steps) % k;
                 }));
}

TEST(Traffic, TransposeSwapsTwoCoordinates) {
  const auto swapped = [](unsigned x, unsigned y) {
    return [x, y](const Shape&, Coord from, const Coord& to) {
      std::swap(from[x], from[y]);
      return from == to;
    };
  };
  expect_pairs("transpose", Shape::parse("3x3"), swapped(0, 1));
  expect_pairs("transpose", Shape::parse("3x2x3"), swapped(0, 2));
  expect_pairs("transpose:YZ", Shape::parse("3x2x2"), swapped(1, 2));
}

TEST(Traffic, BitComplementInvertsAllBitsOfPowersOfTwoAndMirrorsTheRest) {
  for (const char* text : {"8", "4x2x8", "16x4"})
    expect_pairs("bit-complement", Shape::parse(text),
                 each_dimension([](const Shape& s, unsigned d, unsigned a, unsigned b) {
                   return (a ^ b) == s.extent(d) - 1;
                 }));
  expect_pairs("bit-complement",
               each_dimension([](const Shape& s, unsigned d, unsigned a, unsigned b) {
                 return a + b + 1 == s.extent(d);
               }));
}

TEST(Traffic, NeighboursAreOneHopAwayAndHalosOneStepPerDimension) {
  expect_pairs("neighbour", [](const Shape& shape, const Coord& from, const Coord& to) {
    return minimal_hops(shape, from, to) == 1;
  });
  expect_pairs("halo", each_dimension([](const Shape& s, unsigned d, unsigned a, unsigned b) {
                 return apart(s, d, a, b) <= 1;
               }));
  const Shape cube = Shape::parse("5x5x5");
  EXPECT_EQ(make_traffic("halo", cube, 1, 1)->targets(0).size(), 26u);
  EXPECT_EQ(make_traffic("neighbour", cube, 1, 1)->targets(0).size(), 6u);
}

TEST(Traffic, RollsGoOneStepUp) {
  const auto up = [](unsigned along) {
    return [along](const Shape& shape, const Coord& from, const Coord& to) {
      for (unsigned d = 0; d < shape.dims(); ++d) {
        Coord next = from;
        next[d] = static_cast<std::uint8_t>((next[d] + 1) % shape.extent(d));
        if ((along >> d & 1u) != 0 && next == to) return true;
      }
      return false;
    };
  };
  for (const char* text : {"1", "2", "7", "3x4", "4x1x3"})
    expect_pairs("roll", Shape::parse(text), up(~0u));
  expect_pairs("roll:XZ", Shape::parse("3x3x4"), up(5));
}

constexpr const char* kTwistedShapes[] = {"8x4@YX4", "5x3@XY2", "2x4x4@XY2@XZ2", "4x4x8@XZ4@YZ4"};

/// The node that is reached by one hop per dimension, in directions of which each step is -1, 0 or
/// 1.
Rank follow(const Shape& shape, Rank at, const std::vector<int>& steps) {
  for (unsigned d = 0; d < shape.dims(); ++d)
    if (steps[d] != 0)
      at = shape.neighbour(at, steps[d] > 0 ? Direction::plus(d) : Direction::minus(d)).value();
  return at;
}

TEST(Traffic, StencilsFollowTheLinksOfATwistedTorus) {
  for (const char* text : kTwistedShapes) {
    const Shape shape = Shape::parse(text);
    const auto to_of = [&](const Coord& from, const std::vector<int>& steps) {
      return shape.coord(follow(shape, shape.rank(from), steps));
    };
    expect_pairs("neighbour", shape, [](const Shape& s, const Coord& from, const Coord& to) {
      return minimal_hops(s, from, to) == 1;
    });
    expect_pairs("roll:Y", shape, [&](const Shape& s, const Coord& from, const Coord& to) {
      std::vector<int> up(s.dims());
      up[1] = 1;
      return to_of(from, up) == to;
    });
    expect_pairs("halo", shape, [&](const Shape& s, const Coord& from, const Coord& to) {
      std::vector<int> steps(s.dims(), -1);
      for (;;) {
        if (to_of(from, steps) == to) return true;
        unsigned d = 0;
        while (d < s.dims() && steps[d] == 1) steps[d++] = -1;
        if (d == s.dims()) return false;
        ++steps[d];
      }
    });
  }
}

TEST(Traffic, SampleSendsToTheSameOffsetsFromEveryNodeOfATwistedTorus) {
  for (const char* text : kTwistedShapes) {
    const Shape shape = Shape::parse(text);
    const auto sample = make_traffic("sample:3", shape, kBytes, 5);
    const auto same_seed = make_traffic("sample:3", shape, kBytes, 7);
    expect_pairs("sample:3", shape, [&](const Shape& s, const Coord& from, const Coord& to) {
      return same_seed->bytes(0, s.offset(from, to)) > 0;
    });
    for (Rank r = 0; r < shape.size(); ++r) {
      EXPECT_EQ(sample->targets(r).size(), 3u) << text;
      for (const Rank to : sample->targets(r)) EXPECT_EQ(sample->bytes(r, to), kBytes) << text;
      for (const Rank from : sample->sources(r)) EXPECT_EQ(sample->bytes(from, r), kBytes) << text;
    }
  }
}

TEST(Traffic, IncastIsFromAllNodesToOne) {
  for (const char* text : kShapes) {
    const Shape shape = Shape::parse(text);
    const Rank last = shape.size() - 1;
    expect_pairs(fmt::format("incast:{}", last), shape,
                 [last](const Shape& s, auto&, const Coord& to) { return s.rank(to) == last; });
  }
  EXPECT_EQ(make_traffic("incast", Shape::parse("5x4"), 1, 1)->targets(0),
            std::vector<Rank>{2 * 4 + 2});
}

TEST(Traffic, PermutationIsOneCycleThroughAllNodes) {
  for (const char* text : {"2", "7", "3x3", "2x5"}) {
    const Shape shape = Shape::parse(text);
    const auto traffic = make_traffic("permutation", shape, kBytes, 3);
    Rank at = 0;
    for (Rank steps = 1; steps < shape.size(); ++steps) {
      ASSERT_EQ(traffic->targets(at).size(), 1u);
      at = traffic->targets(at)[0];
      EXPECT_NE(at, 0u) << text << ": back after " << steps;
    }
    EXPECT_EQ(traffic->bytes(at, 0), kBytes);
  }
}

/// Total number of bytes that node `from` sends.
std::uint64_t sent(const Traffic& traffic, Rank nodes, Rank from) {
  std::uint64_t sum = 0;
  for (Rank to = 0; to < nodes; ++to) sum += traffic.bytes(from, to);
  return sum;
}

TEST(Traffic, HotspotGetsItsShareOfAllBytes) {
  const Shape shape = Shape::parse("5x5");
  const auto traffic = make_traffic("hotspot:0.25", shape, 1000, 1);
  const Rank hot = 2 * 5 + 2;
  for (Rank from = 0; from < shape.size(); ++from) {
    if (from == hot) continue;
    EXPECT_EQ(sent(*traffic, shape.size(), from), 24u * 1000);
    EXPECT_EQ(traffic->bytes(from, hot), 750u + 24 * 250);
  }
  EXPECT_EQ(sent(*traffic, shape.size(), hot), 24u * 750);
  EXPECT_EQ(make_traffic("hotspot:1", shape, 9, 1)->targets(0), std::vector<Rank>{hot});
}

TEST(Traffic, ZipfGivesEachNodeItsShareAndKeepsTheAverage) {
  const Shape shape = Shape::parse("3x3x3");
  const auto traffic = make_traffic("zipf:1.2", shape, 1000000, 5);
  std::vector<double> columns;
  for (Rank to = 0; to < 27; ++to)
    columns.push_back(static_cast<double>(traffic->bytes(to == 0 ? 1 : 0, to)));
  double sum = 0;
  for (const double c : columns) sum += c;
  EXPECT_NEAR(sum, 27e6, 27);
  EXPECT_FALSE(std::ranges::is_sorted(columns, std::greater()))
      << "the order does not depend on the seed";
  std::ranges::sort(columns, std::greater());
  for (unsigned i = 0; i < 27; ++i)
    EXPECT_NEAR(columns[i], columns[0] * std::pow(i + 1, -1.2), 1.0) << i;
  const auto even = make_traffic("zipf:0", shape, 240, 5);
  for (Rank to = 1; to < 27; ++to) EXPECT_EQ(even->bytes(0, to), 240u);
}

TEST(Traffic, UniformWithNSendsNMessages) {
  const Shape shape = Shape::parse("3x3");
  const auto traffic = make_traffic("uniform:20", shape, 10, 1);
  for (Rank from = 0; from < 9; ++from) EXPECT_EQ(sent(*traffic, 9, from), 200u);
  EXPECT_TRUE(make_traffic("uniform:20", Shape::parse("1"), 10, 1)->targets(0).empty());
}

TEST(Traffic, MatrixAddsUpEntriesOfAPair) {
  const MatrixTraffic matrix("m", 3, {{2, 0, 5}, {0, 1, 1}, {2, 0, 6}, {1, 1, 9}, {0, 2, 0}});
  EXPECT_EQ(matrix.bytes(2, 0), 11u);
  EXPECT_EQ(matrix.bytes(0, 1), 1u);
  EXPECT_EQ(matrix.bytes(1, 1), 0u);
  EXPECT_EQ(matrix.bytes(0, 2), 0u);
  EXPECT_EQ(matrix.sources(0), std::vector<Rank>{2});
  EXPECT_TRUE(matrix.targets(1).empty());
}

/// Every pattern, with parameters of every kind.
constexpr const char* kNames[] = {
    "all-to-all", "lines", "lines:Y",   "planes",  "uniform",     "uniform:3",   "tornado",
    "transpose",  "halo",  "neighbour", "hotspot", "hotspot:0.5", "incast",      "incast:0",
    "zipf",       "roll",  "roll:Y",    "zipf:2",  "planes:XZ",   "permutation", "bit-complement"};

TEST(Traffic, TargetsAndSourcesAreThePairsWithBytesAscending) {
  for (const char* text : {"3x3x3", "4x2x4", "1x3x1", "3x1x3"})
    for (const char* name : kNames) {
      const Shape shape = Shape::parse(text);
      const auto traffic = make_traffic(name, shape, kBytes, 11);
      for (Rank a = 0; a < shape.size(); ++a) {
        std::vector<Rank> targets;
        std::vector<Rank> sources;
        for (Rank b = 0; b < shape.size(); ++b) {
          if (traffic->bytes(a, b) > 0) targets.push_back(b);
          if (traffic->bytes(b, a) > 0) sources.push_back(b);
        }
        EXPECT_EQ(traffic->targets(a), targets) << name << " on " << text;
        EXPECT_EQ(traffic->sources(a), sources) << name << " on " << text;
      }
    }
}

TEST(Traffic, SaysThatSourcesAreEqualOnlyIfAllSendTheSame) {
  const Shape shape = Shape::parse("3x3x3");
  for (const char* name : kNames) {
    const auto traffic = make_traffic(name, shape, kBytes, 11);
    if (!traffic->has_equal_sources()) continue;
    for (Rank to = 0; to < 27; ++to)
      for (Rank from = 0; from < 27; ++from) {
        const std::uint64_t column = traffic->bytes(to == 0 ? 1 : 0, to);
        EXPECT_EQ(traffic->bytes(from, to), from == to ? 0 : column) << name;
      }
  }
}

/// Each destination gets its share of 20,000 draws within five standard deviations.
TEST(Traffic, DrawsComeAsOftenAsTheMatrixSays) {
  constexpr double kDraws = 20000;
  const Shape shape = Shape::parse("3x3x3");
  for (const char* name : kNames) {
    const auto traffic = make_traffic(name, shape, kBytes, 11);
    const Rank from = 5;
    const auto all = static_cast<double>(sent(*traffic, 27, from));
    std::map<Rank, double> drawn;
    Random random(1);
    for (int i = 0; all > 0 && i < kDraws; ++i) ++drawn[traffic->draw(from, random)];
    for (Rank to = 0; all > 0 && to < 27; ++to) {
      const double share = static_cast<double>(traffic->bytes(from, to)) / all;
      EXPECT_NEAR(drawn[to], kDraws * share, 5 * std::sqrt(kDraws * share * (1 - share)) + 1e-9)
          << name << " to " << to;
    }
  }
}

TEST(Traffic, WithoutBytesHasNoMessages) {
  const Shape shape = Shape::parse("3x3x3");
  for (const char* name : kNames) {
    const auto traffic = make_traffic(name, shape, 0, 1);
    for (Rank r = 0; r < 27; ++r) {
      EXPECT_TRUE(traffic->targets(r).empty()) << name;
      EXPECT_TRUE(traffic->sources(r).empty()) << name;
    }
  }
}

TEST(Traffic, IsEqualForEqualSeedsAndDiffersForOthers) {
  const Shape shape = Shape::parse("4x4x4");
  for (const char* name : {"permutation", "zipf", "uniform:3"}) {
    const auto a = make_traffic(name, shape, kBytes, 1);
    const auto b = make_traffic(name, shape, kBytes, 1);
    const auto c = make_traffic(name, shape, kBytes, 2);
    unsigned differences = 0;
    for (Rank from = 0; from < 64; ++from)
      for (Rank to = 0; to < 64; ++to) {
        EXPECT_EQ(a->bytes(from, to), b->bytes(from, to)) << name;
        differences += a->bytes(from, to) != c->bytes(from, to) ? 1 : 0;
      }
    EXPECT_GT(differences, 10u) << name;
  }
}

std::string refusal(const char* name, const char* shape) {
  try {
    make_traffic(name, Shape::parse(shape), 1, 1);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Traffic, RefusalsNameTheChoices) {
  using ::testing::HasSubstr;
  EXPECT_THAT(refusal("alltoall", "4x4"), HasSubstr("unknown traffic 'alltoall'; known: all-to-"));
  EXPECT_THAT(refusal("tornado", "2x2x1"), HasSubstr("'tornado': needs an extent of at least 3"));
  EXPECT_THAT(refusal("transpose", "8x8x16"), HasSubstr("nearest torus that works: 8x8x8"));
  EXPECT_THAT(refusal("transpose", "8x4mx4m"), HasSubstr("works: 4x4mx4m"));
  EXPECT_THAT(refusal("transpose", "8"), HasSubstr("needs 2 dimensions"));
  EXPECT_THAT(refusal("lines:XY", "8x8"), HasSubstr("expected 1 of the dimensions XY"));
  EXPECT_THAT(refusal("planes:XX", "8x8"), HasSubstr("each at most once"));
  EXPECT_THAT(refusal("lines:Z", "8x8"), HasSubstr("dimensions XY of 8x8 after"));
  EXPECT_THAT(refusal("lines:", "8x8"), HasSubstr("expected a parameter after the colon"));
  EXPECT_THAT(refusal("halo:3", "8x8"), HasSubstr("takes no parameter"));
  EXPECT_THAT(refusal("hotspot:1.5", "8x8"), HasSubstr("a number from 0 to 1 after"));
  EXPECT_THAT(refusal("zipf:1.2x", "8x8"), HasSubstr("a number from 0 to 8 after"));
  EXPECT_THAT(refusal("zipf:nan", "8x8"), HasSubstr("a number from 0 to 8 after"));
  EXPECT_THAT(refusal("incast:64", "8x8"), HasSubstr("a whole number from 0 to 63"));
  EXPECT_THAT(refusal("roll", "8x8m"), HasSubstr("dimension Y of 8x8m is a mesh"));
  EXPECT_EQ(refusal("roll:X", "8x8m"), "accepted");
}

TEST(Traffic, IsListedWithDefinitionAndSource) {
  EXPECT_EQ(traffic_names().size(), 15u);
  for (const TrafficInfo& info : traffic_names()) {
    EXPECT_FALSE(info.definition.empty()) << info.name;
    EXPECT_FALSE(info.source.empty()) << info.name;
    EXPECT_EQ(make_traffic(info.name, Shape::parse("4x4x4"), 1, 1)->name(), info.name);
  }
}

}  // namespace
}  // namespace toroid
