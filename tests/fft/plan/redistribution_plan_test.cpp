// Redistributions without a transform: every element must arrive in its place, and return.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/layout/distribution.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/layout/partitions.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/plan.hpp"
#include "fft/plan/redistribution_plan.hpp"
#include "hal/fabric.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/runner.hpp"
#include "packet/policies/policies.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/fft/layout/random_boxes.hpp"
#include "tests/fft/plan/plan_check.hpp"
#include "tests/fft/plan/plan_run.hpp"
#include "tests/router/shm/ring_machine.hpp"

namespace toroid::fft {
namespace {

/// Random shapes and distributions.
class RandomRedistribution {
 public:
  explicit RandomRedistribution(std::uint64_t seed)
      : engine_(seed),
        shape_(Shape::parse(random_torus())),
        extents_(random_extents()),
        from_(random_distribution()),
        to_(random_distribution()) {}

  const Shape& shape() const { return shape_; }
  std::shared_ptr<const Blueprint> blueprint(bool may_leave_gaps, bool real, bool single) const {
    Description options;
    options.real = real;
    options.precision = single ? Precision::single : Precision::double_;
    options.may_leave_gaps = may_leave_gaps;
    return redistribution(from_, to_, shape_, options);
  }

 private:
  std::size_t below(std::size_t n) { return engine_() % n; }

  /// One to four dimensions, at most 24 nodes; some dimensions are meshes.
  std::string random_torus() {
    std::string text;
    std::size_t nodes = 1;
    for (std::size_t dims = 1 + below(4); dims > 0; --dims) {
      const std::size_t extent = 1 + below(std::min<std::size_t>(5, 24 / nodes));
      nodes *= extent;
      text += fmt::format("{}{}{}", text.empty() ? "" : "x", extent, below(4) == 0 ? "m" : "");
    }
    return text;
  }

  /// One to six axes, with extents that include 1, 2, odd and prime numbers, and one or two arrays.
  Index random_extents() {
    constexpr std::array<std::int64_t, 8> kExtents = {1, 2, 3, 4, 5, 7, 9, 13};
    Index extents;
    extents.fill(1);
    std::int64_t volume = 1;
    for (std::size_t axis = below(kMaxAxes) + 1; axis-- > 0;) {
      extents[axis] = kExtents[below(kExtents.size())];
      if (volume * extents[axis] > 1500) extents[axis] = 1;
      volume *= extents[axis];
    }
    extents[kBatchAxis] = 1 + static_cast<std::int64_t>(below(2));
    return extents;
  }

  AxisOrder random_order() {
    AxisOrder order = kCOrder;
    std::ranges::shuffle(order, engine_);
    return order;
  }

  /// `number` random nodes, in random order.
  std::vector<Rank> random_nodes(std::size_t number) {
    std::vector<Rank> nodes(shape_.size());
    std::iota(nodes.begin(), nodes.end(), Rank{0});
    std::ranges::shuffle(nodes, engine_);
    nodes.resize(number);
    return nodes;
  }

  /// A box per node, each in its own axis order; some are empty.
  Distribution boxes() {
    std::vector<NodeLayout> layouts;
    for (Box box : testing::random_boxes(extents_, shape_.size(), engine_)) {
      box.hi[kBatchAxis] = box.volume() == 0 ? 0 : extents_[kBatchAxis];
      layouts.push_back(NodeLayout::dense(box, random_order()));
    }
    return {extents_, [layouts](Rank node) { return layouts[node]; }};
  }

  Distribution blocks() {
    Index grid;
    grid.fill(1);
    std::size_t parts = 1;
    for (int i = 0; i < 4; ++i) {
      const std::size_t factor = 1 + below(4);
      if (parts * factor > shape_.size()) continue;
      grid[below(kMaxAxes)] *= static_cast<std::int64_t>(factor);
      parts *= factor;
    }
    return on_nodes(block_parts(extents_, grid, random_order()), random_nodes(parts),
                    shape_.size());
  }

