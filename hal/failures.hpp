// Links and nodes of a machine that have failed, and the paths around them.
//
// A packet follows its hints: one direction per dimension. It takes as many hops in each as its
// route says, in any order that does not cross a failed link. It leaves a node only in a direction
// from which such a path leads on to its destination.
//
// Deadlock: an escaping packet turns from X to Y to Z and never back, so the rings of the bubble
// channels wait for one another in that order only, and each ring by itself always moves. A packet
// may escape if the rest of its path in dimension order is intact; otherwise it waits for dynamic
// channels until it reaches a node from which that path is intact. With one failed link every such
// hop leads to a buffer whose head may escape, or nearer to such a buffer, so no cycle of waiting
// can form; with several failed links there is no proof. A deadlocked run ends with a report that
// names the cycle of buffers. Deterministic packets, which keep to X, Y, Z, are as safe as without
// failures.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hal/direction.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"

namespace toroid {

/// Failures as the user lists them: from the start, or with "@5000" from that cycle on.
struct FailureList {
  std::vector<std::string> links;  ///< "(0,0,0)X+": both directions of the link at this node
  std::vector<std::string> nodes;  ///< "(1,2,3)": with all its links; it sends and receives nothing
  /// Whether packets whose minimal paths are all cut may go around a ring the long way.
  bool long_ways = false;
};

/// A failure during a run.
struct Death {
  Tick at;  ///< the first cycle in which it no longer works
  Rank node;
  std::optional<Direction> link;  ///< none: the node itself
};

/// The failures of one machine. A Shape shares it; all const calls are safe from several threads.
///
/// **Deaths:** listed failures with a cycle change nothing until let_die(), which the run's fabric
/// calls on its own copy of the failures.
class Failures {
 public:
  /// `shape` is the machine without failures. Throws BadInput if it lacks a listed link or node.
  Failures(const Shape& shape, const FailureList& list);
  Failures(const Failures&) = delete;
  ~Failures();

  bool is_alive(Rank node) const { return !dead_[node]; }
  bool works(Rank node, Direction link) const { return (broken_[node] >> link.index & 1u) == 0; }
  Rank living() const { return living_; }
  const FailureList& list() const { return list_; }

  /// The listed failures with a cycle, in order of time.
  const std::vector<Death>& deaths() const { return deaths_; }
  /// Whether working links and nodes may fail later: then packets are checked on their way, not at
  /// injection.
  bool may_change() const { return may_change_; }
  void expect_change() { may_change_ = true; }
  /// REQUIRES: may_change(), and no other thread calls anything meanwhile.
  void let_die(const Death& death);
  /// Whether the link or node still works.
  bool is_news(const Death& death) const {
    return death.link ? works(death.node, *death.link) : is_alive(death.node);
  }
  /// "(0,0,0)X+ failed at cycle 5000", "node (1,2,3) failed at cycle 5000".
  std::string text(const Death& death) const;

