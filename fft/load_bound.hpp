// Lower bounds for exchanges whose messages differ in length: computed from the very messages, pair
// by pair, under any minimal routing.
#pragma once

#include "fft/redistribution.hpp"
#include "hal/bounds.hpp"

namespace toroid {

/// Bytes that cross each place of the machine where minimal routing leaves no choice: every ring
/// of a torus dimension carries (bytes x hops) whatever its direction, every cut of a mesh
/// dimension is crossed by what lies on different sides.
class LinkLoad {
 public:
  explicit LinkLoad(const Shape& shape);

  void add(const Coord& from, const Coord& to, std::uint64_t wire_bytes);
  void add(const LinkLoad& other);
  /// The hottest link carries at least so many bytes: loads spread evenly over `nodes` of the
  /// machine's nodes, those among which the traffic was.
  double hottest_bytes(Rank nodes) const;

 private:
  Shape shape_;
  std::array<std::uint64_t, kMaxDims> byte_hops_{};
  /// [dimension][cut][0: upwards, 1: downwards]; cut c lies between coordinates c and c + 1.
  std::array<std::vector<std::array<std::uint64_t, 2>>, kMaxDims> cuts_;
};

/// One exchange of a plan, over all nodes.
struct ExchangeBounds {
  Tick hottest_link = 0;  ///< of the busiest group
  Tick injection = 0;     ///< of the busiest node
  Tick processor = 0;     ///< of the busiest node
  std::uint64_t packets = 0;
  Tick max() const { return std::max({hottest_link, injection, processor}); }
};

/// Several exchanges one after the other; they may overlap in time where data allows.
class TransformBounds {
 public:
  TransformBounds(const Decomposition& decomposition, const Machine& machine);

  /// Adds an exchange and, if `axis` >= 0, the lines transformed after it.
  ExchangeBounds add(const Exchange& exchange, int axis);
  /// What all of it takes at least: the links' total, the busiest processor's total, and every
  /// part.
  Tick total() const;
  /// The links' share of it.
  Tick hottest_link() const;
  /// The paper's estimate: its exchanges by their mean load plus the mean node's computation.
  Tick paper_model() const { return paper_model_; }

 private:
  Tick cycles(double bytes) const;

  const Decomposition* decomposition_;
  Machine machine_;
  LinkLoad load_;
  std::vector<Tick> processor_;  ///< per node
  Tick longest_part_ = 0;
  Tick hottest_part_ = 0;
  Tick paper_model_ = 0;
};

}  // namespace toroid
