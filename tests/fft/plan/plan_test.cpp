// Plans of every method: results, repetition, scales, arrays in place, several plans.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <numbers>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/layout/local_array.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/extents.hpp"
#include "fft/plan/plan.hpp"
#include "hal/route.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/settings.hpp"
#include "tests/fft/plan/plan_check.hpp"
#include "tests/fft/plan/plan_run.hpp"
#include "tests/router/sim/sim_machine.hpp"

namespace toroid::fft {
namespace {

using testing::expect_right_by_turns;
using testing::expect_right_of_any_data;
using testing::kMethods;
using testing::noise_of;
using testing::simulate;
using testing::Sizing;

using Complexes = std::vector<std::complex<double>>;

class PlanOf : public ::testing::TestWithParam<Sizing> {};

TEST(Plan, IsRightForEveryMethodAndTypeOfData) {
  for (const Method method : kMethods)
    for (const char* torus : {"1", "3", "2x2"})
      for (const std::int64_t batch : {1, 3})
        expect_right_of_any_data(torus, {.size = {4, 5, 7}, .method = method, .batch = batch});
}

TEST_P(PlanOf, EveryMethodIsRightForwardAndBackward) {
  const auto& [size, torus] = GetParam();
  const Rank nodes = Shape::parse(torus).size();
  for (const Method method : kMethods) {
    const bool fits = method != Method::slab || nodes <= *std::ranges::min_element(size);
    if (!fits) continue;
    for (const std::int64_t batch : {1, 3})
      for (const bool real : {false, true})
        expect_right_by_turns(torus, {.size = size,
                                      .method = method,
                                      .real = real,
                                      .batch = batch,
                                      .return_to_input = batch == 3});
  }
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, PlanOf,
    ::testing::Values(Sizing{{1, 1, 1}, "1"}, Sizing{{1, 1, 1}, "1x1x1x1"}, Sizing{{1, 1, 2}, "1"},
                      Sizing{{2, 2, 2}, "2"}, Sizing{{2, 2, 2}, "2x1x1"}, Sizing{{3, 3, 3}, "3"},
                      Sizing{{2, 3, 2}, "2"}, Sizing{{3, 5, 7}, "3m"}, Sizing{{3, 5, 7}, "1x3"},
                      Sizing{{5, 5, 5}, "5"}, Sizing{{7, 2, 3}, "1x2"}, Sizing{{8, 8, 8}, "2x2x2"},
                      Sizing{{8, 6, 8}, "6m"}, Sizing{{13, 11, 7}, "7"}, Sizing{{13, 11, 7}, "2x3"},
                      Sizing{{6, 10, 9}, "1x1x5"}, Sizing{{6, 10, 9}, "5x1x1"},
                      Sizing{{6, 10, 9}, "1x5x1"}, Sizing{{9, 9, 9}, "2x2x2m"},
                      Sizing{{9, 9, 9}, "3x3"}, Sizing{{4, 7, 17}, "2x1x2"},
                      Sizing{{16, 4, 16}, "4x1m"}, Sizing{{5, 6, 7}, "1x1x1x1x1"},
                      Sizing{{5, 6, 7}, "2x1x1x1x2x1"}, Sizing{{8, 9, 10}, "2x2x2x1x1x1"},
                      Sizing{{1, 8, 8}, "1x1"}, Sizing{{12, 3, 4}, "3x1m"}));

/// Machines with more nodes than planes. The test leaves out the slab method there.
INSTANTIATE_TEST_SUITE_P(ManyNodes, PlanOf,
                         ::testing::Values(Sizing{{2, 3, 4}, "2x2"}, Sizing{{3, 3, 4}, "3x3"},
                                           Sizing{{7, 7, 7}, "7x5"}, Sizing{{1, 8, 9}, "4x2x2"},
                                           Sizing{{8, 1, 9}, "2x2x4"}, Sizing{{16, 4, 3}, "4x4x2"},
                                           Sizing{{6, 7, 8}, "2x3x5"}, Sizing{{6, 6, 6}, "36"},
                                           Sizing{{4, 4, 6}, "2x2x2x2"},
                                           Sizing{{5, 6, 7}, "2x2x1mx2x1x2"},
                                           Sizing{{7, 5, 9}, "3x2x5"}, Sizing{{2, 16, 3}, "8x2x2"},
                                           Sizing{{12, 8, 4}, "1x16x2"}, Sizing{{6, 5, 9}, "30"}));

/// Machines with more nodes than some axes have lines, so that some nodes have no lines.
INSTANTIATE_TEST_SUITE_P(WithIdleNodes, PlanOf,
                         ::testing::Values(Sizing{{1, 1, 1}, "2x2x2"}, Sizing{{2, 2, 2}, "2x4x2"},
                                           Sizing{{1, 2, 1}, "3x1x2"}, Sizing{{3, 2, 3}, "2x3x5"},
                                           Sizing{{2, 1, 5}, "13"}, Sizing{{5, 3, 2}, "4x5"},
                                           Sizing{{4, 4, 4}, "2x4x4m"},
                                           Sizing{{2, 3, 2}, "1x2x2x3"}));

TEST(Plan, TransformsAPlaneWaveIntoOnePeak) {
  const std::vector<std::int64_t> size = {6, 5, 8};
  const Index wave{2, 3, 5};
  const Index extents = extents_of(size);
  Complexes array;
  for (int at = 0; at < 240; ++at) {
    const double turns = 2 * (at / 40) / 6. + 3 * (at / 8 % 5) / 5. + 5 * (at % 8) / 8.;
    array.push_back(std::polar(1.0, 2 * std::numbers::pi * turns));
  }
  for (const Method method : kMethods) {
    const auto run = simulate<Complex, Complex>("5", {.size = size, .method = method}, array);
    for (std::size_t at = 0; at < array.size(); ++at)
      EXPECT_NEAR(std::abs(run.result[at]), at == testing::place(extents, wave) ? 240 : 0, 1e-11);
  }
}

std::vector<std::string> stage_names(const char* torus, const Description& d) {
  const Blueprint blueprint(d, Shape::parse(torus));
  std::vector<std::string> names;
  for (const Stage& stage : blueprint.stages()) names.push_back(stage.name);
  return names;
}

TEST(Blueprint, TransformsUnsplitAxesFirstAndTogether) {
  using Names = std::vector<std::string>;
  const auto names = [](const char* torus, bool back) {
    return stage_names(torus, {.size = {8, 8, 8}, .return_to_input = back});
  };
  EXPECT_EQ(names("2x2x2", true), (Names{"in", "z", "y", "x", "return"}));
  EXPECT_EQ(names("2x2x1x2", false), (Names{"in", "z", "y", "x"}));
  EXPECT_EQ(names("2x2", false), (Names{"z", "y", "x"}));
  EXPECT_EQ(names("2x1x1", true), (Names{"yz", "x", "return"}));
  EXPECT_EQ(names("2x1x3", false), (Names{"y", "z", "x"}));
  EXPECT_EQ(names("1x1", true), (Names{"xyz"}));
}

TEST(Blueprint, TransformsTheHalvedAxisOfRealDataFirst) {
  using Names = std::vector<std::string>;
  const auto names = [](const char* torus) {
    return stage_names(torus, {.size = {8, 8, 8}, .real = true});
  };
  EXPECT_EQ(names("2x2x2"), (Names{"in", "z", "y", "x"}));
  EXPECT_EQ(names("2x1x1"), (Names{"yz", "x"}));
  EXPECT_EQ(names("1x1x2x2"), (Names{"in", "z", "xy"}));
  EXPECT_EQ(names("1"), (Names{"xyz"}));
}

TEST(Blueprint, NamesTheStagesOfSlabsAndRows) {
  using Names = std::vector<std::string>;
  Description d{.size = {8, 8, 8}, .method = Method::slab};
  EXPECT_EQ(stage_names("2x2", d), (Names{"xy", "z"}));
  d.real = d.return_to_input = true;
  EXPECT_EQ(stage_names("2x2", d), (Names{"yz", "x", "return"}));
  EXPECT_EQ(stage_names("2x2", {.size = {8, 8, 8}, .method = Method::rows}),
            (Names{"z", "y", "x"}));
  EXPECT_EQ(stage_names("2", {.size = {4, 3, 5, 2}, .method = Method::rows}),
            (Names{"3", "2", "1", "0"}));
}

TEST(Plan, GivesEqualBitsForEveryOrderRoutingAndSeed) {
  const Complexes input = noise_of<Complex>(720, 5);
  for (const Method method : kMethods) {
    const Description d{.size = {8, 9, 10}, .method = method, .overlap = {.planes = 1}};
    const char* torus = "2x2x2";
    const auto reference = simulate<Complex, Complex>(torus, d, input);
    for (const NodeOptions& options :
         {NodeOptions{.seed = 99,
         .changes = {.order = OrderRule::shift,
                    .routing = RoutingRule::deterministic,
                    .tie = TieRule::minus}},
          NodeOptions{
              .changes = {.order = OrderRule::rank, .output_queues = 3, .tie = TieRule::split}},
          NodeOptions{.seed = 7, .settings = {.queue_capacity = 1}}}) {
      const auto other = simulate<Complex, Complex>(torus, d, input, options);
      EXPECT_EQ(reference.result, other.result);
      EXPECT_EQ(reference.back, other.back);
      EXPECT_NE(reference.cycles, other.cycles);
    }
  }
}

TEST(Plan, TakesTheSameTimeOnEveryRun) {
  const Complexes input = noise_of<Complex>(1728, 6);
  for (const Method method : kMethods) {
    const Description d{.size = {12, 12, 12}, .method = method, .overlap = {.planes = 1}};
    const auto cycles = [&] { return simulate<Complex, Complex>("3x2x2", d, input).cycles; };
    EXPECT_EQ(cycles(), cycles());
  }
}

TEST(Plan, GivesEqualBitsForAnyPacketsPerVisit) {
  const Complexes input = noise_of<Complex>(720, 5);
  for (const Method method : kMethods) {
    const Description d{.size = {8, 9, 10}, .method = method};
    const auto once = simulate<Complex, Complex>("2x3", d, input);
    const NodeOptions four{.changes = {.packets_per_visit = 4}};
    EXPECT_EQ((simulate<Complex, Complex>("2x3", d, input, four).result), once.result);
  }
}

TEST(Plan, RecordsWhenEveryStageBeganAndEnded) {
  const Complexes input = noise_of<Complex>(512, 5);
  for (const Method method : kMethods)
    for (const char* torus : {"1", "2x2x2"}) {
      const Description d{.size = {8, 8, 8}, .method = method, .overlap = {.planes = 1}};
      const auto times = simulate<Complex, Complex>(torus, d, input).times;
      ASSERT_EQ(times.size(), stage_names(torus, d).size());
      for (std::size_t s = 0; s < times.size(); ++s) {
        EXPECT_LE(times[s].begin, times[s].exchanged);
        EXPECT_LE(times[s].exchanged, times[s].computed);
        EXPECT_LE(times[s].computing, times[s].computed - times[s].exchanged);
        if (s > 0) {
          EXPECT_LE(times[s - 1].begin, times[s].begin);
          EXPECT_LE(times[s - 1].computed, times[s].exchanged);
        }
      }
      EXPECT_GT(times.back().computing, 0u);
    }
}

/// Plans of every node of a machine, which programs can use in any way.
template <typename In, typename Out>
struct Plans {
  Plans(const char* torus, const std::vector<Description>& descriptions)
      : machine(Shape::parse(torus)), sides(descriptions.size()) {
    for (std::size_t plan = 0; plan < descriptions.size(); ++plan)
      for (Rank r = 0; r < machine.size(); ++r)
        sides[plan].emplace_back(machine.node(r), std::make_shared<const Blueprint>(
                                                      descriptions[plan], machine.shape()));
  }
  void give(std::size_t plan, const std::vector<In>& array) {
    for (auto& side : sides[plan])
      testing::for_each_element(side.plan.blueprint().in_extents(), side.plan.input_layout(),
                                [&](std::size_t from, std::size_t to) {
                                  side.in.resize(side.plan.input_size());
                                  side.in[to] = array[from];
                                });
  }
  std::vector<Out> taken(std::size_t plan) {
    const Index& extents = sides[plan][0].plan.blueprint().out_extents();
    std::vector<Out> all(static_cast<std::size_t>(Box::of(extents).volume()));
    for (auto& side : sides[plan])
      testing::for_each_element(
          extents, side.plan.output_layout(),
          [&](std::size_t to, std::size_t from) { all[to] = side.out[from]; });
    return all;
  }
  testing::SimMachine machine;
  std::deque<std::deque<testing::PlanNode<In, Out>>> sides;
};

using Side = testing::PlanNode<Complex, Complex>;

/// Goes forward and backward in every round. The input of each round is -2 times the input of the
/// previous round.
Program back_and_forth(Node&, Side* side, int rounds, std::vector<Complexes>* results) {
  for (int round = 0; round < rounds; ++round) {
    co_await side->plan.forward(side->in, side->out);
    results->push_back(side->out);
    co_await side->plan.backward(side->out, side->back, Scale::by_n);
    results->push_back(side->back);
    for (Complex& value : side->in) value *= -2;
  }
}

TEST(Plan, GivesTheSameResultOnEveryUse) {
  for (const Method method : kMethods)
    for (const char* torus : {"1", "2", "2x3", "2x2x1"}) {
      SCOPED_TRACE(torus);
      Plans<Complex, Complex> plans(
          torus, {{.size = {6, 7, 10}, .method = method, .batch = 2, .overlap = {1, 2}}});
      plans.give(0, noise_of<Complex>(840, 9));
      std::vector<std::vector<Complexes>> results(plans.machine.size());
      constexpr int kRounds = 6;
      plans.machine.run([&](Node& node) {
        return back_and_forth(node, &plans.sides[0][node.rank()], kRounds, &results[node.rank()]);
      });
      for (const auto& of_node : results)
        for (std::size_t i = 2; i < of_node.size(); ++i)
          for (std::size_t at = 0; at < of_node[i].size(); ++at)
            ASSERT_EQ(of_node[i][at], -2.0 * of_node[i - 2][at]);
    }
}

Program many_forward(Node&, Side* side, int rounds) {
  for (int round = 0; round < rounds; ++round) co_await side->plan.forward(side->in, side->out);
}

TEST(Plan, GoesForwardManyTimesInARow) {
  for (const Method method : kMethods) {
    const Description d{.size = {5, 6, 8}, .method = method, .overlap = {1, 1}};
    const Complexes input = noise_of<Complex>(240, 9);
    Plans<Complex, Complex> plans("2x2", {d});
    plans.give(0, input);
    plans.machine.run(
        [&](Node& node) { return many_forward(node, &plans.sides[0][node.rank()], 9); });
    EXPECT_EQ(plans.taken(0), (simulate<Complex, Complex>("2x2", d, input).result));
  }
}

Program backward_only(Node&, Side* side) {
  co_await side->plan.backward(side->out, side->in, Scale::by_n);
  co_await side->plan.forward(side->in, side->out);
}

TEST(Plan, MayBeginBackwardWhicheverDirectionTheDescriptionExpectsFirst) {
  for (const Method method : kMethods)
    for (const Way first : {Way::forward, Way::backward}) {
      Plans<Complex, Complex> plans("3x2", {{.size = {6, 7, 8}, .method = method, .first = first}});
      for (auto& side : plans.sides[0]) side.out = noise_of<Complex>(side.out.size(), 17);
      const Complexes before = plans.taken(0);
      plans.machine.run(
          [&](Node& node) { return backward_only(node, &plans.sides[0][node.rank()]); });
      EXPECT_LT(testing::relative_error(plans.taken(0), before), 4e-15);
    }
}

/// Calls two plans in turn: the second plan is called before the first plan's result is used.
Program interleaved(Node&, Side* a, Side* b) {
  for (int round = 0; round < 3; ++round) {
    co_await a->plan.forward(a->in, a->out);
    co_await b->plan.forward(b->in, b->out);
    co_await b->plan.forward(b->in, b->out);
    co_await a->plan.backward(a->out, a->in, Scale::by_n);
    co_await b->plan.backward(b->out, b->in, Scale::by_n);
    co_await a->plan.forward(a->in, a->out);
  }
}

TEST(Plan, DoesNotDisturbAnotherPlan) {
  const Complexes one = noise_of<Complex>(240, 1);
  const Complexes other = noise_of<Complex>(567, 2);
  for (const Method method : kMethods)
    for (const Method second : kMethods) {
      const Description a{.size = {5, 6, 8}, .method = method, .overlap = {1, 2}};
      const Description b{.size = {9, 9, 7}, .method = second};
      Plans<Complex, Complex> plans("2x2", {a, b});
      plans.give(0, one);
      plans.give(1, other);
      plans.machine.run([&](Node& node) {
        return interleaved(node, &plans.sides[0][node.rank()], &plans.sides[1][node.rank()]);
      });
      EXPECT_LT(testing::relative_error(plans.taken(0), testing::forward_reference(a, one)), 1e-14);
      EXPECT_LT(testing::relative_error(plans.taken(1), testing::forward_reference(b, other)),
                1e-14);
    }
}

Program scaled(Node&, Side* side, Scale there, Scale back) {
  co_await side->plan.forward(side->in, side->out, there);
  co_await side->plan.backward(side->out, side->back, back);
}

TEST(Plan, ScalesByNByItsRootOrNotAtAll) {
  for (const Method method : kMethods)
    for (const auto& [there, back, factor] :
         std::vector<std::tuple<Scale, Scale, double>>{{Scale::none, Scale::none, 216},
                                                       {Scale::by_n, Scale::none, 1},
                                                       {Scale::none, Scale::by_n, 1},
                                                       {Scale::by_sqrt_n, Scale::by_sqrt_n, 1},
                                                       {Scale::by_n, Scale::by_n, 1. / 216}}) {
      Plans<Complex, Complex> plans("3", {{.size = {6, 6, 6}, .method = method, .batch = 2}});
      plans.give(0, noise_of<Complex>(432, 4));
      plans.machine.run([&, there = there, back = back](Node& node) {
        return scaled(node, &plans.sides[0][node.rank()], there, back);
      });
      for (const auto& side : plans.sides[0])
        for (std::size_t at = 0; at < side.in.size(); ++at)
          EXPECT_LT(std::abs(side.back[at] - factor * side.in[at]), factor * 1e-14);
    }
}

/// Real results are scaled like complex ones.
using RealSide = testing::PlanNode<float, std::complex<float>>;

Program scaled_real(Node&, RealSide* side) {
  co_await side->plan.forward(side->in, side->out, Scale::by_sqrt_n);
  co_await side->plan.backward(side->out, side->back, Scale::by_sqrt_n);
}

TEST(Plan, ScalesRealNumbersOfSinglePrecision) {
  for (const Method method : kMethods) {
    Plans<float, std::complex<float>> plans(
        "3", {{.size = {6, 6, 7}, .method = method, .precision = Precision::single, .real = true}});
    plans.give(0, noise_of<float>(252, 4));
    plans.machine.run([&](Node& node) { return scaled_real(node, &plans.sides[0][node.rank()]); });
    for (const auto& side : plans.sides[0])
      for (std::size_t at = 0; at < side.in.size(); ++at)
        EXPECT_NEAR(side.back[at], side.in[at], 2e-6f);
  }
}

/// Forward and backward within one array, which is long enough for the longer side.
template <typename In, typename Out>
struct InPlace {
  explicit InPlace(testing::PlanNode<In, Out>& side) : side(&side) {
    const std::size_t bytes =
        std::max(side.plan.input_size() * sizeof(In), side.plan.output_size() * sizeof(Out));
    memory.resize(bytes / sizeof(Complex) + 1);
    std::ranges::copy(side.in, in().begin());
  }
  std::span<In> in() { return {reinterpret_cast<In*>(memory.data()), side->plan.input_size()}; }
  std::span<Out> out() { return {reinterpret_cast<Out*>(memory.data()), side->plan.output_size()}; }
  testing::PlanNode<In, Out>* side;
  Complexes memory;
};

template <typename In, typename Out>
Program in_place(Node&, InPlace<In, Out>* array) {
  auto& side = *array->side;
  co_await side.plan.forward(array->in(), array->out());
  std::ranges::copy(array->out(), side.out.begin());
  co_await side.plan.backward(array->out(), array->in(), Scale::by_n);
  std::ranges::copy(array->in(), side.back.begin());
}

template <typename In, typename Out>
void expect_right_in_place(const char* torus, const Description& d) {
  SCOPED_TRACE(fmt::format("{} on {}", testing::text_of(d), torus));
  const auto input = noise_of<In>(static_cast<std::size_t>(Box::of(in_extents(d)).volume()), 8);
  Plans<In, Out> plans(torus, {d});
  plans.give(0, input);
  std::deque<InPlace<In, Out>> arrays;
  for (auto& side : plans.sides[0]) arrays.emplace_back(side);
  plans.machine.run([&](Node& node) { return in_place(node, &arrays[node.rank()]); });
  EXPECT_EQ(plans.taken(0), (simulate<In, Out>(torus, d, input).result));
  for (const auto& side : plans.sides[0])
    EXPECT_LT(testing::relative_error(side.back, side.in), testing::error_bar<double>(d));
}

TEST(Plan, WorksInPlace) {
  for (const Method method : kMethods)
    for (const char* torus : {"1", "2", "3x2", "2x2x1", "1x1x2"})
      for (const bool back : {false, true}) {
        Description d{.size = {6, 7, 8}, .method = method, .batch = 2, .return_to_input = back};
        d.overlap = {1, 2};
        expect_right_in_place<Complex, Complex>(torus, d);
        d.real = true;
        expect_right_in_place<double, Complex>(torus, d);
      }
}

TEST(Plan, WorksInPlaceWithABoxCut) {
  for (const char* torus : {"1", "2"}) {
    const Description d{.size = {8, 8, 8}, .method = Method::slab, .box_cut = 2};
    const Complexes input = noise_of<Complex>(512, 8);
    Plans<Complex, Complex> plans(torus, {d});
    plans.give(0, input);
    std::deque<InPlace<Complex, Complex>> arrays;
    for (auto& side : plans.sides[0]) arrays.emplace_back(side);
    plans.machine.run([&](Node& node) { return in_place(node, &arrays[node.rank()]); });
    const auto apart = simulate<Complex, Complex>(torus, d, input);
    EXPECT_EQ(plans.taken(0), apart.result);
  }
}

Program keeps(Node&, Side* side) {
  const Complexes in = side->in;
  co_await side->plan.forward(side->in, side->out);
  EXPECT_EQ(side->in, in);
  const Complexes out = side->out;
  co_await side->plan.backward(side->out, side->back);
  EXPECT_EQ(side->out, out);
}

Program keeps_real(Node&, testing::PlanNode<double, Complex>* side) {
  const std::vector<double> in = side->in;
  co_await side->plan.forward(side->in, side->out);
  EXPECT_EQ(side->in, in);
  const Complexes out = side->out;
  co_await side->plan.backward(side->out, side->back);
  EXPECT_EQ(side->out, out);
}

TEST(Plan, LeavesItsInputUnchanged) {
  for (const Method method : kMethods)
    for (const char* torus : {"1", "2", "2x3", "1x1x2"}) {
      Description d{.size = {6, 7, 8}, .method = method, .overlap = {1, 2}};
      Plans<Complex, Complex> plans(torus, {d});
      plans.give(0, noise_of<Complex>(336, 4));
      plans.machine.run([&](Node& node) { return keeps(node, &plans.sides[0][node.rank()]); });
      d.real = true;
      Plans<double, Complex> real(torus, {d});
      real.give(0, noise_of<double>(336, 4));
      real.machine.run([&](Node& node) { return keeps_real(node, &real.sides[0][node.rank()]); });
    }
}

}  // namespace
}  // namespace toroid::fft
