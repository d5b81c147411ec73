// The reception FIFOs of a node whose packets go hop by hop, with the packets in them.
#pragma once

#include <cstddef>
#include <vector>

#include "hal/check.hpp"
#include "hal/counters.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/reception_buffer.hpp"
#include "router/rules/reception_rule.hpp"
#include "router/rules/routing.hpp"

namespace toroid::ring {

/// Packets that have left the rings and wait for the processor, which takes them in the order in
/// which they came. FIFOs have the machine's room. Memory grows with the most packets that have
/// waited at once. The node's own worker calls it.
class ReceptionFifos {
 public:
  ReceptionFifos(const Machine& machine, unsigned links)
      : rule_(machine, links), room_(1, rule_.fifos(), machine.reception_fifo_chunks) {}

  bool empty() const { return count_ == 0; }
  /// [FIFO]: what has passed through, and how full the FIFOs were.
  const std::vector<FifoCounters>& counters() const { return room_.counters(); }
  /// Takes a packet that waits at `input`. Returns false if its FIFO has no room now.
  [[nodiscard]] bool try_take(const Packet& packet, Input input);
  /// The packet that came first. REQUIRES: not empty.
  const Packet& front() const {
    TOROID_CHECK_IN_CHECKED_BUILD(!empty());
    return places_[first_].packet;
  }
  void pop() {
    const Place& place = places_[first_];
    room_.release(0, place.fifo, place.packet.header.chunks());
    first_ = (first_ + 1) & (places_.size() - 1);
    --count_;
  }

 private:
  struct Place {
    Packet packet{};
    unsigned fifo = 0;
  };
  void grow();

  ReceptionRule rule_;
  ReceptionBuffers room_;
  std::vector<Place> places_;  ///< a ring; its size is 0 or a power of 2
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

}  // namespace toroid::ring
