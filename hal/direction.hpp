// A link direction (X+, X-, Y+, ...), and sets of directions such as the header's hint bits.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hal/check.hpp"

namespace toroid {

inline constexpr unsigned kMaxDims = 6;
inline constexpr unsigned kMaxLinks = 2 * kMaxDims;

/// Dimension names in order; the first three are the Blue Gene/L's.
inline constexpr std::array<char, kMaxDims> kDimNames = {'X', 'Y', 'Z', 'U', 'V', 'W'};

/// index = 2·dimension + (0 for plus, 1 for minus).
struct Direction {
  std::uint8_t index = 0;

  static constexpr Direction plus(unsigned dim) { return {static_cast<std::uint8_t>(2 * dim)}; }
  static constexpr Direction minus(unsigned dim) {
    return {static_cast<std::uint8_t>(2 * dim + 1)};
  }
  constexpr unsigned dim() const { return index / 2u; }
  constexpr bool is_minus() const { return (index & 1u) != 0; }
  constexpr Direction opposite() const { return {static_cast<std::uint8_t>(index ^ 1u)}; }
  /// The direction with this name among the first `links`; none if there is none.
  static std::optional<Direction> named(std::string_view name, unsigned links) {
    for (std::uint8_t l = 0; l < links; ++l)
      if (name == Direction{l}.name()) return Direction{l};
    return std::nullopt;
  }
  std::string name() const { return {kDimNames[dim()], is_minus() ? '-' : '+'}; }
  constexpr bool operator==(const Direction&) const = default;
};

/// A set of directions. Bit i stands for the Direction with index i.
class DirectionSet {
 public:
  constexpr DirectionSet() = default;
  explicit constexpr DirectionSet(std::uint16_t bits) : bits_(bits) {}

  constexpr std::uint16_t bits() const { return bits_; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr unsigned size() const { return static_cast<unsigned>(std::popcount(bits_)); }
  constexpr bool has(Direction d) const { return ((bits_ >> d.index) & 1u) != 0; }
  constexpr bool meets(DirectionSet other) const { return (bits_ & other.bits_) != 0; }
  constexpr void add(Direction d) { bits_ = static_cast<std::uint16_t>(bits_ | (1u << d.index)); }
  constexpr void add(DirectionSet other) {
    bits_ = static_cast<std::uint16_t>(bits_ | other.bits_);
  }
  constexpr void remove(Direction d) {
    bits_ = static_cast<std::uint16_t>(bits_ & ~(1u << d.index));
  }
  /// The first direction in dimension order, which is that of a deterministic packet's next hop.
  /// REQUIRES: not empty.
  constexpr Direction first() const {
    TOROID_CHECK_IN_CHECKED_BUILD(!empty());
    return {static_cast<std::uint8_t>(std::countr_zero(bits_))};
  }
  constexpr bool operator==(const DirectionSet&) const = default;

 private:
  std::uint16_t bits_ = 0;
};

/// Stands for high priority where an injection FIFO is chosen: among the directions that a FIFO
/// serves, and in place of a packet's hints. No link has this direction.
inline constexpr DirectionSet kHighPriority{1u << kMaxLinks};
inline constexpr DirectionSet kAllLinks{(1u << kMaxLinks) - 1};

}  // namespace toroid
