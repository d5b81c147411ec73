// Shortest ways over the torus, and what to do where two are equally short.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "hal/direction.hpp"
#include "hal/random.hpp"
#include "hal/shape.hpp"

namespace toroid {

/// Distance exactly k/2 on an even ring: both directions are minimal. Which one is taken is a knob.
enum class TieRule : std::uint8_t {
  parity,    ///< from even coordinates by +, from odd by -: what the Blue Gene/L does; balances
             ///< exactly where the extent is a multiple of 4
  split,     ///< a coin for every packet: balances on average
  plus,      ///< always +: costs a quarter of the bandwidth at extent 8
  minus,     ///< always -
  balanced,  ///< parity of the source's coordinate and of all coordinates off the ring: every link
             ///< of a whole-machine all-to-all carries the bound, rounded up, at every even extent
};

// On a twisted torus ways of any number may be equally short, which ShortestWays puts in order.
// There plus takes the first, minus the last, split any; parity goes by the sum of the source's
// coordinates modulo the number of ways, balanced by that of the source's and the destination's.

/// The names a user types, in the order of the enumeration.
inline constexpr std::array<std::string_view, 5> kTieRuleNames = {"parity", "split", "plus",
                                                                  "minus", "balanced"};

/// The way still to go: hops left and the one direction to take, per dimension.
struct Route {
  std::array<std::uint8_t, kMaxDims> hops{};
  DirectionSet directions;

  unsigned total_hops() const;
};

/// Hints from `from` to `to` along shortest ways. `random` is drawn from only by TieRule::split,
/// once per tied dimension.
DirectionSet minimal_directions(const Shape& shape, const Coord& from, const Coord& to,
                                TieRule rule, Random& random);

/// The route that hints describe; none if they do not lead from `from` to `to`: both directions of
/// a dimension, a missing or superfluous one, or one that runs into a mesh's edge.
std::optional<Route> route_along(const Shape& shape, const Coord& from, const Coord& to,
                                 DirectionSet hints);

/// The hints of a packet for `to` that are still to be followed at `here`. On a twisted torus a
/// packet may have gone some of several ways that its hints describe: then any of those left.
DirectionSet directions_left(const Shape& shape, const Coord& here, const Coord& to,
                             DirectionSet hints);

/// Length of a shortest way.
unsigned minimal_hops(const Shape& shape, const Coord& from, const Coord& to);

}  // namespace toroid
