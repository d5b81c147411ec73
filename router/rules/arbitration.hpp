// Chooses which of the packets that want a link goes first.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "hal/direction.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/random.hpp"
#include "hal/tick.hpp"
#include "router/rules/drawn_ranks.hpp"
#include "router/rules/fullest.hpp"
#include "router/rules/link_order.hpp"
#include "router/rules/routing.hpp"

namespace toroid {

/// The lowest set bit at or after `start`, wrapping around. REQUIRES: mask != 0, start < 64.
inline unsigned next_bit(std::uint64_t mask, unsigned start) {
  const auto rotated = std::rotr(mask, static_cast<int>(start));
  return (static_cast<unsigned>(std::countr_zero(rotated)) + start) & 63u;
}

/// The priority classes of candidates: transit before injection, and within each, high priority
/// before normal.
class Precedence {
 public:
  /// `links`: number of links per node; `normal_fifos`: number of its injection FIFOs, after which
  /// those of high priority come. If `transit_first` is false, only the priority counts.
  Precedence(unsigned links, unsigned normal_fifos, bool transit_first)
      : priority_(~std::uint64_t{0} << std::min(63u, links * kVirtualChannels + normal_fifos)) {
    for (unsigned s = 0; s < links * kVirtualChannels; ++s) {
      const Input input(s);
      if (transit_first) transit_ |= input.bit();
      if (input.channel() == VirtualChannel::priority) priority_ |= input.bit();
    }
  }

  /// The candidates in the highest class. REQUIRES: candidates != 0.
  std::uint64_t first_class(std::uint64_t candidates) const {
    const std::uint64_t transit = candidates & transit_;
    const std::uint64_t chosen = transit != 0 ? transit : candidates;
    const std::uint64_t urgent = chosen & priority_;
    return urgent != 0 ? urgent : chosen;
  }

 private:
  std::uint64_t transit_ = 0;
  std::uint64_t priority_;
};

/// How ties are broken: between equally full candidates for a link, and between links that a packet
/// may take. Under load most candidates are full, so ties are frequent. The hardware's rule is not
/// published; results on tori of unequal extents depend on it.
enum class FairnessRule : unsigned {
  lowest_first,    ///< the first candidate at or after an index drawn from 64. This is usually the
                   ///< lowest candidate, so X goes before Y before Z. The links of a node choose in
                   ///< this order too
  uniform,         ///< all candidates have the same probability, in ties and in random choices. The
                   ///< link with the most tokens chooses first, ties in a drawn order
  straight_first,  ///< among equally full candidates, prefers packets that go straight on;
                   ///< otherwise like uniform
  turning_first,   ///< among equally full candidates, prefers packets that turn or are injected;
                   ///< otherwise like uniform
};

/// Picks the fullest candidate during Machine::arbitration_fullest of every
/// Machine::arbitration_period cycles, and a random one in the other cycles.
class SenderArbitration {
 public:
  /// `seed`: of all random choices.
  SenderArbitration(const Machine& machine, std::uint64_t seed)
      : period_(machine.arbitration_period),
        fullest_(machine.arbitration_fullest),
        salt_(mix64(seed)),
        fairness_(static_cast<FairnessRule>(machine.arbitration_choice)) {}

  /// The part of a choice that is the same for all links within a cycle.
  struct Cycle {
    bool fullest_first;
    std::uint64_t key;     ///< for this cycle's random choices
    DrawnRanks ranks;      ///< of equal inputs
    LinkOrder link_order;  ///< of every node's links with equally many tokens
    bool lowest_first;     ///< FairnessRule::lowest_first
  };
  Cycle begin(Tick now) const {
    const std::uint64_t key = mix64(now ^ salt_);
    const bool lowest_first = fairness_ == FairnessRule::lowest_first;
    return {now % period_ < fullest_, key, DrawnRanks(key),
            lowest_first ? LinkOrder::by_index() : LinkOrder::drawn(key << 20), lowest_first};
  }

  /// The candidate that goes first on link `out`, whose number among all links is `link`. `used(s)`
  /// returns the chunks waiting at input index s. REQUIRES: candidates != 0.
  template <typename Used>
  unsigned choose(const Cycle& cycle, std::uint64_t candidates, std::uint64_t link, Direction out,
                  const Used& used) const {
    if (cycle.lowest_first) return lowest(cycle, candidates, link, used);
    const bool few = candidates >> DrawnRanks::kInputs == 0;
    std::uint64_t best = 0;
    for (std::uint64_t rest = candidates; rest != 0; rest &= rest - 1) {
      const auto input = static_cast<unsigned>(std::countr_zero(rest));
      const std::uint64_t rank = few ? cycle.ranks[input] : mix64(lot(cycle, link) ^ input) >> 40;
      const std::uint64_t level =
          cycle.fullest_first ? used(input) * 2ull + (preferred(input, out) ? 1 : 0) : 0;
      best = std::max(best, (level << 24 | rank) << 6 | input);
    }
    return static_cast<unsigned>(best & 63u);
  }
  /// Does the same for FairnessRule::lowest_first or uniform, and for fill levels that are stored
  /// side by side.
  static unsigned pick(const Cycle& cycle, std::uint32_t candidates, std::uint64_t link,
                       const FillLevels& used) {
    if (cycle.lowest_first)
      return lowest(cycle, candidates, link, [&used](unsigned input) { return used[input]; });
    return first_of(candidates, cycle.fullest_first, cycle.ranks, used);
  }

 private:
  static std::uint64_t lot(const Cycle& cycle, std::uint64_t link) {
    return (cycle.key ^ link) * 0x9e3779b97f4a7c15ull;
  }

  /// FairnessRule::lowest_first: the fullest candidate, or any; ties go to a start that is drawn,
  /// then to the lowest index.
  template <typename Used>
  static unsigned lowest(const Cycle& cycle, std::uint64_t candidates, std::uint64_t link,
                         const Used& used) {
    const unsigned start = next_bit(candidates, static_cast<unsigned>(lot(cycle, link) >> 58));
    unsigned best = start;
    for (std::uint64_t rest = cycle.fullest_first ? candidates : 0; rest != 0; rest &= rest - 1) {
      const auto input = static_cast<unsigned>(std::countr_zero(rest));
      if (used(input) > used(best)) best = input;
    }
    return best;
  }

  bool preferred(unsigned input, Direction out) const {
    if (fairness_ == FairnessRule::uniform) return false;
    const bool straight_on = input / kVirtualChannels == out.index;
    return straight_on == (fairness_ == FairnessRule::straight_first);
  }

  Tick period_;
  Tick fullest_;
  std::uint64_t salt_;
  FairnessRule fairness_;
};

}  // namespace toroid
