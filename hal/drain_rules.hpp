// Which injection FIFO takes a packet: the patent's rule, and those that it is compared with.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "hal/direction.hpp"
#include "hal/injection_fifo.hpp"

namespace toroid {

/// Steps 1012 and 1014: the least full FIFO with room among those that serve a possible direction;
/// the first of equals.
inline std::optional<unsigned> least_full(std::span<const InjectionFifo> fifos,
                                          DirectionSet possible, unsigned chunks) {
  // The minimum of (used, index) without a branch, since which FIFO it is cannot be predicted.
  constexpr std::uint64_t kNone = ~std::uint64_t{0};
  std::uint64_t best = kNone;
  for (unsigned f = 0; f < fifos.size(); ++f) {
    const unsigned fits =
        unsigned{fifos[f].directions.meets(possible)} & unsigned{fifos[f].has_room(chunks)};
    const std::uint64_t unless_it_fits = std::uint64_t{fits} - 1;  // all bits or none
    best = std::min(best, unless_it_fits | std::uint64_t{fifos[f].used} << 32 | f);
  }
  if (best == kNone) return std::nullopt;
  return static_cast<unsigned>(best);
}

/// The directions in which a packet of so many chunks finds room: every rule names a FIFO for these
/// and none for the others. Not inlined: FIFOs are few, and compilers prepare vectors for this loop
/// in the loops around it.
[[gnu::noinline]] inline DirectionSet open_directions(std::span<const InjectionFifo> fifos,
                                                      unsigned chunks) {
  unsigned open = 0;
  for (const InjectionFifo& fifo : fifos)
    open |= fifo.directions.bits() * (fifo.has_room(chunks) ? 1u : 0u);  // without a branch
  return DirectionSet(static_cast<std::uint16_t>(open));
}

/// Which FIFO takes the packet at the head of a queue, of the FIFOs in its possible directions that
/// have room.
enum class DrainRule : std::uint8_t {
  least_full,   ///< the least full (patent, FIG. 10)
  first_fit,    ///< the first
  round_robin,  ///< the first behind the one that took the last packet
};
inline constexpr std::array<std::string_view, 3> kDrainRuleNames = {"least-full", "first-fit",
                                                                    "round-robin"};

/// The first FIFO with room at or after `begin`, cyclically, among those that serve a possible
/// direction.
inline std::optional<unsigned> first_fit(std::span<const InjectionFifo> fifos,
                                         DirectionSet possible, unsigned chunks, unsigned begin) {
  const auto count = static_cast<unsigned>(fifos.size());
  for (unsigned i = 0, f = begin; i < count; ++i, f = f + 1 == count ? 0 : f + 1)
    if (fifos[f].directions.meets(possible) && fifos[f].has_room(chunks)) return f;
  return std::nullopt;
}

}  // namespace toroid