  Distribution lines() {
    AxisOrder order = lines_order(static_cast<unsigned>(below(kMaxAxes)));
    std::shuffle(order.begin(), order.begin() + kAxes - 2, engine_);
    const std::size_t parts = 1 + below(shape_.size());
    return on_nodes(line_parts(extents_, order, static_cast<Rank>(parts)), random_nodes(parts),
                    shape_.size());
  }

  Distribution random_distribution() {
    const std::size_t kind = below(3);
    return kind == 0 ? boxes() : kind == 1 ? blocks() : lines();
  }

  std::mt19937_64 engine_;
  Shape shape_;
  Index extents_;
  Distribution from_;
  Distribution to_;
};

/// One node's arrays. An element's value is its number in C order plus 1, so 0 is always wrong.
template <typename T>
struct NumberedNode {
  NumberedNode(Node& node, const std::shared_ptr<const Blueprint>& blueprint)
      : plan(node, blueprint), in(plan.input_size()), out(plan.output_size()), back(in.size()) {
    testing::for_each_element(blueprint->in_extents(), plan.input_layout(),
                              [&](std::size_t number, std::size_t at) { in[at] = value(number); });
  }
  static T value(std::size_t number) {
    return T(static_cast<typename std::conditional_t<std::is_floating_point_v<T>, std::complex<T>,
                                                     T>::value_type>(number + 1));
  }
  /// Number of elements that forward has put in their places; 0 if backward has not returned all of
  /// them.
  std::size_t right() const {
    std::size_t right = 0;
    testing::for_each_element(
        plan.blueprint().out_extents(), plan.output_layout(),
        [&](std::size_t number, std::size_t at) { right += out[at] == value(number); });
    return back == in ? right : 0;
  }
  Plan plan;
  std::vector<T> in;
  std::vector<T> out;
  std::vector<T> back;
};

template <typename T>
Program go_and_return(Node&, NumberedNode<T>& side) {
  co_await side.plan.forward(side.in, side.out);
  co_await side.plan.backward(side.out, side.back);
}

template <typename T>
bool is_exact(Fabric& fabric, const std::shared_ptr<const Blueprint>& blueprint,
              const NodeOptions& asked) {
  Runner runner(fabric, node_options(*blueprint, fabric.machine(), asked));
  std::deque<NumberedNode<T>> sides;
  runner.run([&](Node& node) { return go_and_return(node, sides.emplace_back(node, blueprint)); });
  std::size_t right = 0;
  for (const NumberedNode<T>& side : sides) right += side.right();
  return right == static_cast<std::size_t>(Box::of(blueprint->in_extents()).volume());
}

/// Checks a redistribution with elements of one of the four types.
bool is_exact(Fabric& fabric, const RandomRedistribution& redistribution, unsigned type,
              const NodeOptions& asked) {
  const auto blueprint = redistribution.blueprint(type / 4 % 2 == 1, type % 2 == 1, type / 2 % 2);
  switch (type % 4) {
    case 0:
      return is_exact<std::complex<double>>(fabric, blueprint, asked);
    case 1:
      return is_exact<double>(fabric, blueprint, asked);
    case 2:
      return is_exact<std::complex<float>>(fabric, blueprint, asked);
    default:
      return is_exact<float>(fabric, blueprint, asked);
  }
}

/// Each parameter stands for fifty seeds.
class Redistributions : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  static constexpr std::uint64_t kSeeds = 50;
  std::uint64_t first() const { return GetParam() * kSeeds; }
};

TEST_P(Redistributions, RandomOnesAreExactOnTheModelUnderAnyPolicy) {
  constexpr std::array kPolicies = {"random", "shift", "two-phase", "bruck:2"};
  for (std::uint64_t seed = first(); seed < first() + kSeeds; ++seed) {
    const RandomRedistribution redistribution(seed);
    const auto fabric = make_sim_fabric(redistribution.shape(), Machine{});
    const NodeOptions asked{.seed = seed, .policy = &policy_by_name(kPolicies[seed % 4])};
    EXPECT_TRUE(is_exact(*fabric, redistribution, static_cast<unsigned>(seed / 4), asked)) << seed;
  }
}

TEST_P(Redistributions, RandomOnesAreExactOnRings) {
  const std::vector<testing::RingCase> cases = testing::ring_cases();
  for (std::uint64_t seed = first(); seed < first() + kSeeds; ++seed) {
    const RandomRedistribution redistribution(seed);
    testing::RingCase c = cases[seed % cases.size()];
    c.threads = std::min(c.threads, 3u);
    const auto fabric =
        testing::ring_fabric(redistribution.shape(), c.threads, testing::routed(c.route));
    EXPECT_TRUE(is_exact(*fabric, redistribution, static_cast<unsigned>(seed), c.node()))
        << seed << ' ' << c.text();
  }
}

INSTANTIATE_TEST_SUITE_P(FiveHundred, Redistributions,
                         ::testing::Range(std::uint64_t{0}, std::uint64_t{10}));

TEST(Redistribution, SendsOneElementBetweenAnyTwoNodesForThePatentsArray) {
  const Shape shape = Shape::parse("3x3");
  const Index extents = extents_of(std::vector<std::int64_t>{9, 9});
  const auto blueprint = redistribution(line_parts(extents, lines_order(1), 9),
                                        line_parts(extents, lines_order(0), 9), shape);
  for (Rank node = 0; node < 9; ++node)
    for (Rank other = 0; other < 9; ++other)
      EXPECT_EQ(blueprint->traffic(0, Way::forward, node).bytes(node, other),
                other == node ? 0u : 16u);
}

TEST(Redistribution, RefusesArraysOfDifferentExtents) {
  const Shape shape = Shape::parse("2");
  const auto lines = [](std::int64_t rows) {
    return line_parts(extents_of(std::vector<std::int64_t>{rows, 3}), lines_order(1), 2);
  };
  EXPECT_EQ(testing::refusal([&] { redistribution(lines(4), lines(5), shape); }),
            "cannot redistribute an array of 4x3x1x1x1x1 as one of 5x3x1x1x1x1");
}

TEST(Redistribution, RefusesDistributionsThatDoNotHoldTheArrayOnce) {
  const Shape shape = Shape::parse("3");
  const Index array = extents_of(std::vector<std::int64_t>{4, 6});
  const Distribution lines = line_parts(array, lines_order(1), 3);
  const auto refused_to = [&](const Distribution& to) {
    return testing::refusal([&] { redistribution(lines, to, shape); });
  };
  EXPECT_EQ(refused_to(lines), "nothing was refused");
  EXPECT_EQ(refused_to({array, {}}), "distribution 'to' has no layout; expected a function");
  Index grid = extents_of({});
  EXPECT_EQ(refused_to(block_parts(array, grid)),
            "in distribution 'to', the nodes hold 48 elements; expected 24, each on one node");
  grid[0] = 4;
  EXPECT_EQ(refused_to(block_parts(array, grid)),
            "in distribution 'to', the nodes hold 18 elements; expected 24, each on one node");
  EXPECT_EQ(refused_to(distribution_of_boxes(array, {})),
            "in distribution 'to', the nodes hold 0 elements; expected 24, each on one node");
  EXPECT_EQ(refused_to(distribution_of_boxes(array, {{{0, 1}, {4, 7, 1, 1, 1, 1}}})),
            "in distribution 'to', node 0 holds [0, 4) x [1, 7) x [0, 1) x [0, 1) x [0, 1) x [0, "
            "1), which is not inside the array");
}

TEST(Redistribution, RefusesImpossibleOptions) {
  const Distribution lines =
      line_parts(extents_of(std::vector<std::int64_t>{4, 6}), lines_order(1), 2);
  const auto refused = [&](const Description& options) {
    return testing::refusal([&] { redistribution(lines, lines, Shape::parse("2"), options); });
  };
  EXPECT_EQ(refused({.layer = static_cast<Layer>(2)}),
            "layer is the number 2; expected packets, mpi");
  EXPECT_EQ(refused({.precision = static_cast<Precision>(2)}),
            "precision is the number 2; expected single, double");
  EXPECT_EQ(refused({.size = {0}}), "size is 0; expected extents of 1 or more");
}

}  // namespace
}  // namespace toroid::fft
