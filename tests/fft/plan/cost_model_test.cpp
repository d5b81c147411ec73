#include "fft/plan/cost_model.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"

namespace toroid::fft {
namespace {

TEST(CostModel, RoundsCyclesOfLinesAndProductsUp) {
  const Machine bgl;
  EXPECT_EQ(line_transform_cycles(bgl, 1), 0u);
  EXPECT_EQ(line_transform_cycles(bgl, 512), 2u * 512 * 9);
  Machine transposing;
  transposing.transpose_cycles = 1.5;
  EXPECT_EQ(line_transform_cycles(transposing, 512), 2u * 512 * 9 + 768);
  EXPECT_EQ(product_cycles(bgl, 1000), 1000u);
  Machine fast;
  fast.fma_cycles = 0.3;
  EXPECT_EQ(product_cycles(fast, 5), 2u);
}

TEST(CostModel, MatchesThePapersTable1For128CubedOn512Nodes) {
  const Machine bgl;
  const Shape machine = Shape::parse("8x8x8");
  constexpr std::uint64_t kReceived = 65536;  // bytes per exchange: 4096 values of 16 bytes
  const Tick line = paper_model_exchange(bgl, machine.slice(0, 1), kReceived);
  const Tick plane = paper_model_exchange(bgl, machine.slice(1, 3), kReceived);
  EXPECT_EQ(line + 2 * plane, 983040u);
  const Tick lines = 32;  // number per node and dimension
  EXPECT_EQ(3 * lines * line_transform_cycles(bgl, 128), 172032u);
}

}  // namespace
}  // namespace toroid::fft
