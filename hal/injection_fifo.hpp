// Injection FIFOs as the processor sees them: how full they are, and the directions that software
// ties to each.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
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
};

/// The injection FIFOs of a node, as short vectors: FIG. 10 looks at all of them for every packet,
/// eight at once and without a branch.
class InjectionFifos {
 public:
  static constexpr unsigned kMost = 16;
  static constexpr unsigned kMostChunks = 8192;  ///< of one

  InjectionFifos() = default;
  /// REQUIRES: at most kMost, of at most kMostChunks chunks each.
  explicit InjectionFifos(std::span<const InjectionFifo> fifos);

  unsigned size() const { return count_; }
  InjectionFifo operator[](unsigned f) const {
    return {DirectionSet(directions_[f]), unsigned{used_[f]} + room_[f], used_[f]};
  }
  unsigned used(unsigned f) const { return used_[f]; }
  /// Chunks that find room.
  unsigned room(unsigned f) const { return room_[f]; }
  /// Whether a packet of so many chunks that may go in these directions can be put there.
  bool takes(unsigned f, DirectionSet possible, unsigned chunks) const {
    return (directions_[f] & possible.bits()) != 0 && room_[f] >= chunks;
  }
  /// Packets are put there. REQUIRES: they find room.
  void add(unsigned f, unsigned chunks) {
    used_[f] = static_cast<std::uint16_t>(used_[f] + chunks);
    room_[f] = static_cast<std::uint16_t>(room_[f] - chunks);
  }
  /// Packets have left. REQUIRES: they were there.
  void release(unsigned f, unsigned chunks) {
    used_[f] = static_cast<std::uint16_t>(used_[f] - chunks);
    room_[f] = static_cast<std::uint16_t>(room_[f] + chunks);
  }
  /// The number of FIFOs that serve any of the directions.
  unsigned serving(DirectionSet possible) const {
    unsigned count = 0;
    for (unsigned f = 0; f < count_; ++f)
      count += (directions_[f] & possible.bits()) != 0 ? 1u : 0u;
    return count;
  }

  /// The directions in which a packet of so many chunks finds room: every rule of FIG. 10 names a
  /// FIFO for these and none for the others.
  DirectionSet open(unsigned chunks) const {
    Eight open = open_among(0, chunks);
    if (count_ > kLanes) open |= open_among(kLanes, chunks);
    open |= other_half(open);
    open |= other_quarter(open);
    const unsigned two = first_two(open);
    return DirectionSet(static_cast<std::uint16_t>(two | two >> 16));
  }
  /// Steps 1012 and 1014 of FIG. 10: the least full of those that take a packet; the first of
  /// equals. If none does, any of them: takes() tells.
  unsigned least_full(DirectionSet possible, unsigned chunks) const {
    const unsigned first = least_full_among(0, possible, chunks);
    if (count_ <= kLanes) return first;
    const unsigned other = kLanes + least_full_among(kLanes, possible, chunks);
    if (!takes(other, possible, chunks)) return first;
    return takes(first, possible, chunks) && used_[first] <= used_[other] ? first : other;
  }

 private:
  static constexpr unsigned kLanes = 8;
  using Eight [[gnu::vector_size(16)]] = std::int16_t;
  using Levels = std::array<std::uint16_t, kMost>;

  static Eight eight(const Levels& levels, unsigned from) {
    Eight lanes;
    std::memcpy(&lanes, &levels[from], sizeof lanes);
    return lanes;
  }
  static Eight all(unsigned value) {
    const auto v = static_cast<std::int16_t>(value);
    return Eight{v, v, v, v, v, v, v, v};
  }
  static Eight lesser(Eight a, Eight b) { return a < b ? a : b; }
  static Eight other_half(Eight a) { return __builtin_shufflevector(a, a, 4, 5, 6, 7, 0, 1, 2, 3); }
  static Eight other_quarter(Eight a) {
    return __builtin_shufflevector(a, a, 2, 3, 0, 1, 6, 7, 4, 5);
  }
  /// The first two lanes in one word; their order depends on the host and does not matter.
  static unsigned first_two(Eight lanes) {
    std::uint32_t two;
    std::memcpy(&two, &lanes, sizeof two);
    return two;
  }

  Eight open_among(unsigned from, unsigned chunks) const {
    return eight(directions_, from) & (eight(room_, from) >= all(chunks));
  }
  /// The minimum of (chunks used, number), as one signed word each.
  unsigned least_full_among(unsigned from, DirectionSet possible, unsigned chunks) const {
    constexpr Eight kNumbers = {0, 1, 2, 3, 4, 5, 6, 7};
    const Eight serves = (eight(directions_, from) & all(possible.bits())) != all(0);
    const Eight fits = serves & (eight(room_, from) >= all(chunks));
    const Eight keys = ((eight(used_, from) << 3) | kNumbers) ^ all(0x8000u);
    Eight least = (keys & fits) | (all(0x7fffu) & ~fits);
    least = lesser(least, other_half(least));
    least = lesser(least, other_quarter(least));
    const unsigned two = first_two(least);
    const auto lower = static_cast<std::int16_t>(two);
    const auto upper = static_cast<std::int16_t>(two >> 16);
    return static_cast<unsigned>(std::min(lower, upper)) & (kLanes - 1);
  }

  alignas(16) Levels used_{};
  alignas(16) Levels room_{};
  alignas(16) std::array<std::uint16_t, kMost> directions_{};
  unsigned count_ = 0;
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
