// Virtual time never goes back, however late processors receive their packets.
#include <gtest/gtest.h>

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "hal/device.hpp"
#include "hal/machine.hpp"
#include "hal/processor.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/node/node.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/router/emulated_machine.hpp"

namespace toroid {
namespace {

using testing::MachineExchange;

/// Records when each turn of any node begins.
class Noted final : public Processor {
 public:
  Noted(Processor& processor, const Device& device, std::vector<Tick>& times)
      : processor_(&processor), device_(&device), times_(&times) {}
  TurnResult turn() override {
    times_->push_back(device_->now());
    return processor_->turn();
  }
  bool finished() const override { return processor_->finished(); }
  std::string waits_for() const override { return processor_->waits_for(); }

 private:
  Processor* processor_;
  const Device* device_;
  std::vector<Tick>* times_;
};

std::vector<Tick> turn_times(const Shape& shape, const Machine& machine) {
  std::vector<Tick> times;
  std::deque<Noted> noted;
  testing::EmulatedMachine sim(make_sim_fabric(shape, machine), {}, {},
                               [&](Node& node, Device& device) -> Processor& {
                                 return noted.emplace_back(node, device, times);
                               });
  MachineExchange(sim, 3 * 240).run();
  return times;
}

void expect_in_order(const std::vector<Tick>& times) {
  EXPECT_GT(times.size(), 100u);
  std::size_t backwards = 0;
  for (std::size_t i = 1; i < times.size(); ++i) backwards += times[i] < times[i - 1] ? 1 : 0;
  EXPECT_EQ(backwards, 0u) << "of " << times.size() << " turns";
}

TEST(VirtualTime, NeverGoesBack) {
  expect_in_order(turn_times(Shape::parse("4x4x4"), Machine()));
}

TEST(VirtualTime, NeverGoesBackIfReceptionFifosFillUp) {
  for (const unsigned receive_cycles : {200u, 1000u, 5000u}) {
    Machine machine;
    machine.receive_cycles = receive_cycles;
    machine.reception_fifos = 1;
    machine.reception_fifo_chunks = 32;
    expect_in_order(turn_times(Shape::parse("3x3x3"), machine));
  }
}

}  // namespace
}  // namespace toroid
