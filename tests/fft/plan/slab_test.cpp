// The slab method: planes in pieces, box cuts, refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <array>

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/layout/local_array.hpp"
#include "fft/layout/redistribution_message.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/extents.hpp"
#include "fft/plan/plan.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/policies/policies.hpp"
#include "tests/fft/layout/distributions.hpp"
#include "tests/fft/plan/plan_check.hpp"
#include "tests/fft/plan/plan_run.hpp"
#include "tests/fft/reference.hpp"
#include "tests/pairwise.hpp"

namespace toroid::fft {
namespace {

using testing::expect_right;
using testing::expect_right_of_any_data;
using testing::refusal_of;

Description slab(const std::vector<std::int64_t>& size, Overlap overlap = {}) {
  return {.size = size, .method = Method::slab, .overlap = overlap};
}

TEST(Slab, IsRightForEverySizeOfPiecesAndWindow) {
  for (const std::int64_t planes : {0, 1, 2, 3, 100})
    for (const std::uint32_t window : {1u, 2u, 16u})
      expect_right_of_any_data("3", slab({12, 9, 12}, {planes, window}));
}

TEST(Slab, IsRightForUnevenPlanes) {
  for (const std::int64_t planes : {1, 2, 3})
    for (const char* torus : {"4", "5m", "2x3", "1"})
      for (const std::int64_t batch : {1, 3}) {
        Description d = slab({7, 9, 11}, {planes, 2});
        d.batch = batch;
        expect_right_of_any_data(torus, d);
      }
}

TEST(Slab, IsRightForEveryTestInterval) {
  for (const std::int64_t interval : {1, 2, 7, 1000}) {
    expect_right_of_any_data("2x2", slab({8, 7, 10}, {1, 2, interval}));
    expect_right_of_any_data("2x2", slab({8, 7, 10}, {0, 1, interval}));
  }
}

TEST(Slab, IsRightIfPiecesAreCopiedFirst) {
  for (const std::int64_t planes : {1, 2, 4})
    for (const std::int64_t interval : {0, 3})
      for (const Precision precision : {Precision::single, Precision::double_}) {
        Description d = slab({6, 9, 16}, {planes, 2, interval});
        d.precision = precision;
        d.rigor = Rigor::measure;
        d.batch = 2;
        expect_right_of_any_data("2", d);
      }
}

TEST(Slab, IsRightIfBackwardHasAnotherNumberOfPlanesPerPiece) {
  for (const auto& [forward, backward] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 2}, {2, 0}, {1, 3}, {3, 1}}) {
    Description d = slab({12, 9, 12}, {.planes = forward, .window = 2});
    d.overlap.backward_planes = backward;
    expect_right_of_any_data("3", d);
  }
}

TEST(Slab, LowersPiecesToADivisorOfANodesPlanes) {
  for (const auto& [asked, planes] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {0, 0}, {1, 1}, {4, 4}, {5, 4}, {11, 6}, {12, 12}, {13, 12}})
    EXPECT_EQ(
        Blueprint(slab({12, 12, 12}, {asked}), Shape::parse("1")).pieces(0, Way::forward).planes,
        planes);
}

TEST(Slab, IsRightForTaperedPieces) {
  for (const std::int64_t planes : {2, 3, 100})
    for (const char* torus : {"2x2", "5m"})
      expect_right_of_any_data(torus, slab({7, 6, 23}, {planes, 2, 0, {}, true}));
}

TEST(Slab, IsRightIfLinesAreTransformedAsTheyArrive) {
  for (const bool tapers : {false, true})
    for (const std::int64_t planes : {1, 3})
      for (const std::int64_t interval : {0, 5})
        for (const char* torus : {"4", "2x3"})
          for (const std::int64_t batch : {1, 3}) {
            Description d = slab({7, 9, 11}, {planes, 2, interval, {}, tapers, Start::lines});
            d.batch = batch;
            d.return_to_input = batch == 3;
            expect_right_of_any_data(torus, d);
          }
}

TEST(Slab, IsRightInPlaceIfLinesAreTransformedAsTheyArrive) {
  for (const Precision precision : {Precision::single, Precision::double_}) {
    Description d = slab({6, 9, 16}, {2, 2, 3, {}, true, Start::lines});
    d.precision = precision;
    d.rigor = Rigor::measure;
    d.may_leave_gaps = true;
    expect_right_of_any_data("3", d);
  }
}

TEST(Slab, IsRightUnderEveryKindOfPolicyIfLinesAreTransformedAsTheyArrive) {
  const auto input = testing::noise_of<Complex>(8 * 9 * 12, 5);
  const auto plain = testing::simulate<Complex, Complex>("4x2", slab({8, 9, 12}), input);
  const Description d = slab({8, 9, 12}, {2, 2, 1, {}, true, Start::lines});
  for (const char* policy : {"random", "rank", "two-phase", "bruck"}) {
    SCOPED_TRACE(policy);
    const auto run =
        testing::simulate<Complex, Complex>("4x2", d, input, {.policy = &policy_by_name(policy)});
    EXPECT_EQ(run.result, plain.result);
    EXPECT_EQ(run.back, plain.back);
  }
}

