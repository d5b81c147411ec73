#include "router/sim/flight.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "hal/check.hpp"
#include "hal/packet.hpp"
#include "hal/route.hpp"
#include "hal/send_descriptor.hpp"
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
                  .order = header.order()};
  headers_[id] = header;
  TOROID_CHECK(descriptor.source != nullptr || header.payload_bytes() == 0);
  if (descriptor.source != nullptr) gather(descriptor, id);
  return id;
}

FlightId FlightPool::add(const Flight& flight, const PacketHeader& header,
                         std::span<const std::byte> payload) {
  const FlightId id = allocate();
  flights_[id] = flight;
  headers_[id] = header;
  std::ranges::copy(payload,
                    payloads_.room(id, header.payload_bytes(), flights_.capacity()).begin());
  return id;
}

void FlightPool::gather(const SendDescriptor& descriptor, FlightId id) {
  std::array<std::byte, kPayloadBytes> payload;
  const std::uint32_t argument = descriptor.source->gather(descriptor, descriptor.first, payload);
  headers_[id] = descriptor.header.with_argument(argument);
  const unsigned bytes = descriptor.header.payload_bytes();
  const std::span<std::byte> room = payloads_.room(id, bytes, flights_.capacity());
  if (bytes > 0) std::memcpy(room.data(), payload.data(), bytes);
}

void FlightPool::remove(FlightId id) {
  flights_[id].next = free_;
  free_ = id;
  --alive_;
}

void FlightPool::copy_out(FlightId id, Packet& packet) const {
  packet.header = headers_[id];
  if (const auto bytes = payload(id); !bytes.empty())
    std::memcpy(packet.payload.data(), bytes.data(), bytes.size());
}

}  // namespace toroid::sim
