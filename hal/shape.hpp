// The machine's geometry: a torus or mesh of 1 to 6 dimensions, extents 1 to 256, and the ranks of
// its nodes.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "hal/check.hpp"
#include "hal/direction.hpp"

namespace toroid {

/// The number of a node. Nodes are numbered in C order: the last coordinate changes fastest. If
/// nodes have several ranks, it is the number of one of these; see NodeRanks.
using Rank = std::uint32_t;

/// Which ranks share a node, as in the Blue Gene/L's virtual node mode: each processor of a node
/// runs a program of its own. A rank is node · t + processor if nodes have t ranks, so the ranks of
/// a node are consecutive. (IBM calls an order like this T-first, as in TXYZ: the processor T
/// changes fastest.) If t is 1, ranks are nodes.
class NodeRanks {
 public:
  static constexpr unsigned kMost = 4;  ///< ranks per node

  /// REQUIRES: `per_node` is 1, 2 or 4.
  explicit constexpr NodeRanks(unsigned per_node = 1)
      : bits_(static_cast<unsigned>(std::countr_zero(per_node))) {
    TOROID_CHECK_IN_CHECKED_BUILD(std::has_single_bit(per_node) && per_node <= kMost);
  }

  constexpr unsigned per_node() const { return 1u << bits_; }
  constexpr bool are_shared() const { return bits_ != 0; }
  constexpr Rank node(Rank rank) const { return rank >> bits_; }
  constexpr unsigned processor(Rank rank) const { return rank & (per_node() - 1); }
  constexpr Rank rank(Rank node, unsigned processor) const { return node << bits_ | processor; }
  constexpr bool operator==(const NodeRanks&) const = default;

 private:
  unsigned bits_;
};

inline constexpr unsigned kMaxExtent = 256;

/// One coordinate per dimension; coordinates past the shape's dimensions are 0.
struct Coord {
  std::array<std::uint8_t, kMaxDims> at{};
  constexpr std::uint8_t operator[](unsigned d) const { return at[d]; }
  constexpr std::uint8_t& operator[](unsigned d) { return at[d]; }
  constexpr bool operator==(const Coord&) const = default;
};

class Failures;
class RouteTable;
class ShortestWays;
struct FailureList;

/// A torus or mesh, which may be twisted or have failures. It is an immutable value.
///
/// A twisted torus is a torus whose rings do not close after one round: in "8x4@YX4", an 8x4 torus,
/// one round along Y by + ends 4 further along X (by -: 4 back). Every vector of integers is a
/// node; two vectors are the same node if their difference is a sum of multiples of (8,0) and
/// (-4,4). Several twists may be listed; a dimension along which others shift cannot be twisted
/// itself. Published twisted tori: k x 2k with @XYk, the rectangular twisted torus; k x k x 2k with
/// @XZk@YZk and k x 2k x 2k with @XYk@XZk (J. M. Camara et al., "Twisted torus topologies for
/// enhanced interconnection networks", IEEE TPDS 21, 2010; used by the TPU v4).
///
/// In "8x8x4x2t" each node of an 8x8x4 torus has 2 ranks (t: 1, 2 or 4). Then the processor's
/// number is the last coordinate, and its dimension T the last of the 4 dimensions: the shape is a
/// grid of ranks like others, and rank() and coord() concern ranks. But no link leads along T. What
/// concerns links and routes counts torus_dims(); ranks() and torus() lead to the nodes.
class Shape {
 public:
  /// Parses "8x8x8". A dimension whose extent is followed by m ("8x8x4m") is a mesh: no link closes
  /// its ring. `mesh` makes every dimension a mesh. Twists and ranks per node are written as above.
  /// Throws BadInput, which names the expected form.
  static Shape parse(std::string_view text, bool mesh = false);

  unsigned dims() const { return dims_; }
  /// The dimensions that have links: all except T.
  unsigned torus_dims() const { return dims_ - (has_processors_ ? 1 : 0); }
  unsigned links() const { return 2 * torus_dims(); }
  unsigned extent(unsigned d) const { return extent_[d]; }
  bool wraps(unsigned d) const { return wraps_[d]; }
  /// The number of ranks.
  Rank size() const { return size_; }
  Rank nodes() const { return ranks_.node(size_); }

