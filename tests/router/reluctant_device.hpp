// A device that randomly refuses operations that it could do.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hal/device.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/machine.hpp"
#include "hal/random.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"

namespace toroid::testing {

class ReluctantDevice final : public Device {
 public:
  /// Refuses one of `odds` operations on average.
  ReluctantDevice(Device& device, std::uint32_t odds, std::uint64_t seed)
      : device_(&device), odds_(odds), random_(seed, device.rank()) {}

  Rank rank() const override { return device_->rank(); }
  const Shape& shape() const override { return device_->shape(); }
  const Machine& machine() const override { return device_->machine(); }
  Tick now() const override { return device_->now(); }
  bool has_virtual_time() const override { return device_->has_virtual_time(); }
  InjectionFifos& fifos() override { return refuses() ? none_ : device_->fifos(); }
  void inject(const SendDescriptor& descriptor, std::uint32_t count, unsigned fifo) override {
    device_->inject(descriptor, count, fifo);
  }
  bool flush() override { return device_->flush(); }
  bool push() override { return !refuses() && device_->push(); }
  std::size_t receive(PacketSink& sink, std::size_t limit) override {
    return refuses() ? 0 : device_->receive(sink, limit);
  }
  std::size_t packets_per_turn() const override { return device_->packets_per_turn(); }
  void compute(Tick cycles) override { device_->compute(cycles); }

 private:
  bool refuses() { return random_.below(odds_) == 0; }

  Device* device_;
  InjectionFifos none_;
  std::uint32_t odds_;
  Random random_;
};

}  // namespace toroid::testing