TEST(Slab, GivesTheBlockingMethodsBitsForEveryOverlap) {
  const auto input = testing::noise_of<Complex>(16 * 12 * 20, 5);
  const auto blocking = testing::simulate<Complex, Complex>("4", slab({16, 12, 20}), input);
  for (const std::int64_t planes : {1, 2, 5})
    for (const bool tapers : {false, true})
      for (const Start start : {Start::exchange, Start::lines}) {
        const auto run = testing::simulate<Complex, Complex>(
            "4", slab({16, 12, 20}, {planes, 16, 1, {}, tapers, start}), input);
        EXPECT_EQ(run.result, blocking.result);
        EXPECT_EQ(run.back, blocking.back);
      }
}

/// Cycles for which the first node waits for an exchange: in the loop over planes, after it, and
/// between lines.
Tick waited(const std::vector<StageTimes>& times) {
  return times[0].waiting + times[1].exchanged - times[0].computed + times[1].waiting;
}

/// Of the short waits for an array of 32 cubed, lines can hide less than half.
TEST(Slab, WaitsAtMostHalfAsLongIfLinesAreTransformedAsTheyArrive) {
  const auto input = testing::noise_of<Complex>(48 * 48 * 48, 5);
  const auto wait_of = [&](const Overlap& overlap) {
    return waited(
        testing::simulate<Complex, Complex>("2x2x2", slab({48, 48, 48}, overlap), input).times);
  };
  const Tick papers = wait_of({1, 16, 1});
  EXPECT_LE(2 * wait_of({1, 16, 1, {}, false, Start::lines}), papers);
  EXPECT_LE(2 * wait_of({2, 16, 1, {}, true, Start::lines}), wait_of({2, 16, 1}));
  EXPECT_LE(wait_of({2, 16, 1, {}, true}), wait_of({2, 16, 1}));
}

TEST(Slab, TakesLessTimeWithMoreCores) {
  const auto input = testing::noise_of<Complex>(16 * 16 * 16, 5);
  Description d = slab({16, 16, 16}, {1});
  const auto once = testing::simulate<Complex, Complex>("2x2", d, input);
  Tick last = once.cycles;
  for (const unsigned cores : {2u, 4u}) {
    d.cores = cores;
    const auto run = testing::simulate<Complex, Complex>("2x2", d, input);
    EXPECT_EQ(run.times[0].computing * cores, once.times[0].computing);
    EXPECT_EQ(run.result, once.result);
    EXPECT_LT(run.cycles, last);
    last = run.cycles;
  }
}

TEST(Slab, GivesEqualBitsForEveryWindow) {
  const auto input = testing::noise_of<Complex>(8 * 9 * 12, 5);
  const auto once = testing::simulate<Complex, Complex>("4", slab({8, 9, 12}, {1, 1}), input);
  for (const std::uint32_t window : {2u, 3u, 16u, 32u}) {
    const auto run = testing::simulate<Complex, Complex>("4", slab({8, 9, 12}, {1, window}), input);
    EXPECT_EQ(run.result, once.result);
    EXPECT_EQ(run.back, once.back);
  }
}

TEST(Slab, RefusesMoreOutstandingExchangesThanThereAreHandlersFor) {
  const Description d = slab({256, 2, 2}, {1, 128});
  Description real = d;
  real.real = true;
  const auto input = testing::noise_of<double>(1024, 1);
  EXPECT_THAT(testing::refusal([&] { testing::simulate<double, Complex>("1", real, input); }),
              ::testing::HasSubstr("a window of 128 exchanges; expected 1 to 32"));
}

TEST(Slab, CutsABoxOutOfTheSpectrumAndPadsItOnTheWayBack) {
  constexpr std::array kCuts = {1.5, 2.0, 2.7, 3.0, 4.0};
  constexpr std::array kTorus = {"1", "2", "3"};
  for (const auto& row : testing::combinations({kCuts.size(), 2, 2, kTorus.size()})) {
    Description d = slab({12, 12, 24}, {static_cast<std::int64_t>(row[1]), 2});
    d.box_cut = kCuts[row[0]];
    d.batch = row[2] == 0 ? 1 : 2;
    d.return_to_input = d.batch == 2;
    testing::expect_right_by_turns(kTorus[row[3]], d);
  }
}

TEST(Slab, CutsUnevenBoxesAndBoxesOfASinglePoint) {
  for (const auto& [size, cut, torus] :
       std::vector<std::tuple<std::vector<std::int64_t>, double, const char*>>{
           {{6, 10, 14}, 2, "3"},    // 3, 5 and 7 points
           {{9, 15, 6}, 3, "3m"},    // 3, 5 and 2 points
           {{4, 4, 4}, 4, "1"},      // only the constant
           {{8, 4, 16}, 4, "2x1"},   // a single row
           {{7, 5, 11}, 1.5, "3"},   // 4, 3 and 7 points
           {{3, 3, 3}, 1.01, "2"},   // 2 of 3 points
           {{20, 10, 15}, 5, "4"}})  // as many planes of the result as nodes
  {
    Description d = slab(size, {1, 1});
    d.box_cut = cut;
    expect_right(torus, d);
  }
}

