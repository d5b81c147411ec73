#include "fft/redistribution.hpp"

#include <gtest/gtest.h>

#include "fft/volumetric_fft.hpp"
#include "tests/fft/transform_run.hpp"

namespace toroid {
namespace {

/// Leaves lines as they are, so that only the redistributions act.
struct Identity final : LineTransformLibrary {
  struct Lines final : LineTransform {
    void run(std::span<Complex>) const override {}
  };
  std::unique_ptr<LineTransform> plan(std::int64_t, Sign) const override {
    return std::make_unique<Lines>();
  }
};

/// Data whose value is its own index.
std::vector<Complex> indices(const Index& size) {
  std::vector<Complex> values(static_cast<std::size_t>(size[0] * size[1] * size[2]));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = {static_cast<double>(i), -static_cast<double>(i)};
  return values;
}

TEST(Redistribution, PutsEveryElementInItsPlaceOnManyShapes) {
  for (const char* torus : {"1", "2", "2x2", "3x2x4", "2x2x2x2", "5x1x3", "7", "3mx4mx2m"})
    for (const Index& size : {Index{7, 7, 7}, Index{16, 16, 16}, Index{5, 3, 11}, Index{2, 9, 4}})
      for (const bool back : {false, true}) {
        const VolumetricPlan plan(size, Shape::parse(torus), {Sign::forward, back}, Identity{});
        EXPECT_EQ(testing::transform(indices(size), plan).result, indices(size))
            << torus << (back ? " with return" : "");
      }
}

TEST(Transfer, WalksTheIntersectionInTheOrderOfTheReceiversMemory) {
  const Decomposition d({9, 8, 7}, Shape::parse("2x3x2"));
  const Group plane = d.grid().group(1, 2, 0);
  for (Rank s = 0; s < plane.size(); ++s)
    for (Rank t = 0; t < plane.size(); ++t) {
      const NodeLayout from = d.layout(Distribution::z_lines, d.grid().coord(plane.rank(s)));
      const NodeLayout to = d.layout(Distribution::y_lines, d.grid().coord(plane.rank(t)));
      const Transfer transfer(from, to);
      std::int64_t last = -1;
      for (std::int64_t n = 0; n < transfer.size(); ++n) {
        const Index at = transfer.element(n);
        ASSERT_EQ(transfer.number(at), n);
        ASSERT_GT(to.offset(at), last);
        last = to.offset(at);
      }
    }
}

TEST(Redistribution, SendsFromEveryNodeOfAPlaneToEveryOther) {
  const Decomposition d({32, 32, 32}, Shape::parse("4x4x4"));
  for (const Exchange& exchange : {Exchange{Distribution::z_lines, Distribution::y_lines, 1, 2},
                                   Exchange{Distribution::y_lines, Distribution::x_lines, 0, 1}}) {
    const Group plane = d.grid().group(exchange.first_axis, exchange.last_axis, 0);
    for (Rank s = 0; s < plane.size(); ++s)
      for (Rank t = 0; t < plane.size(); ++t)
        EXPECT_EQ(Transfer(d.layout(exchange.from, d.grid().coord(plane.rank(s))),
                           d.layout(exchange.to, d.grid().coord(plane.rank(t))))
                      .size(),
                  512 / 16);
  }
}

}  // namespace
}  // namespace toroid
