// Concurrently running blocks need few rounds for a run. Rounds are counted instead of time, which
// would depend on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>

#include "hal/device.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/machine.hpp"
#include "hal/processor.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/rules/routing.hpp"
#include "router/sim/block.hpp"
#include "router/sim/device.hpp"
#include "router/sim/flight_memory.hpp"
#include "router/sim/node_range.hpp"
#include "router/sim/parallel_run.hpp"

namespace toroid::sim {
namespace {

/// Computes `times` times for `cycles` cycles.
class Sleeper final : public Processor {
 public:
  Sleeper(Device& device, unsigned times, Tick cycles)
      : device_(&device), left_(times), cycles_(cycles) {}
  TurnResult turn() override {
    if (left_ == 0) return {};
    --left_;
    device_->compute(cycles_);
    return {.output_waiting = false, .again = true};
  }
  bool finished() const override { return left_ == 0; }
  std::string waits_for() const override { return "its own time"; }

 private:
  Device* device_;
  unsigned left_;
  Tick cycles_;
};

/// A torus in equal blocks; node r computes `times` times for `cycles` + r · `stagger` cycles.
class Sleepers {
 public:
  Sleepers(const char* shape, Rank blocks, unsigned times, Tick cycles, Tick stagger)
      : Sleepers(Shape::parse(shape), blocks, times, cycles, stagger) {}
  Sleepers(const Shape& shape, Rank blocks, unsigned times, Tick cycles, Tick stagger)
      : shape_(shape) {
    for (Rank b = 0; b < blocks; ++b) {
      const Rank first = shape_.size() * b / blocks;
      const Range range{first, shape_.size() * (b + 1) / blocks - first};
      blocks_.emplace_back(shape_, machine_, RoutingOptions{}, FifoTying::per_direction, range, b,
                           flights_, nullptr);
      for (Rank r = range.first; r < range.first + range.count; ++r) {
        SimDevice& device = blocks_.back().device(r);
        device.attach(processors_.emplace_back(device, times, cycles + r * stagger));
      }
      blocks_.back().start();
    }
  }

  /// Returns the number of rounds.
  std::uint64_t run() {
    ParallelRun run(
        blocks_, lookahead(machine_), false, [](const Block::Counts&) {}, nullptr);
    run.run();
    return run.rounds();
  }
  Tick end() const {
    Tick end = 0;
    for (const Block& block : blocks_) end = std::max(end, block.counts().end);
    return end;
  }

 private:
  Machine machine_;
  Shape shape_;
  FlightMemory flights_;
  std::deque<Block> blocks_;
  std::deque<Sleeper> processors_;
};

TEST(ParallelRun, JumpsOverLongIdlePhases) {
  constexpr unsigned kTimes = 20;
  constexpr Tick kCycles = 1'000'000;  // 14,500 times the lookahead
  for (const Rank blocks : {2u, 3u, 7u}) {
    Sleepers all("7x2", blocks, kTimes, kCycles, 0);
    EXPECT_LE(all.run(), kTimes * blocks * (blocks + 10));
    EXPECT_EQ(all.end(), kTimes * kCycles);
  }
}

/// The nodes' times differ by more than a lookahead, so blocks jump to the event of each node
/// separately.
TEST(ParallelRun, JumpsFromEventToEvent) {
  constexpr unsigned kTimes = 10;
  Sleepers few("4", 4, kTimes, 1'000'000, 10'000);
  EXPECT_LE(few.run(), 4 * kTimes * 4 * 14u);
  EXPECT_EQ(few.end(), kTimes * 1'030'000u);
}

TEST(ParallelRun, EndsIfABlockHasNoNeighbours) {
  const Shape shape = Shape::parse("3").with_failures({.links = {}, .nodes = {"(0)"}});
  for (const unsigned times : {0u, 1u, 20u}) {
    Sleepers all(shape, 3, times, 1000, 0);
    all.run();
    EXPECT_EQ(all.end(), times * 1000u);
  }
}

TEST(ParallelRun, EndsIfNothingEverHappens) {
  for (unsigned i = 0; i < 300; ++i) {  // because the timing of threads differs between runs
    const Rank blocks = 2 + i % 4;
    Sleepers none("5", blocks, 0, 1, 0);
    EXPECT_LE(none.run(), blocks * 16u);
    EXPECT_EQ(none.end(), 0u);
  }
}

}  // namespace
}  // namespace toroid::sim
