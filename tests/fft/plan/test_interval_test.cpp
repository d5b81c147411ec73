// A computing node handles its packets at every test interval, in real and in virtual time.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "fft/kernels/kernel.hpp"
#include "fft/kernels/work_slices.hpp"
#include "fft/layout/local_array.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/plan.hpp"
#include "hal/device.hpp"
#include "hal/fabric.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/node/handlers.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/runner.hpp"
#include "router/shm/ring_fabric.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/shm/ring_machine.hpp"

namespace toroid::fft {
namespace {

constexpr HandlerId kBall = kFirstUserHandler;

/// A node that computes a transform. Packets are balls: for each ball that arrives meanwhile, the
/// node sends one back.
struct Player {
  Player(Node& node, std::shared_ptr<const Blueprint> blueprint)
      : plan(node, std::move(blueprint)), in(plan.input_size()), out(plan.output_size()) {
    node.on(kBall, [this, &node](const Packet&) {
      if (!transforms) return;
      ++caught;
      node.post(1 - node.rank(), kBall, {});
    });
  }
  Plan plan;
  std::vector<Complex> in;
  std::vector<Complex> out;
  std::uint64_t caught = 0;
  bool transforms = false;
};

Program play(Node& node, Player& player) {
  player.transforms = true;
  if (node.rank() == 0) node.post(1, kBall, {});
  co_await player.plan.forward(player.in, player.out);
  player.transforms = false;
}

/// Number of balls that two nodes catch while they transform. A node catches a ball only when it
/// handles its packets.
std::uint64_t caught_on(Fabric& fabric, const Overlap& overlap) {
  const Description d{.size = {16, 16, 16}, .method = Method::slab, .overlap = overlap};
  const auto blueprint = std::make_shared<const Blueprint>(d, fabric.shape());
  Runner runner(fabric);
  std::deque<Player> players;
  runner.run([&](Node& node) { return play(node, players.emplace_back(node, blueprint)); });
  return players[0].caught + players[1].caught;
}

/// One worker runs both nodes in turn, so the number of times that they handle packets does not
/// depend on their speed.
std::uint64_t caught_on_rings(RingRoute route, std::int64_t interval) {
  const auto fabric = testing::ring_fabric(Shape::parse("2"), 1, testing::routed(route));
  return caught_on(*fabric, {.planes = 4, .test_interval = interval});
}

// Each node transforms 8 planes of 32 lines, four planes at a time. With a test interval of 8 lines
// it handles packets 32 times, with one of 2 lines 128 times.
TEST(TestInterval, MakesANodeHandlePacketsWhileItTransformsInRealTime) {
  for (const RingRoute route : testing::kRoutes) {
    const std::uint64_t after_pieces = caught_on_rings(route, 0);
    EXPECT_GE(caught_on_rings(route, 8), after_pieces + 10);
    EXPECT_GE(caught_on_rings(route, 2), after_pieces + 60);
  }
}

TEST(TestInterval, MakesANodeHandlePacketsWhileItTransformsInVirtualTime) {
  const auto caught = [](std::int64_t interval) {
    const auto fabric = make_sim_fabric(Shape::parse("2"), Machine{});
    return caught_on(*fabric, {.planes = 4, .test_interval = interval});
  };
  EXPECT_GT(caught(2), 2 * caught(0));
}

/// Counts the calls of compute() that take at least one cycle.
class CountingDevice final : public Device {
 public:
  CountingDevice(Device& device, std::uint64_t& computes)
      : device_(&device), computes_(&computes) {}

  Rank rank() const override { return device_->rank(); }
  const Shape& shape() const override { return device_->shape(); }
  const Machine& machine() const override { return device_->machine(); }
  unsigned lane() const override { return device_->lane(); }
  Tick now() const override { return device_->now(); }
  bool has_virtual_time() const override { return device_->has_virtual_time(); }
  InjectionFifos& fifos() override { return device_->fifos(); }
  void inject(const SendDescriptor& descriptor, std::uint32_t count, unsigned fifo) override {
    device_->inject(descriptor, count, fifo);
  }
  bool flush() override { return device_->flush(); }
  std::size_t receive(PacketSink& sink, std::size_t limit) override {
    return device_->receive(sink, limit);
  }
  std::size_t packets_per_turn() const override { return device_->packets_per_turn(); }
  void compute(Tick cycles) override {
    *computes_ += cycles > 0 ? 1 : 0;
    device_->compute(cycles);
  }
  bool try_wake_at(Tick when) override { return device_->try_wake_at(when); }

