// Counts of the steps of the patent's flowcharts. They show at which step of FIG. 9 or 10 time is
// lost. The numbers in the comments are the patent's step numbers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "hal/direction.hpp"

namespace toroid {

/// [direction]: number of heads that could have left in this direction.
using DirectionCounts = std::array<std::uint64_t, kMaxLinks>;

/// Counts how often each direction occurs in many sets, without a branch. To count a set, two words
/// are added, one for directions 0 to 5 and one for directions 6 to 11. A word has six lanes of 10
/// bits, one per direction. The lanes are emptied before one can overflow.
class DirectionTally {
 public:
  /// Counts a set. If a lane may now be full, adds all lanes to `emptied` and clears them.
  void add(DirectionSet set, DirectionCounts& emptied) {
    lanes_[0] += kLanes[set.bits() & 63u];
    lanes_[1] += kLanes[set.bits() >> 6 & 63u];  // leaves out kHighPriority
    if (++sets_ < kMostSets) return;
    add_to(emptied);
    lanes_ = {};
    sets_ = 0;
  }
  void add_to(DirectionCounts& counts) const {
    for (unsigned d = 0; d < kMaxLinks; ++d)
      counts[d] += lanes_[d / 6] >> kLaneBits * (d % 6) & kMostSets;
  }

 private:
  static constexpr unsigned kLaneBits = 10;
  static constexpr unsigned kMostSets = (1u << kLaneBits) - 1;
  /// [six bits of a set]: the word with 1 in the lane of each bit that is set.
  static constexpr std::array<std::uint64_t, 64> kLanes = [] {
    std::array<std::uint64_t, 64> lanes{};
    for (unsigned bits = 0; bits < 64; ++bits)
      for (unsigned d = 0; d < 6; ++d)
        lanes[bits] |= std::uint64_t{bits >> d & 1u} << kLaneBits * d;
    return lanes;
  }();

  std::array<std::uint64_t, 2> lanes_{};
  unsigned sets_ = 0;
};

/// FIG. 9: how the output queues were filled. Counts that change in every visit come first.
struct FillProfile {
  std::uint64_t visits = 0;        ///< 910, 912: peers visited, each with the next queue in turn
  std::uint64_t empty_visits = 0;  ///< visits that had nothing for their peer
  std::uint64_t packets = 0;       ///< 914, 916: packets put into output queues
  std::uint64_t descriptors = 0;   ///< descriptors of these packets
  std::uint64_t stops = 0;         ///< fill waited because an output queue had no room
  std::uint64_t held_back = 0;     ///< fill waited for a throttle; all queues had room
  std::uint64_t rounds = 0;        ///< 906: rounds completed
  FillProfile& operator+=(const FillProfile& other);
  bool operator==(const FillProfile&) const = default;
};

/// FIG. 10: how the output queues were drained. A turn starts at 1002 and ends in one of five ways:
/// idle, without room, stuck, with all queues empty, or at the limit of packets for one turn.
struct DrainProfile {
  std::uint64_t turns = 0;           ///< 1002
  std::uint64_t queued = 0;          ///< packets in the queues when a turn began, summed over turns
  std::uint64_t most_queued = 0;     ///< the most packets in a node's queues when a turn began
  std::uint64_t full_turns = 0;      ///< ended because no FIFO had room for any packet at all
  std::uint64_t packets = 0;         ///< 1014: heads that found a FIFO and were moved
  std::uint64_t idle_turns = 0;      ///< 1004: all queues were empty from the start
  std::uint64_t stuck_turns = 0;     ///< ended because every head found its FIFOs full (1012)
  std::uint64_t stuck_heads = 0;     ///< 1012: stuck heads when a turn ended stuck
  std::uint64_t skipped_queues = 0;  ///< 1008: queues that were empty when a turn ended stuck
  DirectionCounts stuck_on{};  ///< stuck heads; each counts for all its possible directions (1010)

  /// 1010: heads whose possible directions were looked up.
  std::uint64_t heads() const { return packets + stuck_heads; }
  DrainProfile& operator+=(const DrainProfile& other);
  bool operator==(const DrainProfile&) const = default;
};

/// The counts of both flowcharts, for one node or summed over nodes.
struct FlowchartProfile {
  FillProfile fill;
  DrainProfile drain;
  FlowchartProfile& operator+=(const FlowchartProfile& other) {
    fill += other.fill;
    drain += other.drain;
    return *this;
  }
  bool operator==(const FlowchartProfile&) const = default;
};

inline FillProfile& FillProfile::operator+=(const FillProfile& other) {
  rounds += other.rounds;
  visits += other.visits;
  empty_visits += other.empty_visits;
  packets += other.packets;
  descriptors += other.descriptors;
  stops += other.stops;
  held_back += other.held_back;
  return *this;
}

inline DrainProfile& DrainProfile::operator+=(const DrainProfile& other) {
  turns += other.turns;
  idle_turns += other.idle_turns;
  full_turns += other.full_turns;
  stuck_turns += other.stuck_turns;
  packets += other.packets;
  stuck_heads += other.stuck_heads;
  skipped_queues += other.skipped_queues;
  queued += other.queued;
  most_queued = std::max(most_queued, other.most_queued);
  for (std::size_t d = 0; d < stuck_on.size(); ++d) stuck_on[d] += other.stuck_on[d];
  return *this;
}

}  // namespace toroid
