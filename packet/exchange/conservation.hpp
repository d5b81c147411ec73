// Checks that every packet has arrived exactly once. A few sums per node are enough, so memory does
// not grow with the square of the number of nodes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "hal/shape.hpp"

namespace toroid {

/// Sums over the packets that have arrived at a node, or are expected there; modulo 2^64.
struct Arrivals {
  std::uint64_t packets = 0;
  std::uint64_t origins = 0;  ///< sum of (origin + 1) over the packets
  std::uint64_t squares = 0;  ///< sum of the squares of these numbers
  std::uint64_t numbers = 0;  ///< sum of the packets' numbers in their messages

  /// Adds the packets `first` to `first + count - 1` of a message from `origin`.
  void add(Rank origin, std::uint32_t first, std::uint64_t count = 1) {
    const std::uint64_t one = std::uint64_t{origin} + 1;
    packets += count;
    origins += count * one;
    squares += count * one * one;
    numbers += count * first + count * (count - 1) / 2;
  }
  Arrivals& operator+=(const Arrivals& other) {
    packets += other.packets;
    origins += other.origins;
    squares += other.squares;
    numbers += other.numbers;
    return *this;
  }
  bool operator==(const Arrivals&) const = default;
};

/// Describes how `received` differs from `expected` at node `to`; none if it does not differ. Names
/// the source if all lost or surplus packets come from the same node. Names two sources if one
/// packet of one source is lost and one packet of another is surplus.
std::optional<std::string> difference(const Shape& shape, Rank to, const Arrivals& expected,
                                      const Arrivals& received);
/// Like difference(), but returns none if it cannot name a source.
std::optional<std::string> named_difference(const Shape& shape, Rank to, const Arrivals& expected,
                                            const Arrivals& received);

}  // namespace toroid