  /// The subset of `directions` after which a path to `to` is left. `directions` must lead from
  /// `here` to `to`.
  DirectionSet passable(Rank here, Rank to, DirectionSet directions) const;
  /// The same for a packet in flight, given its hops left instead of coordinates. Fast for most
  /// packets: those that are nearer to `to` than every node where a failure closes a direction.
  /// REQUIRES: `left` is within the hops of minimal paths, or long ways are allowed.
  DirectionSet passable(Rank here, Rank to, const Route& left) const {
    const unsigned minus = minus_of(left.directions);
    const unsigned clear = clear_hops_[index(to, minus)].load(std::memory_order_relaxed);
    if (sum(left.hops) < clear) [[likely]]
      return left.directions;
    return passable_in_box(here, to, minus, left);
  }
  /// Whether the rest of a packet's path in dimension order is intact, so that it may escape.
  /// REQUIRES: as above.
  bool leaves_escape(Rank here, Rank to, const Route& left) const {
    const unsigned minus = minus_of(left.directions);
    const unsigned clear = clear_hops_[index(to, minus)].load(std::memory_order_relaxed);
    return sum(left.hops) < clear || has_ordered_way(here, to, left.directions);
  }
  /// Whether hints lead from one node to another: for `dynamic` packets along a path in any order
  /// of the dimensions, for others in dimension order. REQUIRES: route_along() accepts the hints.
  bool leaves_way(Rank from, Rank to, DirectionSet hints, bool dynamic) const;
  /// The given hints if they leave a path. Otherwise the nearest hints that do: first those with
  /// the same number of hops, then, if long ways are allowed, with more. None: every path is cut.
  std::optional<DirectionSet> detour(Rank from, Rank to, DirectionSet hints, bool dynamic) const;
  /// The shortest hints that leave a path. None: every path is cut.
  std::optional<DirectionSet> way(Rank from, Rank to, bool dynamic) const;
  /// Throws BadInput if detour() finds nothing for some pair of living nodes; the text names the
  /// first such pair and the number of such pairs.
  void check_all_pairs(bool dynamic) const;

 private:
  /// [hops left, in mixed radix]: whether this node of the box before a destination can reach the
  /// destination.
  using Reach = std::vector<bool>;
  /// Hops left to a destination, by dimension.
  using HopsLeft = std::array<unsigned, kMaxDims>;

  /// The dimensions that are travelled by -, as bits.
  static unsigned minus_of(DirectionSet directions) {
    unsigned bits = directions.bits() >> 1 & 0x555u;
    bits = (bits | bits >> 1) & 0x333u;
    return ((bits | bits >> 2) & 0xfu) | (bits >> 4 & 0x30u);
  }
  static unsigned sum(const std::array<std::uint8_t, kMaxDims>& hops) {
    unsigned total = 0;
    for (const unsigned h : hops) total += h;
    return total;
  }
  std::size_t index(Rank to, unsigned minus) const {
    return (std::size_t{to} << shape_.dims()) + minus;
  }

  void add(const std::string& text, bool is_node);
  void fail(Rank node, std::optional<Direction> link);
  void cut(Rank node, Direction link);
  void find_exits();
  void forget_ways();
  const Reach& reach(Rank to, unsigned minus) const;
  /// The reach of all nodes of the box before `to`. Also stores clear_hops_, found on the same
  /// walk.
  Reach look_back(Rank to, unsigned minus) const;
  void step_back(const Coord& end, unsigned minus, HopsLeft& left, Coord& at) const;
  DirectionSet passable_in_box(Rank here, Rank to, unsigned minus, const Route& left) const;
  /// `place`: the index of `here` in the box before `to`.
  DirectionSet open(Rank here, const Reach& reach, std::size_t place,
                    DirectionSet directions) const;
  /// Hops between two coordinates by plus or minus; width_[d] or more means outside the box.
  unsigned hops(unsigned d, unsigned from, unsigned to, bool minus) const;
  bool has_ordered_way(Rank from, Rank to, DirectionSet hints) const;

  Shape shape_;
  FailureList list_;
  std::vector<std::uint16_t> broken_;  ///< [node]: bit per direction
  std::vector<std::uint16_t> exits_;   ///< [node]: bit per direction whose link exists and works
  std::vector<bool> dead_;
  Rank living_;
  std::vector<Death> deaths_;
  bool may_change_ = false;
  std::array<unsigned, kMaxDims> width_{};   ///< of a box: most hops + 1
  std::array<unsigned, kMaxDims> stride_{};  ///< in a box
  /// [destination · 2^dims + dimensions travelled by -], made on first use: 8 bytes each, and a bit
  /// per node of the box, which for minimal paths is about a 2^dims-th of the machine.
  mutable std::vector<std::atomic<const Reach*>> reach_;
  /// [same index]: a packet with fewer hops left may take every direction; 0 until reach_ is made.
  mutable std::vector<std::atomic<std::uint8_t>> clear_hops_;
};

}  // namespace toroid
