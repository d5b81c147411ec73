#include "router/shm/torus/link.hpp"

#include "hal/packet.hpp"

namespace toroid::ring {

void LinkMemory::allocate() {
  for (unsigned c = 0; c < kVirtualChannels; ++c) {
    slots[c].reset(new Packet[capacity[c]]);
    // Touched by the receiver's thread first, which is what places the pages.
    for (unsigned i = 0; i < capacity[c]; ++i) slots[c][i].header = PacketHeader(0, 0);
  }
}

}  // namespace toroid::ring
