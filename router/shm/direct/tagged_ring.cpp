#include "router/shm/direct/tagged_ring.hpp"

#include <cstdint>

#include "hal/packet.hpp"

namespace toroid::ring {

void TaggedMemory::allocate() {
  slots.reset(new Packet[capacity]);
  for (std::uint32_t i = 0; i < capacity; ++i) slots[i].header = PacketHeader(0, 0);
}

}  // namespace toroid::ring
