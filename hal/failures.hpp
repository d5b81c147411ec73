// Links and nodes of a machine that have failed, and the paths around them.
//
// A packet follows its hints, which give one direction per dimension. In each direction it takes as
// many hops as its route says, in any order that does not cross a failed link. It takes a hop only
// if the remaining hops can then still be taken in such an order.
//
// Deadlock: a packet *escapes* when it enters a bubble channel. Escaping packets turn from X to Y
// to Z and never back, so the rings of the bubble channels wait for one another in that order only,
// and each ring by itself always moves. A packet may escape if the rest of its path in dimension
// order is intact; otherwise it waits for dynamic channels until it reaches a node from which that
// path is intact. With one failed link, every hop that such a packet takes over a dynamic channel
// leads to a buffer whose first packet may escape, or brings it nearer to such a buffer. So no
// cycle of waiting packets can form. For several failed links this is not proved. If a run
// deadlocks, it ends with a report that names the cycle of buffers. Deterministic packets, which
// keep to X, Y, Z, are as safe as without failures.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hal/check.hpp"
#include "hal/direction.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"

namespace toroid {

/// Failures as the user lists them. A link or node has failed from the start of the run, or, if its
/// text ends with "@5000", from cycle 5000 on. "@1" is the start too: no packet is on a link before
/// cycle 1.
struct FailureList {
  std::vector<std::string> links;  ///< "(0,0,0)X+": both directions of this node's X+ link
  std::vector<std::string> nodes;  ///< "(1,2,3)": the node and all its links
  /// Whether packets whose minimal paths are all cut may go around a ring the long way.
  bool long_ways = false;
};

/// A failure during a run.
struct Death {
  Tick at;  ///< the first cycle in which the link or node no longer works
  Rank node;
  std::optional<Direction> link;  ///< none if the node itself fails
};

/// The failures of one machine. Copies of a Shape share one object; several threads may make const
/// calls at the same time.
///
/// **Deaths:** a listed failure with a cycle has no effect until let_die() is called. The run's
/// fabric calls it, on a Failures object of its own.
class Failures {
 public:
  /// `shape` is the machine without failures. Throws BadInput if it does not have one of the listed
  /// links or nodes.
  Failures(const Shape& shape, const FailureList& list);
  Failures(const Failures&) = delete;
  ~Failures();

  bool is_alive(Rank node) const { return !dead_[node]; }
  bool works(Rank node, Direction link) const { return (broken_[node] >> link.index & 1u) == 0; }
  Rank living() const { return living_; }
  /// The list without "@1".
  const FailureList& list() const { return list_; }

  /// The listed failures with a cycle, in order of time.
  const std::vector<Death>& deaths() const { return deaths_; }
  /// Whether working links and nodes may fail later: then packets are checked on their way, not at
  /// injection.
  bool may_change() const { return may_change_; }
  void expect_change() { may_change_ = true; }
  /// Lets the link or node fail now. REQUIRES: may_change(), and no other thread uses this object
  /// meanwhile.
  void let_die(const Death& death);
  /// Whether the death changes anything, because the link or node still works.
  bool is_news(const Death& death) const {
    return death.link ? works(death.node, *death.link) : is_alive(death.node);
  }
  /// "(0,0,0)X+ failed at cycle 5000", "node (1,2,3) failed at cycle 5000".
  std::string text(const Death& death) const;