TEST(Slab, KeepsTheExactNumberOfPointsForDecimalCuts) {
  for (const auto& [n, cut, kept] : std::vector<std::tuple<std::int64_t, double, std::int64_t>>{
           {33, 1.1, 30}, {66, 1.1, 60}, {55, 1.1, 50}, {33, 2.2, 15}, {30, 1.5, 20}, {7, 2, 3}})
    EXPECT_EQ(kept_of(n, cut), kept) << n << " cut by " << cut;
  for (std::int64_t n = 1; n <= 2000; ++n) {
    for (std::int64_t cut = 1; cut <= n; ++cut)
      ASSERT_EQ(kept_of(n, static_cast<double>(cut)), n / cut) << n << " cut by " << cut;
    for (std::int64_t tenths = 11; tenths < 40; ++tenths)
      ASSERT_EQ(kept_of(n, static_cast<double>(tenths) / 10), 10 * n / tenths)
          << n << " cut by " << tenths << "/10";
  }
  const std::int64_t most = (std::int64_t{1} << 31) - 1;
  EXPECT_EQ(kept_of(most, 1), most);
  EXPECT_EQ(kept_of(most, 2), most / 2);
}

/// Number of elements that all nodes together send in the exchange, those to themselves included.
std::int64_t elements_sent(const Blueprint& blueprint) {
  std::int64_t elements = 0;
  const auto passage = testing::passages(blueprint)[0];
  for (Rank from = 0; from < blueprint.shape().size(); ++from)
    for (Rank to = 0; to < blueprint.shape().size(); ++to)
      elements += Transfer(passage.from->layout(from), passage.to->layout(to), 16).size();
  return elements;
}

TEST(Slab, SendsOnlyTheKeptPartOfPlanesWithABoxCut) {
  for (const std::int64_t cut : {1, 2, 3, 4}) {
    Description d = slab({12, 12, 12});
    d.box_cut = static_cast<double>(cut);
    const Blueprint blueprint(d, Shape::parse("3"));
    EXPECT_EQ(elements_sent(blueprint), 1728 / (cut * cut));
    EXPECT_EQ(Box::of(blueprint.out_extents()).volume(), 1728 / (cut * cut * cut));
  }
}

TEST(Slab, TakesLessTimeForLargerCuts) {
  const auto input = testing::noise_of<Complex>(24 * 24 * 24, 5);
  Tick last = ~Tick{0};
  for (const double cut : {1.0, 1.5, 2.0, 4.0}) {
    Description d = slab({24, 24, 24});
    d.box_cut = cut;
    const Tick cycles = testing::simulate<Complex, Complex>("2x3", d, input).cycles;
    EXPECT_LT(cycles, last);
    last = cycles;
  }
}

TEST(Slab, RefusesMoreNodesThanPlanesAndNamesTheLimit) {
  EXPECT_EQ(refusal_of("3x3", slab({8, 8, 9})),
            "the slab method has 8 planes of the result along x "
            "for 9 nodes; with this size use at most 8 nodes, or the volumetric method");
  EXPECT_THAT(refusal_of("7", slab({8, 8, 6})), ::testing::HasSubstr("6 planes along z"));
  EXPECT_EQ(refusal_of("6", slab({6, 1, 6})), "nothing was refused");
  Description real = slab({5, 6, 1});
  real.real = true;
  EXPECT_EQ(refusal_of("5", real), "nothing was refused");
  EXPECT_THAT(refusal_of("6", real), ::testing::HasSubstr("5 planes along x"));
  Description cut = slab({8, 8, 8});
  cut.box_cut = 2;
  EXPECT_EQ(refusal_of("4", cut), "nothing was refused");
  EXPECT_THAT(refusal_of("5", cut), ::testing::HasSubstr("4 planes of the result along x"));
}

TEST(Slab, RefusesACutThatLeavesNoPoints) {
  Description d = slab({12, 18, 24});
  d.box_cut = 12.5;
  EXPECT_EQ(refusal_of("1", d), "a box cut of 12.5 leaves no points of 12x18x24; use at most 12");
  d.box_cut = 12;
  EXPECT_EQ(refusal_of("1", d), "nothing was refused");
}

TEST(Slab, IsTheOnlyMethodForBoxCutsWhichNeedComplexData) {
  for (const Method method : {Method::volumetric, Method::rows})
    EXPECT_EQ(refusal_of("2", {.size = {8, 8, 8}, .method = method, .box_cut = 2}),
              "a box cut needs the slab method");
  Description d = slab({8, 8, 8});
  d.box_cut = 2;
  d.real = true;
  EXPECT_EQ(refusal_of("2", d), "a box cut needs complex data");
}

}  // namespace
}  // namespace toroid::fft