  /// The ranks of each node.
  const NodeRanks& ranks() const { return ranks_; }
  /// The number of ranks per node of the machine that this shape is, or is a part of: a slice() may
  /// contain only one rank of each node, and torus() has nodes in place of ranks.
  unsigned machine_ranks() const { return machine_ranks_; }
  /// The torus of nodes that routers see: this shape without T.
  Shape torus() const;
  /// The hint of a packet to another rank of its own node. Such packets go through the node's
  /// memory. No link has this direction. Empty if nodes have one rank.
  DirectionSet within_node() const {
    return DirectionSet(static_cast<std::uint16_t>((machine_ranks_ > 1 ? 1u : 0u) << links()));
  }
  /// The number of directions that hints can name: links and, if it exists, within_node().
  unsigned exits() const { return links() + (machine_ranks_ > 1 ? 1 : 0); }

  /// REQUIRES: rank < size().
  Coord coord(Rank rank) const;
  /// Calls body(dimension, coordinate of the rank), the last dimension first.
  template <typename Body>
  void for_each_coordinate(Rank rank, Body&& body) const {
    for (unsigned d = dims_; d-- > 1;) {
      const auto quotient = static_cast<Rank>(rank * reciprocal_[d] >> kReciprocalBits);
      body(d, rank - quotient * extent_[d]);
      rank = quotient;
    }
    body(0u, rank);
  }
  Rank rank(const Coord& coord) const;

  bool is_twisted() const { return ways_ != nullptr; }
  /// The shift along dimension e after one round along d by +; 0 if there is none.
  unsigned twist(unsigned d, unsigned e) const { return twist_[d][e]; }
  /// The shortest paths of a twisted torus. REQUIRES: is_twisted().
  const ShortestWays& ways() const {
    TOROID_CHECK(is_twisted());
    return *ways_;
  }
  /// The table of routes by dimension. Null if the shape is twisted or a part of a machine.
  const RouteTable* routes() const { return routes_.get(); }
  /// The node that lies at the same offset from node 0 as `to` lies from `from`. REQUIRES: every
  /// dimension wraps.
  Rank offset(const Coord& from, const Coord& to) const;

  /// The same machine with failed links and nodes. Throws BadInput if the machine has no such link
  /// or node, or if nodes have several ranks.
  Shape with_failures(const FailureList& list) const;
  Shape with_failures(std::shared_ptr<const Failures> failures) const;
  /// The same machine with everything working.
  Shape without_failures() const;
  /// Null if everything works.
  const Failures* failures() const { return failures_.get(); }
  bool is_alive(Rank node) const;

  /// The node at the other end of a link: of its ranks, the one with the same processor number.
  /// None if the mesh ends here, the extent is 1, or the link has failed.
  std::optional<Rank> neighbour(Rank rank, Direction direction) const;

  /// The shape with the extents of all dimensions outside [first, last) set to 1: the group of
  /// nodes within a line, a plane, ... of the machine. It keeps twists and failures only if it is
  /// the whole machine.
  Shape slice(unsigned first, unsigned last) const;
  /// The shape with other extents, without twists and failures. REQUIRES: as many as dims(); that
  /// of T is 1, 2 or 4.
  Shape resized(std::span<const unsigned> extents) const;
  /// The letters of its dimensions: "XYZ", or "XYZT".
  std::string dim_names() const;

  std::string text() const;
  /// The coordinates of a node as text: "(1,2,3)".
  std::string coord_text(Rank rank) const;
  /// Two shapes with failures are equal only if they share the same Failures object.
  bool operator==(const Shape& other) const;

 private:
  /// rank / d = rank · ceil(2^40 / d) >> 40, exact for ranks below 2^24 and d up to 256.
  static constexpr unsigned kReciprocalBits = 40;
  static constexpr std::uint64_t kOne = std::uint64_t{1} << kReciprocalBits;

  void append(unsigned extent, bool wraps);
  void append_ranks(std::string_view whole, NodeRanks ranks);
  void add_twist(std::string_view whole, std::string_view text);
  void check_twists(std::string_view whole) const;

  unsigned dims_ = 0;
  bool has_processors_ = false;  ///< the last dimension is T
  NodeRanks ranks_;
  unsigned machine_ranks_ = 1;
  Rank size_ = 1;
  std::array<std::uint16_t, kMaxDims> extent_{1, 1, 1, 1, 1, 1};
  std::array<std::uint64_t, kMaxDims> reciprocal_{kOne, kOne, kOne, kOne, kOne, kOne};
  std::array<bool, kMaxDims> wraps_{};
  std::array<std::array<std::uint8_t, kMaxDims>, kMaxDims> twist_{};  ///< [d][e]: see twist()
  std::shared_ptr<const ShortestWays> ways_;                          ///< null if it is not twisted
  std::shared_ptr<const Failures> failures_;                          ///< null if there are none
  std::shared_ptr<const RouteTable> routes_;  ///< null if twisted, or a part of a machine
};

}  // namespace toroid
