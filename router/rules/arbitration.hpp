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
#include "router/rules/fullest.hpp"
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

/// How ties between equally full candidates are broken, and how a random candidate is found. Under
/// load most candidates are full, so ties are frequent. The hardware's rule is not published;
/// results on tori of unequal extents depend on it.
enum class FairnessRule : unsigned {
  lowest_first,    ///< the first candidate at or after an index drawn from 64. This is usually the
                   ///< lowest candidate, so X goes before Y before Z
  uniform,         ///< all candidates have the same probability, in ties and in random choices
  straight_first,  ///< among equally full candidates, prefers packets that go straight on;
                   ///< otherwise like uniform
  turning_first,   ///< among equally full candidates, prefers packets that turn or are injected;
                   ///< otherwise like uniform
};

/// Picks the fullest candidate during Machine::arbitration_fullest of every
/// Machine::arbitration_period cycles, and a random one in the other cycles.
class SenderArbitration {
 public:
  explicit SenderArbitration(const Machine& machine)
      : period_(machine.arbitration_period),
        fullest_(machine.arbitration_fullest),
        fairness_(static_cast<FairnessRule>(machine.arbitration_choice)) {}

  /// The part of a choice that is the same for all links within a cycle.
  struct Cycle {
    bool fullest_first;
    std::uint64_t key;  ///< for this cycle's random choices
  };
  Cycle begin(Tick now) const { return {now % period_ < fullest_, mix64(now)}; }

  /// The candidate that goes first on link `out`, whose number among all links is `link`. `used(s)`
  /// returns the chunks waiting at input index s. REQUIRES: candidates != 0.
  template <typename Used>
  unsigned choose(const Cycle& cycle, std::uint64_t candidates, std::uint64_t link, Direction out,
                  const Used& used) const {
    if (fairness_ == FairnessRule::lowest_first) return pick(cycle, candidates, link, used);
    return fairest(cycle, candidates, link, out, used);
  }

  /// Does the same as choose(), for FairnessRule::lowest_first only.
  template <typename Used>
  static unsigned pick(const Cycle& cycle, std::uint64_t candidates, std::uint64_t link,
                       const Used& used) {
    const unsigned start = start_for(cycle, candidates, link);
    return cycle.fullest_first ? fullest_from(candidates, start, used) : start;
  }
  /// Does the same for fill levels that are stored side by side.
  static unsigned pick(const Cycle& cycle, std::uint32_t candidates, std::uint64_t link,
                       const FillLevels& used) {
    const unsigned start = start_for(cycle, candidates, link);
    return cycle.fullest_first ? fullest_of(candidates, start, used) : start;
  }

 private:
  /// The first candidate at or after a random one of 64 indices.
  static unsigned start_for(const Cycle& cycle, std::uint64_t candidates, std::uint64_t link) {
    const std::uint64_t mixed = (cycle.key ^ link) * 0x9e3779b97f4a7c15ull;
    return next_bit(candidates, static_cast<unsigned>(mixed >> 58));
  }

  /// The fullest candidate; ties go to `start`, then to the lowest index.
  template <typename Used>
  static unsigned fullest_from(std::uint64_t candidates, unsigned start, const Used& used) {
    // Each candidate becomes a number, and the largest number wins. So no branch depends on how
    // full the candidates are.
    const auto chunks = [&](unsigned input) { return static_cast<unsigned>(used(input)); };
    unsigned best = chunks(start) << 7 | 64u | (63u - start);
    std::uint64_t rest = candidates;
    do {
      for (unsigned i = 0; i < kAtOnce; ++i) {
        const unsigned input = rest == 0 ? start : static_cast<unsigned>(std::countr_zero(rest));
        best = std::max(best, chunks(input) << 7 | (63u - input));
        rest &= rest - 1;
      }
    } while (rest != 0);
    return 63u - (best & 63u);
  }

  /// Every candidate draws a random number, and the highest wins. In cycles that prefer the
  /// fullest, only the fullest candidates take part. If preferred() holds for some of these, only
  /// they take part.
  template <typename Used>
  unsigned fairest(const Cycle& cycle, std::uint64_t candidates, std::uint64_t link, Direction out,
                   const Used& used) const {
    std::uint64_t best = 0;
    for (std::uint64_t rest = candidates; rest != 0; rest &= rest - 1) {
      const auto input = static_cast<unsigned>(std::countr_zero(rest));
      const std::uint64_t lot = mix64(cycle.key ^ (link << 6 | input)) >> 38;
      std::uint64_t rank = lot << 6 | input;
      if (cycle.fullest_first) rank |= (used(input) * 2ull + (preferred(input, out) ? 1 : 0)) << 32;
      best = std::max(best, rank);
    }
    return static_cast<unsigned>(best & 63u);
  }
  bool preferred(unsigned input, Direction out) const {
    if (fairness_ == FairnessRule::uniform) return false;
    const bool straight_on = input / kVirtualChannels == out.index;
    return straight_on == (fairness_ == FairnessRule::straight_first);
  }

  static constexpr unsigned kAtOnce = 3;  ///< candidates that a step compares; a link seldom has
                                          ///< more

  Tick period_;
  Tick fullest_;
  FairnessRule fairness_;
};

}  // namespace toroid
