// A packet of the fast model as routers see it: a single word.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "hal/packet.hpp"
#include "hal/route.hpp"
#include "router/sim/flight.hpp"

namespace toroid::sim::lean {

inline constexpr unsigned kMostLinks = 6;

/// hops left : 3 x 8 | minimal directions left : 6 | chunks - 1 : 3 | rule : 3 | high priority : 1
/// | flight : 27
class PacketWord {
 public:
  static constexpr unsigned kFlightBits = 27;
  /// The rule of deterministic packets. Rules 0 to 6 are the dimension orders of dynamic packets.
  static constexpr unsigned kDeterministic = 7;
  static constexpr unsigned kRules = 8;

  PacketWord() = default;
  PacketWord(const Flight& flight, FlightId id)
      : bits_(of_route(flight.route) | std::uint64_t{flight.chunks - 1u} << kChunks |
              std::uint64_t{flight.dynamic ? flight.order : kDeterministic} << kRule |
              std::uint64_t{flight.high_priority} << kPriority | std::uint64_t{id} << kFlight) {}

  std::uint64_t bits() const { return bits_; }
  unsigned directions() const { return static_cast<unsigned>(bits_ >> kDirections) & 63u; }
  unsigned chunks_less_1() const { return static_cast<unsigned>(bits_ >> kChunks) & 7u; }
  unsigned rule() const { return static_cast<unsigned>(bits_ >> kRule) & 7u; }
  bool high_priority() const { return (bits_ >> kPriority & 1u) != 0; }
  FlightId flight() const { return static_cast<FlightId>(bits_ >> kFlight); }

  /// Makes a hop along a link that has hops left. The last hop in a direction removes this
  /// direction. Every hop removes the opposite direction, which can only be present if both were
  /// equally short.
  void advance(unsigned link) {
    const Step& step = kSteps[link];
    bits_ -= step.hop;
    const auto last = static_cast<std::uint64_t>((bits_ & step.left) == 0);
    // There is no branch, because it is hard to predict whether this hop is the last.
    bits_ &= ~((step.direction & (0 - last)) | step.opposite);
  }

 private:
  /// The first six bytes of a Route are its counts of hops, the last two its directions.
  static std::uint64_t of_route(const Route& route) {
    static_assert(std::endian::native == std::endian::little && sizeof(Route) == 8);
    const auto bits = std::bit_cast<std::uint64_t>(route);
    return (bits & 0xffffffu) | (bits >> 48 & 63u) << kDirections;
  }

  static constexpr unsigned kDirections = 24;
  static constexpr unsigned kChunks = 30;
  static constexpr unsigned kRule = 33;
  static constexpr unsigned kPriority = 36;
  static constexpr unsigned kFlight = 37;
  /// The parts of the word that a hop by a link changes.
  struct Step {
    std::uint64_t hop;        ///< one hop in the count of hops left
    std::uint64_t left;       ///< mask of the count of hops left
    std::uint64_t direction;  ///< bit of the direction
    std::uint64_t opposite;   ///< bit of the opposite direction
  };
  static constexpr std::array<Step, kMostLinks> kSteps = [] {
    std::array<Step, kMostLinks> steps{};
    for (unsigned link = 0; link < kMostLinks; ++link)
      steps[link] = {std::uint64_t{1} << 8 * (link / 2), std::uint64_t{0xff} << 8 * (link / 2),
                     std::uint64_t{1} << (kDirections + link),
                     std::uint64_t{1} << (kDirections + (link ^ 1u))};
    return steps;
  }();
  static_assert(kFlight + kFlightBits == 64 && kMaxChunks == 8);

  std::uint64_t bits_ = 0;
};

}  // namespace toroid::sim::lean
