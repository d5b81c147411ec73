// The reception buffer: FIFOs that the router fills and the processor polls. This is the room in
// them, in chunks; whoever carries the packets keeps the packets.
#pragma once

#include <cstdint>
#include <vector>

#include "hal/check.hpp"

namespace toroid {

class ReceptionBuffer {
 public:
  /// `fifos` FIFOs of `capacity` chunks each.
  ReceptionBuffer(unsigned fifos, unsigned capacity) : used_(fifos, 0), capacity_(capacity) {}

  unsigned fifos() const { return static_cast<unsigned>(used_.size()); }
  unsigned used(unsigned fifo) const { return used_[fifo]; }

  /// Reserves room for a whole packet, as virtual cut-through demands; false: not now.
  [[nodiscard]] bool try_reserve(unsigned fifo, unsigned chunks) {
    if (used_[fifo] + chunks > capacity_) return false;
    used_[fifo] = static_cast<std::uint16_t>(used_[fifo] + chunks);
    return true;
  }

  /// The processor has taken the packet out.
  void release(unsigned fifo, unsigned chunks) {
    TOROID_CHECK_LE(chunks, used_[fifo]);
    used_[fifo] = static_cast<std::uint16_t>(used_[fifo] - chunks);
  }

 private:
  std::vector<std::uint16_t> used_;
  unsigned capacity_;
};

}  // namespace toroid