 private:
  Device* device_;
  std::uint64_t* computes_;
};

/// Number of calls of compute() that take at least one cycle, while two nodes of the model
/// transform.
std::uint64_t computes(std::int64_t interval) {
  const Description d{.size = {16, 16, 16},
                      .method = Method::slab,
                      .overlap = {.planes = 4, .test_interval = interval}};
  const Shape shape = Shape::parse("2");
  const auto blueprint = std::make_shared<const Blueprint>(d, shape);
  std::uint64_t count = 0;
  testing::EmulatedMachine machine(make_sim_fabric(shape, Machine{}), {}, [&](Device& device) {
    return std::make_unique<CountingDevice>(device, count);
  });
  std::deque<Player> players;
  machine.run([&](Node& node) { return play(node, players.emplace_back(node, blueprint)); });
  EXPECT_TRUE(machine.finished());
  return count;
}

// Each node has two pieces, each of 4 planes of 16 rows and 16 columns. If kernels were cut to at
// most 10 lines, every 16 lines would need two kernels.
TEST(TestInterval, CutsOnlyTheCyclesOfAPieceInVirtualTime) {
  const std::uint64_t uncut = computes(0);
  const std::uint64_t pieces = 4;
  EXPECT_EQ(computes(10) - uncut, pieces * (4 * 32 / 10 - 1));
  EXPECT_EQ(computes(1000) - uncut, 0u);
}

// Slices of a work.

local::Work plane_work(std::int64_t planes, std::int64_t rows, std::int64_t columns,
                       local::Kind kind = local::Kind::forward) {
  local::Work work;
  work.kind = kind;
  work.in_place = false;
  const std::int64_t half =
      kind == local::Kind::real_to_half ? columns / 2 + 1 : columns;  // columns of the output
  work.axes[0] = {planes, rows * columns, rows * half, false};
  work.axes[1] = {rows, columns, half, true};
  work.axes[2] = {columns, 1, 1, true};
  return work;
}

std::int64_t all_lines(const std::vector<WorkSlice>& slices) {
  return std::accumulate(
      slices.begin(), slices.end(), std::int64_t{0},
      [](std::int64_t sum, const WorkSlice& slice) { return sum + lines_of(slice.work); });
}

TEST(WorkSlices, HaveAtMostTheGivenLinesAndTogetherAllOfThem) {
  const local::Work work = plane_work(3, 5, 7);
  ASSERT_EQ(lines_of(work), 3 * (5 + 7));
  for (std::int64_t most = 1; most <= 40; ++most) {
    const auto slices = slices_of(work, most);
    EXPECT_EQ(all_lines(slices), 36) << most;
    for (const WorkSlice& slice : slices) EXPECT_LE(lines_of(slice.work), most);
  }
}

TEST(WorkSlices, AreTheWorkItselfIfNothingIsCut) {
  for (const std::int64_t most : {0, 36, 1000})
    EXPECT_EQ(slices_of(plane_work(3, 5, 7), most).size(), 1u);
  local::Work copy = plane_work(3, 5, 7);
  for (local::Axis& axis : copy.axes) axis.transformed = false;
  EXPECT_EQ(slices_of(copy, 1).size(), 1u);
}

TEST(WorkSlices, FinishOnePlaneBeforeTheNext) {
  const auto slices = slices_of(plane_work(2, 4, 8), 4);  // rows, then columns four at a time
  ASSERT_EQ(slices.size(), 6u);
  for (const std::size_t rows : {0u, 3u}) EXPECT_FALSE(slices[rows].reads_out);
  for (const std::size_t columns : {1u, 2u, 4u, 5u}) EXPECT_TRUE(slices[columns].reads_out);
  for (std::size_t i = 0; i < slices.size(); ++i)
    EXPECT_EQ(slices[i].out_at / (4 * 8 * 16), i < 3 ? 0 : 1) << i;
}

TEST(WorkSlices, ContinueInTheHalfSpectrumAfterRealRows) {
  const auto slices = slices_of(plane_work(1, 4, 6, local::Kind::real_to_half), 4);
  ASSERT_EQ(slices.size(), 2u);
  EXPECT_EQ(slices[0].work.kind, local::Kind::real_to_half);
  EXPECT_EQ(slices[1].work.kind, local::Kind::forward);
  EXPECT_EQ(lines_of(slices[1].work), 4);  // 6 / 2 + 1
}

}  // namespace
}  // namespace toroid::fft
