#include "fft/transform_bounds.hpp"

#include <gtest/gtest.h>

#include "tests/fft/transform_run.hpp"

namespace toroid {
namespace {

Tick total_bound(const VolumetricPlan& plan) {
  TransformBounds bounds(plan.decomposition(), Machine{});
  for (const VolumetricPhase& phase : plan.phases()) bounds.add(phase);
  return bounds.total();
}

TEST(TransformBounds, EqualTheAllToAllFormulaWhereAllMessagesAreEqual) {
  const Machine machine;
  for (const char* torus : {"4x4x4", "4mx4mx4m", "3x3x3"}) {
    const Shape shape = Shape::parse(torus);
    const Rank p = shape.extent(0);
    const std::int64_t n = p == 3 ? 27 : 32;
    const Decomposition d({n, n, n}, shape);
    TransformBounds bounds(d, machine);
    const auto plane = bounds.add(volumetric_phases(d.grid(), false)[1]);
    const Transfer message(d.layout(Distribution::z_lines, {0, 0, 0}),
                           d.layout(Distribution::y_lines, {0, 1, 0}));
    EXPECT_EQ(message.size(), static_cast<std::uint64_t>(n * n * n) / (p * p * p) / (p * p));
    MessageCost cost{0, 0};
    message.for_each_stretch([&](std::uint64_t elements, std::uint64_t times) {
      const MessageCost stretch = message_cost(machine, elements * sizeof(Complex));
      cost.packets += times * stretch.packets;
      cost.wire_bytes += times * stretch.wire_bytes;
    });
    const Bounds formula = all_to_all_bounds(machine, shape.slice(1, 3), cost);
    EXPECT_EQ(plane.hottest_link, formula.hottest_link) << torus;
    EXPECT_EQ(plane.injection, formula.injection) << torus;
    EXPECT_EQ(plane.processor, formula.processor) << torus;
  }
}

TEST(TransformBounds, GiveThePapersModelOfItsLargestRun) {
  const Decomposition d({128, 128, 128}, Shape::parse("8x8x8"));
  TransformBounds bounds(d, Machine{});
  for (const VolumetricPhase& phase : volumetric_phases(d.grid(), false)) bounds.add(phase);
  EXPECT_EQ(bounds.paper_model(), 983040u + 172032u);
}

TEST(TransformBounds, AreNeverBeatenByTheModel) {
  for (const char* torus : {"2", "4", "2x2", "3x2", "2x2x2", "3x3x3", "3x2x4", "4x4x4", "2mx3mx4m",
                            "4mx4mx4m", "5x1x3", "2x2x2x2", "1x3", "1x1x4", "1x2x3m"})
    for (const Index& size : {Index{8, 8, 8}, Index{16, 16, 16}, Index{9, 11, 10}})
      for (const bool back : {false, true}) {
        const VolumetricPlan plan(size, Shape::parse(torus), {Sign::forward, back});
        const auto run = testing::transform(testing::noise(size, 1), plan);
        EXPECT_GE(run.cycles, total_bound(plan)) << torus << " " << size[0];
      }
}

}  // namespace
}  // namespace toroid
