// Shortest paths over the torus, and the choice between equally short ones.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "hal/direction.hpp"
#include "hal/random.hpp"
#include "hal/shape.hpp"

namespace toroid {

/// The rule for the direction of a packet that travels exactly k/2 hops on a ring of even extent k,
/// where both directions are minimal.
enum class TieRule : std::uint8_t {
  parity,    ///< from even coordinates by +, from odd by -, as on the Blue Gene/L; balances exactly
             ///< if the extent is a multiple of 4
  split,     ///< a coin toss for every packet: balances on average
  plus,      ///< always +: costs a quarter of the bandwidth at extent 8
  minus,     ///< always -
  balanced,  ///< by + if the source's coordinate on the ring and both nodes' other coordinates have
             ///< an even sum, otherwise by -. So at every even extent, the hottest link of an
             ///< all-to-all of the whole machine carries exactly the bound, rounded up
  both,      ///< both hint bits are set: routers send an adaptive packet by the link that is free
             ///< first, and this first hop decides the direction. Works like alternate for
             ///< deterministic packets
  alternate,  ///< decided when a packet is injected: it goes in the direction of its FIFO, and in
              ///< other dimensions by + and by - in turn. Until then its descriptor has both hints
};

// On a twisted torus any number of paths may be equally short; ShortestWays orders them. There plus
// takes the first path, minus the last, split, both and alternate a random one; parity takes the
// path whose number is the sum of the source's coordinates modulo the number of paths, and balanced
// the same with the sum of the source's and the destination's coordinates.

/// The names a user types, in the order of the enumeration.
inline constexpr std::array<std::string_view, 7> kTieRuleNames = {
    "parity", "split", "plus", "minus", "balanced", "both", "alternate"};

/// The rest of a packet's path: the hops left in each dimension, and their directions. Under
/// TieRule::both and alternate, a dimension whose two directions are equally short has both.
struct Route {
  std::array<std::uint8_t, kMaxDims> hops{};
  DirectionSet directions;

  unsigned total_hops() const;
};

/// Whether hints have both directions of a dimension.
constexpr bool both_hints(DirectionSet hints) {
  return (hints.bits() & hints.bits() >> 1 & 0x555u) != 0;
}

// If nodes have several ranks, these functions concern the nodes: a rank's processor number makes
// no difference, and there is no hop between ranks of one node.

/// Hints from `from` to `to` along shortest paths; both directions of a tied dimension under
/// TieRule::both and alternate. Only TieRule::split draws from `random`, once per tied dimension,
/// and on a twisted torus both and alternate, once per choice.
DirectionSet minimal_directions(const Shape& shape, const Coord& from, const Coord& to,
                                TieRule rule, Random& random);

/// The route that hints describe; the hints of Shape::within_node() describe one without hops. None
/// if the hints do not lead from `from` to `to`:
/// - a direction is missing, or there is one too many;
/// - a direction runs into a mesh's edge;
/// - both directions of a dimension are set, but one is shorter.
std::optional<Route> route_along(const Shape& shape, const Coord& from, const Coord& to,
                                 DirectionSet hints);

/// The hints that a packet for `to` still has to follow at `here`. If its hints describe several
/// paths (on a twisted torus, or with both hints of a dimension), returns the directions of all
/// paths that are still possible after the hops so far.
DirectionSet directions_left(const Shape& shape, const Coord& here, const Coord& to,
                             DirectionSet hints);

/// The number of hops of a shortest path.
unsigned minimal_hops(const Shape& shape, const Coord& from, const Coord& to);

}  // namespace toroid
