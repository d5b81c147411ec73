#include "router/shm/torus/reception_fifos.hpp"

#include <algorithm>

#include "router/shm/torus/link.hpp"

namespace toroid::ring {

bool ReceptionFifos::try_take(const Packet& packet, Input input) {
  const PacketHeader& header = packet.header;
  const unsigned fifo = rule_.fifo_for(header.channel() == VirtualChannel::priority, input);
  if (!room_.try_reserve(0, fifo, header.chunks())) return false;
  if (count_ == places_.size()) grow();
  Place& place = places_[(first_ + count_++) & (places_.size() - 1)];
  copy_packet(packet, place.packet);
  place.fifo = fifo;
  return true;
}

void ReceptionFifos::grow() {
  std::ranges::rotate(places_, places_.begin() + static_cast<std::ptrdiff_t>(first_));
  first_ = 0;
  places_.resize(std::max<std::size_t>(8, 2 * places_.size()));
}

}  // namespace toroid::ring
