// A packet under way, as routers see it.
#pragma once

#include <cstdint>

#include "hal/dimension_order.hpp"
#include "hal/direction.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"

namespace toroid::sim {

/// A packet under way, in whichever block. It keeps its number until it is taken out.
using FlightId = std::uint32_t;
inline constexpr FlightId kNoFlight = ~FlightId{0};

/// The reception FIFO of what is taken out of the network since no way is left to it.
inline constexpr std::uint8_t kNowhere = 127;

/// 16 bytes: four to a cache line.
struct Flight {
  Route route;                ///< that is left
  FlightId next = kNoFlight;  ///< the packet behind it in its FIFO
  std::uint8_t chunks = 0;
  bool dynamic : 1 = false;
  bool high_priority : 1 = false;
  std::uint8_t delivered_from : 6 = 0;  ///< the source, once it has been delivered
  std::uint8_t reception_fifo : 7 = 0;  ///< that it is in, likewise
  bool is_engines : 1 = false;          ///< from DMA engine to DMA engine, past the processors
  DimensionOrder order = 0;             ///< of dimensions, that it keeps to

  DirectionSet directions() const { return route.directions; }
  /// One hop in a direction that is still to go; the last one crosses it off, and each the opposite
  /// one, which was as short before.
  void advance(Direction direction) {
    const unsigned left = --route.hops[direction.dim()];
    route.directions = DirectionSet(static_cast<std::uint16_t>(
        route.directions.bits() &
        ~((left == 0 ? 1u : 0u) << direction.index | 1u << direction.opposite().index)));
  }
};
static_assert(sizeof(Flight) == 16);

/// A packet's identity, for probes and for whoever misses it.
struct FlightTag {
  std::uint64_t serial;
  Rank source;
};

}  // namespace toroid::sim
