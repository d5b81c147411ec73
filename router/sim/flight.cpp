#include "router/sim/flight.hpp"

#include "router/sim/event.hpp"

namespace toroid::sim {

FlightId FlightPool::allocate() {
  ++alive_;
  if (free_ != kNoFlight) {
    const FlightId id = free_;
    free_ = flights_[id].next;
    return id;
  }
  const auto id = static_cast<FlightId>(flights_.size());
  if (id >= 1u << Event::kValueBits) throw RunFailed("more than 2^30 packets under way at once");
  flights_.emplace_back();
  headers_.emplace_back();
  return id;
}

FlightId FlightPool::add(const SendDescriptor& descriptor, const Route& route) {
  const FlightId id = allocate();
  const PacketHeader& header = descriptor.header;
  flights_[id] = {.next = kNoFlight,
                  .directions = route.directions,
                  .hops = route.hops,
                  .chunks = static_cast<std::uint8_t>(header.chunks()),
                  .dynamic = header.dynamic(),
                  .high_priority = header.channel() == VirtualChannel::priority,
                  .group = static_cast<std::uint8_t>(header.group()),
                  .order = header.order()};
  headers_[id] = header;
  CHECK(descriptor.source != nullptr || header.payload_bytes() == 0);
  if (descriptor.source != nullptr) gather(descriptor, id);
  return id;
}

FlightId FlightPool::add(const Flight& flight, const PacketHeader& header,
                         const PayloadBytes* payload) {
  const FlightId id = allocate();
  flights_[id] = flight;
  headers_[id] = header;
  if (payload != nullptr) payload_room(id) = *payload;
  return id;
}

PayloadBytes& FlightPool::payload_room(FlightId id) {
  if (id >= payloads_.size()) payloads_.resize(flights_.capacity());
  return payloads_[id];
}

void FlightPool::gather(const SendDescriptor& descriptor, FlightId id) {
  const std::uint32_t argument =
      descriptor.source->gather(descriptor, descriptor.first, payload_room(id));
  headers_[id] = descriptor.header.with_argument(argument);
}

void FlightPool::remove(FlightId id) {
  flights_[id].next = free_;
  free_ = id;
  --alive_;
}

void FlightPool::copy_out(FlightId id, Packet& packet) const {
  packet.header = headers_[id];
  if (const unsigned bytes = packet.header.payload_bytes(); bytes > 0)
    std::memcpy(packet.payload.data(), payloads_[id].data(), bytes);
}

}  // namespace toroid::sim
