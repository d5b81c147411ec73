// Transforms on the model whose packets are moved by DMA engines.
#include <gtest/gtest.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fft/plan/description.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/node/settings.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/fft/plan/plan_run.hpp"
#include "tests/fft/reference.hpp"

namespace toroid::fft {
namespace {

using Complex = std::complex<double>;
using testing::equal_bits;
using testing::noise_of;
using testing::PlanRun;

/// A machine whose processors would be the bottleneck if they moved the packets.
Machine engine_machine() {
  Machine machine;
  machine.inject_cycles = machine.receive_cycles = 300;
  machine.dma_descriptor_cycles = 100;
  machine.dma_inject_cycles = machine.dma_receive_cycles = 45;
  return machine;
}

PlanRun<Complex, Complex> slab_run(const std::vector<Complex>& array, std::int64_t planes,
                                   TransferMode transfer, unsigned threads = 1) {
  const bool dma = transfer != TransferMode::packets;
  const auto fabric =
      make_sim_fabric(Shape::parse("4x2"), engine_machine(), {.threads = threads, .dma = dma});
  return testing::run_plan<Complex, Complex>(
      *fabric,
      {.size = {32, 16, 16}, .method = Method::slab, .overlap = {.planes = planes, .window = 2}},
      array, {.transfer = transfer});
}

TEST(DmaPlan, HidesTheExchangeOfANonBlockingSlabBehindItsComputation) {
  const auto array = noise_of<Complex>(std::size_t{32} * 16 * 16, 1);
  const auto packets = slab_run(array, 1, TransferMode::packets);
  const auto put = slab_run(array, 1, TransferMode::put);
  const auto at_once = slab_run(array, 0, TransferMode::put);
  EXPECT_TRUE(equal_bits(put.result, packets.result));
  EXPECT_TRUE(equal_bits(put.back, packets.back));
  EXPECT_LT(put.cycles, packets.cycles * 9 / 10);
  EXPECT_LT(put.cycles, at_once.cycles);
}

TEST(DmaPlan, TakesTheSameCyclesOnEveryNumberOfThreads) {
  const auto array = noise_of<Complex>(std::size_t{32} * 16 * 16, 1);
  const auto one = slab_run(array, 1, TransferMode::put);
  for (const unsigned threads : {2u, 3u}) {
    const auto run = slab_run(array, 1, TransferMode::put, threads);
    EXPECT_EQ(run.cycles, one.cycles);
    EXPECT_TRUE(equal_bits(run.result, one.result));
  }
}

}  // namespace
}  // namespace toroid::fft