  /// Those of `directions` in which the packet can take its next hop and then still has a path to
  /// `to`. REQUIRES: `directions` lead from `here` to `to`.
  DirectionSet passable(Rank here, Rank to, DirectionSet directions) const;
  /// The same for a packet in flight, given its hops left instead of coordinates. It is fast for
  /// packets that are nearer to `to` than every node where a failure closes a direction; most
  /// packets are. REQUIRES: `left` is within the hops of minimal paths, or long ways are allowed.
  DirectionSet passable(Rank here, Rank to, const Route& left) const {
    TOROID_CHECK_IN_CHECKED_BUILD(is_in_box(left));
    const unsigned minus = minus_of(left.directions);
    const unsigned clear = clear_hops_[index(to, minus)].load(std::memory_order_relaxed);
    if (sum(left.hops) < clear) [[likely]]
      return left.directions;
    return passable_in_box(here, to, minus, left);
  }
  /// Whether the rest of a packet's path in dimension order is intact, so that it may escape.
  /// REQUIRES: the same as passable().
  bool leaves_escape(Rank here, Rank to, const Route& left) const {
    TOROID_CHECK_IN_CHECKED_BUILD(is_in_box(left));
    const unsigned minus = minus_of(left.directions);
    const unsigned clear = clear_hops_[index(to, minus)].load(std::memory_order_relaxed);
    return sum(left.hops) < clear || has_ordered_way(here, to, left.directions);
  }
  /// Whether some path from one node to another follows the hints and crosses no failure. A
  /// `dynamic` packet may take the hops in any order, others take them in dimension order.
  /// REQUIRES: route_along() accepts the hints.
  bool leaves_way(Rank from, Rank to, DirectionSet hints, bool dynamic) const;
  /// The given hints if leaves_way() holds for them. Otherwise the hints with the fewest hops for
  /// which it holds and, among those, the ones with the fewest reversed dimensions. They have more
  /// hops than a shortest path only if long ways are allowed. None if every path is cut.
  std::optional<DirectionSet> detour(Rank from, Rank to, DirectionSet hints, bool dynamic) const;
  /// The hints with the fewest hops for which leaves_way() holds. None if every path is cut.
  std::optional<DirectionSet> way(Rank from, Rank to, bool dynamic) const;
  /// The nodes to which a node sends, in any order and perhaps repeated.
  using PeersOf = std::function<std::vector<Rank>(Rank from)>;
  /// Throws BadInput if detour() finds nothing for some living node and one of its living peers.
  /// The text names the first such pair and the number of such pairs.
  void check_pairs(bool dynamic, const PeersOf& peers_of) const;

 private:
  /// The box before a destination holds all nodes from which packets reach it in given directions,
  /// one per dimension. An element says whether failures leave a path from one node of the box. Its
  /// index is made of the node's hops left in each dimension, as the digits of a number in mixed
  /// radix.
  using Reach = std::vector<bool>;
  /// Hops left to a destination, by dimension.
  using HopsLeft = std::array<unsigned, kMaxDims>;

  /// The dimensions in which the direction is -, as bits.
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
  bool is_in_box(const Route& left) const {
    for (unsigned d = 0; d < shape_.dims(); ++d)
      if (left.hops[d] >= width_[d]) return false;
    return true;
  }
  std::size_t index(Rank to, unsigned minus) const {
    return (std::size_t{to} << shape_.dims()) + minus;
  }

  void add(std::string& text, bool is_node);
  void fail(Rank node, std::optional<Direction> link);
  void cut(Rank node, Direction link);
  void find_exits();
  void forget_ways();
  const Reach& reach(Rank to, unsigned minus) const;
  /// Computes the Reach of the box before `to`. Also stores the box's entry of clear_hops_, which
  /// is found on the same walk.
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
  std::vector<std::uint16_t> broken_;  ///< [node]: bit per direction whose link has failed
  std::vector<std::uint16_t> exits_;   ///< [node]: bit per direction whose link exists and works
  std::vector<bool> dead_;
  Rank living_;
  std::vector<Death> deaths_;
  bool may_change_ = false;
  std::array<unsigned, kMaxDims> width_{};   ///< [dimension] of a box: most hops + 1
  std::array<unsigned, kMaxDims> stride_{};  ///< [dimension] of a box
  /// [destination · 2^dims + dimensions travelled by -]. An entry takes 8 bytes. The table that it
  /// points to is made on first use and takes a bit per node of the box; for minimal paths a box
  /// has about 1 / 2^dims of the machine's nodes.
  mutable std::vector<std::atomic<const Reach*>> reach_;
  /// [same index]: a packet with fewer hops left than this may take every direction of its route; 0
  /// until the table is made.
  mutable std::vector<std::atomic<std::uint8_t>> clear_hops_;
};

}  // namespace toroid
