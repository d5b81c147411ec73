// Links and nodes of a machine that do not work, and the ways round them.
//
// A packet goes by its hints: one direction per dimension, as many hops in each as its route says,
// in any order that does not cross a failed link. At every node it may leave only by a direction
// after which such a way to its destination is left.
//
// What that does to freedom from deadlock: without failures an escaping packet turns from X to Y to
// Z and never back, so that rings of the bubble channels wait for one another in that order only,
// and each ring by itself always moves. Here an escaping packet takes the first direction in
// dimension order *that leaves a way*: round a failed link it may turn from Y back to X, and rings
// may wait for one another in a circle. So there is no proof any more; should it happen, the run
// ends with the cycle of buffers. Deterministic packets, which keep to X, Y, Z, are as safe as
// before.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hal/direction.hpp"
#include "hal/shape.hpp"

namespace toroid {

struct FailureList {
  std::vector<std::string> links;  ///< "(0,0,0)X+": both directions of the link at this node
  std::vector<std::string> nodes;  ///< "(1,2,3)": with all its links; it sends and receives nothing
  /// Packets of which every minimal way is cut go round a ring the other way, as hint bits allow.
  bool long_ways = false;
};

/// Safe to ask from several threads.
class Failures {
 public:
  /// `shape` is the machine before. Throws BadInput where a link or node is not of it.
  Failures(const Shape& shape, const FailureList& list);
  Failures(const Failures&) = delete;
  ~Failures();

  bool is_alive(Rank node) const { return !dead_[node]; }
  bool works(Rank node, Direction link) const { return (broken_[node] >> link.index & 1u) == 0; }
  Rank living() const { return living_; }
  const FailureList& list() const { return list_; }

  /// Of the directions that lead from `here` to `to` those after which a way is left.
  DirectionSet passable(Rank here, Rank to, DirectionSet directions) const;
  /// Whether hints lead from one node to another: by a way in any order of the dimensions, or in
  /// their fixed order. REQUIRES: hints that route_along() takes.
  bool leaves_way(Rank from, Rank to, DirectionSet hints, bool dynamic) const;
  /// The hints given, or the nearest to them that have a way: first such of equally many hops,
  /// then, with long ways, of more. None: every way is cut.
  std::optional<DirectionSet> detour(Rank from, Rank to, DirectionSet hints, bool dynamic) const;
  /// Like detour() for every pair of living nodes. Throws BadInput with the first pair that has no
  /// way, and how many more have none.
  void check_all_pairs(bool dynamic) const;

 private:
  /// From which nodes of the box before a destination it can be reached: [hops left, mixed radix].
  using Reach = std::vector<bool>;

  void fail_link(const std::string& text);
  void fail_node(const std::string& text);
  void cut(Rank node, Direction link);
  const Reach& reach(Rank to, unsigned minus) const;
  Reach compute_reach(Rank to, unsigned minus) const;
  /// Hops from coordinate to coordinate, plus or minus; as many as the box is wide or more: too
  /// far.
  unsigned hops(unsigned d, unsigned from, unsigned to, bool minus) const;
  bool has_ordered_way(Rank from, Rank to, DirectionSet hints) const;

  Shape shape_;
  FailureList list_;
  std::vector<std::uint16_t> broken_;  ///< [node]: bit per direction
  std::vector<bool> dead_;
  Rank living_;
  std::array<unsigned, kMaxDims> width_{};   ///< of a box: hops + 1
  std::array<unsigned, kMaxDims> stride_{};  ///< in a box
  /// [destination · 2^dims + dimensions gone by -], made when first asked for: 8 bytes each, and a
  /// bit per node of the box, which for minimal ways is about a 2^dims-th of the machine.
  mutable std::vector<std::atomic<const Reach*>> reach_;
};

}  // namespace toroid
