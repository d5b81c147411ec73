// The reception buffer: FIFOs that the router fills and the processor polls. It accounts for their
// room in chunks; the fabric keeps the packets themselves.
#pragma once

#include <cstdint>
#include <vector>

#include "hal/check.hpp"

namespace toroid {

/// The reception FIFOs of one node; the model of its router owns and calls it.
class ReceptionBuffer {
 public:
  /// Makes `fifos` empty FIFOs of `capacity` chunks each.
  ReceptionBuffer(unsigned fifos, unsigned capacity) : used_(fifos, 0), capacity_(capacity) {}

  unsigned fifos() const { return static_cast<unsigned>(used_.size()); }
  unsigned used(unsigned fifo) const { return used_[fifo]; }

  /// Reserves room for a whole packet, as virtual cut-through demands. False: there is no room now.
  [[nodiscard]] bool try_reserve(unsigned fifo, unsigned chunks) {
    if (used_[fifo] + chunks > capacity_) return false;
    used_[fifo] = static_cast<std::uint16_t>(used_[fifo] + chunks);
    return true;
  }

  /// Gives the room of a packet back, which the processor has taken out.
  void release(unsigned fifo, unsigned chunks) {
    TOROID_CHECK_LE(chunks, used_[fifo]);
    used_[fifo] = static_cast<std::uint16_t>(used_[fifo] - chunks);
  }

 private:
  std::vector<std::uint16_t> used_;
  unsigned capacity_;
};

}  // namespace toroid
