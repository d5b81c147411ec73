// Injection FIFOs as the processor sees them: how full they are, and the directions that software
// ties to each.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hal/check.hpp"
#include "hal/direction.hpp"
#include "hal/fair_maps.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"

namespace toroid {

/// One injection FIFO. The hardware does not tie FIFOs to links; software does (patent, last
/// paragraphs of the description).
struct InjectionFifo {
  DirectionSet directions;  ///< a packet is put here only if it may go in one of these
  unsigned capacity = 0;    ///< chunks
  unsigned used = 0;        ///< chunks
};

/// The injection FIFOs of a node. They are stored as short vectors, because FIG. 10 looks at all of
/// them for every packet. With vectors it looks at eight at once and without a branch.
class InjectionFifos {
 public:
  static constexpr unsigned kMost = 16;
  static constexpr unsigned kMostChunks = 8192;  ///< per FIFO
  static constexpr unsigned kNone = kMost;       ///< stands for no FIFO

  InjectionFifos() = default;
  /// REQUIRES: at most kMost FIFOs, each with a capacity of at most kMostChunks.
  explicit InjectionFifos(std::span<const InjectionFifo> fifos);

  unsigned size() const { return count_; }
  InjectionFifo operator[](unsigned f) const { return {directions(f), used(f) + room(f), used(f)}; }
  unsigned used(unsigned f) const { return halves_[f / kLanes].used[f % kLanes]; }
  /// Number of free chunks.
  unsigned room(unsigned f) const { return halves_[f / kLanes].room[f % kLanes]; }
  DirectionSet directions(unsigned f) const {
    return DirectionSet(halves_[f / kLanes].directions[f % kLanes]);
  }
  /// Whether a packet of this many chunks fits into the FIFO and may go in a direction that it
  /// serves.
  bool takes(unsigned f, DirectionSet possible, unsigned chunks) const {
    return directions(f).meets(possible) && room(f) >= chunks;
  }
  /// Adds packets of `chunks` chunks in all. REQUIRES: they fit.
  void add(unsigned f, unsigned chunks) {
    TOROID_CHECK_IN_CHECKED_BUILD(chunks <= room(f));
    move(f, chunks);
  }
  /// Removes packets of `chunks` chunks in all. REQUIRES: they were there.
  void release(unsigned f, unsigned chunks) {
    TOROID_CHECK_IN_CHECKED_BUILD(chunks <= used(f));
    move(f, 0u - chunks);
  }
  /// The number of FIFOs that serve any of the directions.
  unsigned serving(DirectionSet possible) const {
    unsigned count = 0;
    for (unsigned f = 0; f < count_; ++f) count += directions(f).meets(possible) ? 1u : 0u;
    return count;
  }

  /// The directions in which a packet of this many chunks finds room: every DrainRule finds a FIFO
  /// for each of these directions and none for the others.
  DirectionSet open(unsigned chunks) const {
    Eight open = open_among(halves_[0], chunks);
    if (count_ > kLanes) open |= open_among(halves_[1], chunks);
    open |= other_half(open);
    open |= other_quarter(open);
    const unsigned two = first_two(open);
    return DirectionSet(static_cast<std::uint16_t>(two | two >> 16));
  }
  /// Steps 1012 and 1014 of FIG. 10: the number of the least full FIFO among those that take a
  /// packet; kNone if none takes it. `turn` decides between equally full ones, and goes on if it
  /// has decided. Over kTurns decisions, each of two or three FIFOs of eight is chosen equally
  /// often.
  unsigned least_full(DirectionSet possible, unsigned chunks, unsigned& turn) const {
    const Least low = least_among(halves_[0], possible, chunks, turn);
    const Least high = count_ <= kLanes ? Least{kNone, kLargest, false}
                                        : least_among(halves_[1], possible, chunks, turn);
    const bool equal = low.used == high.used && low.used != kLargest;
    const bool is_low = low.used < high.used || (equal && turn % 2 == 0);
    const Least& least = is_low ? low : high;
    turn += equal || least.is_tied ? 1 : 0;
    if (turn == kTurns) turn = 0;
    if (least.lane == kNone) return kNone;
    return is_low ? least.lane : kLanes + least.lane;
  }
  static constexpr unsigned kTurns = FairMaps<3>::kMaps * FairMaps<3>::kElements;

 private:
  static constexpr unsigned kLanes = 8;
  static constexpr unsigned kLargest = 0xffffu;
  using Eight [[gnu::vector_size(16)]] = std::int16_t;
  using Levels = std::array<std::uint16_t, kLanes>;
  /// Eight FIFOs. Most nodes have no more; one cache line then holds them and the number of FIFOs.
  struct Half {
    Levels used{};
    Levels room{};
    Levels directions{};
  };
  /// [FIFO]: lanes in which all bits of this FIFO's lane are set.
  static constexpr std::array<Levels, kLanes> kOne = [] {
    std::array<Levels, kLanes> one{};
    for (unsigned f = 0; f < kLanes; ++f) one[f][f] = 0xffffu;
    return one;
  }();

