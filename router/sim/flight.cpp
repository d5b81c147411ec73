#include "router/sim/flight.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

#include "hal/check.hpp"
#include "hal/packet.hpp"

namespace toroid::sim {

FlightId FlightPool::grow() {
  const auto id = static_cast<FlightId>(slots_.size());
  if (id >> most_bits_ != 0)
    throw RunFailed(fmt::format("more than 2^{} packets under way at once", most_bits_));
  slots_.emplace_back();
  return id;
}

FlightId FlightPool::add(const Flight& flight, const PacketHeader& header,
                         std::span<const std::byte> payload) {
  const FlightId id = allocate();
  slots_[id] = {flight, header};
  std::ranges::copy(payload, payloads_.room(id, header.payload_bytes(), slots_.capacity()).begin());
  return id;
}

}  // namespace toroid::sim
