// Injection FIFOs as the processor sees them: how full they are, and the directions that software
// ties to each.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "hal/direction.hpp"
#include "hal/shape.hpp"

namespace toroid {

/// One injection FIFO. The hardware ties no FIFO to a link; software does (patent, last paragraphs
/// of the description).
struct InjectionFifo {
  DirectionSet directions;  ///< packets placed here can leave by one of these
  unsigned capacity = 0;    ///< chunks
  unsigned used = 0;        ///< chunks

  bool has_room(unsigned chunks) const { return used + chunks <= capacity; }
};

/// Which FIFOs take the packets of which directions.
enum class FifoTying : std::uint8_t {
  per_direction,  ///< FIFO i serves link i modulo the number of links; with fewer FIFOs than links
                  ///< each FIFO carries several directions
  per_dimension,  ///< both directions of a dimension share a FIFO
  any,            ///< every FIFO takes every packet
};
inline constexpr std::array<std::string_view, 3> kFifoTyingNames = {"per-direction",
                                                                    "per-dimension", "any"};

/// `count` FIFOs of `capacity` chunks. Every link of the shape is served by at least one of them.
/// REQUIRES: count > 0.
std::vector<InjectionFifo> tie_fifos(const Shape& shape, unsigned count, unsigned capacity,
                                     FifoTying tying = FifoTying::per_direction);

}  // namespace toroid
