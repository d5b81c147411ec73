// A processor that injects given headers unchanged and receives all arriving packets.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "hal/device.hpp"
#include "hal/packet.hpp"
#include "hal/processor.hpp"
#include "hal/put.hpp"
#include "hal/tick.hpp"

namespace toroid::testing {

class Script final : public Processor, private PacketSink {
 public:
  Script(Device& device, std::vector<PacketHeader> headers)
      : device_(&device), headers_(std::move(headers)) {}

  TurnResult turn() override {
    turns_.push_back(device_->now());
    while (next_ < headers_.size() && headers_[next_].chunks() <= device_->fifos().room(0))
      inject(headers_[next_++]);
    while (device_->receive(*this, 1) == 1) continue;
    return {.output_waiting = next_ < headers_.size(), .again = false};
  }
  bool finished() const override { return next_ == headers_.size(); }
  std::string waits_for() const override { return "room in FIFO 0"; }

  const std::vector<PacketHeader>& received() const { return received_; }
  /// The times at which its turns began.
  const std::vector<Tick>& turns() const { return turns_; }

 private:
  void arrive(const Packet& packet) override { received_.push_back(packet.header); }
  std::size_t arrive(const PutDescriptor&) override { return 0; }
  void inject(const PacketHeader& header) {
    device_->fifos().add(0, header.chunks());
    device_->inject({.header = header, .source = nullptr, .cookie = 0}, 1, 0);
    device_->flush();
  }

  Device* device_;
  std::vector<PacketHeader> headers_;
  std::size_t next_ = 0;
  std::vector<PacketHeader> received_;
  std::vector<Tick> turns_;
};

}  // namespace toroid::testing