  /// Writes all eight lanes, because processors delay a read of eight lanes if one of them alone
  /// has just been written.
  void move(unsigned f, unsigned chunks) {
    Half& half = halves_[f / kLanes];
    const Eight moved = eight(kOne[f % kLanes]) & all(chunks);
    store(eight(half.used) + moved, half.used);
    store(eight(half.room) - moved, half.room);
  }
  static Eight eight(const Levels& levels) {
    Eight lanes;
    std::memcpy(&lanes, levels.data(), sizeof lanes);
    return lanes;
  }
  static void store(Eight lanes, Levels& levels) {
    std::memcpy(levels.data(), &lanes, sizeof lanes);
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

  static Eight open_among(const Half& half, unsigned chunks) {
    return eight(half.directions) & (eight(half.room) >= all(chunks));
  }
  /// [turn]: the rank of each lane among equals, with the sign bit flipped.
  static constexpr std::array<Levels, kTurns> kRanks = [] {
    std::array<Levels, kTurns> ranks{};
    for (unsigned turn = 0; turn < kTurns; ++turn)
      for (unsigned lane = 0; lane < kLanes; ++lane)
        ranks[turn][lane] = static_cast<std::uint16_t>(
            (kFairMaps<3>.rank[turn / kLanes][lane] ^ turn % kLanes) | 0x8000u);
    return ranks;
  }();
  struct Least {
    unsigned lane;  ///< kNone if no FIFO takes the packet
    unsigned used;  ///< chunks; kLargest if no FIFO takes the packet
    bool is_tied;   ///< whether another FIFO is equally full
  };
  /// The least full of a half's FIFOs that take a packet. Each lane becomes a number, used · kLanes
  /// + rank, and the least number wins. Lanes are signed, so the numbers are compared with their
  /// sign bits flipped, which makes the order that of unsigned numbers.
  static Least least_among(const Half& half, DirectionSet possible, unsigned chunks,
                           unsigned turn) {
    const Eight serves = (eight(half.directions) & all(possible.bits())) != all(0);
    const Eight fits = serves & (eight(half.room) >= all(chunks));
    const Eight keys = (eight(half.used) << 3) ^ eight(kRanks[turn]);
    Eight least = (keys & fits) | (all(0x7fffu) & ~fits);
    least = lesser(least, other_half(least));
    least = lesser(least, other_quarter(least));
    const unsigned two = first_two(least);
    const auto lower = static_cast<std::int16_t>(two);
    const auto upper = static_cast<std::int16_t>(two >> 16);
    const unsigned key = static_cast<std::uint16_t>(std::min(lower, upper)) ^ 0x8000u;
    const unsigned used = key / kLanes;
    const std::uint64_t found = lanes_in((eight(half.used) == all(used)) & fits);
    if (found == 0) return {kNone, kLargest, false};
    return {kFairMaps<3>.element[turn / kLanes][(key ^ turn) % kLanes], used,
            (found & (found - 1)) != 0};
  }
  /// One bit for each lane of ones.
  static std::uint64_t lanes_in(Eight lanes) {
    const auto words = std::bit_cast<std::array<std::uint64_t, 2>>(lanes);
    return (words[0] & 0x0001000100010001u) | (words[1] & 0x0002000200020002u);
  }

  unsigned count_ = 0;
  std::array<Half, kMost / kLanes> halves_;
};

/// The rule by which FIFOs are tied to directions.
enum class FifoTying : std::uint8_t {
  per_direction,  ///< FIFO i serves link i modulo the number of links; if there are fewer FIFOs
                  ///< than links, some FIFOs serve several links
  per_dimension,  ///< a FIFO serves both directions of a dimension
  any,            ///< every FIFO takes every packet
};
inline constexpr std::array<std::string_view, 3> kFifoTyingNames = {"per-direction",
                                                                    "per-dimension", "any"};

/// The links that each injection FIFO of a node serves: by a rule, or by a table with a set of
/// links for each FIFO.
class FifoLinks {
 public:
  /// Stands in a table for all links of a node.
  static constexpr DirectionSet kAny = kAllLinks;

  constexpr FifoLinks(FifoTying rule = FifoTying::per_direction) : rule_(rule) {}
  /// A table. Throws BadInput unless it has from 1 to InjectionFifos::kMost sets.
  explicit FifoLinks(std::span<const DirectionSet> table);
  /// Reads a table such as "X+X-,Y+Y-,any": the links of each FIFO, separated by commas. Throws
  /// BadInput if the text is malformed.
  static FifoLinks parse(std::string_view text);

  /// The rule; without meaning if there is a table.
  FifoTying rule() const { return rule_; }
  bool is_table() const { return count_ > 0; }
  /// [FIFO]; empty if there is a rule.
  std::span<const DirectionSet> table() const { return std::span(table_).first(count_); }
  /// The rule's name, or the table as parse() reads it.
  std::string text() const;
  /// Why the table does not suit a machine with `fifos` injection FIFOs and this shape; empty if it
  /// does, or if there is a rule.
  std::string fault(const Shape& shape, unsigned fifos) const;

  bool operator==(const FifoLinks&) const = default;

 private:
  FifoTying rule_;
  std::uint8_t count_ = 0;
  std::array<DirectionSet, InjectionFifos::kMost> table_{};
};

/// [FIFO]: the links of the shape that each of `count` FIFOs serves. Each link is served by at
/// least one FIFO. REQUIRES: count > 0. Throws BadInput if `links` has a fault().
std::vector<DirectionSet> links_of_fifos(const Shape& shape, unsigned count,
                                         const FifoLinks& links);
/// All injection FIFOs of a node, empty: those of normal priority, then those of high priority,
/// which serve kHighPriority only. If nodes have several ranks, a last one stands for the node's
/// memory: it takes the packets between these ranks, which leave it at once, and is none of the
/// machine's FIFOs. Throws BadInput if `links` has a fault(), or if the numbers do not suffice.
std::vector<InjectionFifo> fifos_of_node(const Shape& shape, const Machine& machine,
                                         const FifoLinks& links);
/// Makes `count` empty FIFOs of `capacity` chunks each that serve links_of_fifos(). REQUIRES: count
/// > 0.
std::vector<InjectionFifo> tie_fifos(const Shape& shape, unsigned count, unsigned capacity,
                                     const FifoLinks& links = FifoTying::per_direction);

}  // namespace toroid
