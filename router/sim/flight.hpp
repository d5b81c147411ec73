// A packet in flight, as routers see it.
#pragma once

#include <cstdint>

#include "hal/dimension_order.hpp"
#include "hal/direction.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"

namespace toroid::sim {

/// The number of a packet in flight, in any block. It stays the same until the packet is removed.
using FlightId = std::uint32_t;
inline constexpr FlightId kNoFlight = ~FlightId{0};

/// Flight::reception_fifo of a packet that is removed because it has no path left.
inline constexpr std::uint8_t kNowhere = 127;

/// Flight::reception_fifo of a packet from another rank of the same node: it is in the node's
/// memory.
inline constexpr std::uint8_t kInMemory = 126;

/// 16 bytes: four to a cache line.
struct Flight {
  Route route;                ///< the rest of its route
  FlightId next = kNoFlight;  ///< the next packet in its FIFO
  std::uint8_t chunks = 0;
  bool dynamic : 1 = false;
  bool high_priority : 1 = false;
  std::uint8_t delivered_from : 6 = 0;  ///< the input it came from, once delivered
  std::uint8_t reception_fifo : 7 = 0;  ///< the FIFO it is in, once delivered
  bool is_engines : 1 = false;          ///< from DMA engine to DMA engine, bypassing the processors
  DimensionOrder order = 0;             ///< the packet's own dimension order, if any

  DirectionSet directions() const { return route.directions; }
  /// Makes a hop in a direction that has hops left. The last hop in a direction removes this
  /// direction. Every hop removes the opposite direction, which can only be present if both were
  /// equally short.
  void advance(Direction direction) {
    const unsigned left = --route.hops[direction.dim()];
    route.directions = DirectionSet(static_cast<std::uint16_t>(
        route.directions.bits() &
        ~((left == 0 ? 1u : 0u) << direction.index | 1u << direction.opposite().index)));
  }
};
static_assert(sizeof(Flight) == 16);

/// A packet's identity, for probes and for reports of lost packets.
struct FlightTag {
  std::uint64_t serial;
  Rank source;
};

}  // namespace toroid::sim
