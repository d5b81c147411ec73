// The tables of a policy that comes as data: read from .npy files and checked whole, so that a run
// under them needs no checks.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"

namespace toroid {

/// Paths of the tables; empty: there is none.
struct PolicyTableFiles {
  std::string order;
  std::string relays;
  std::string release;

  /// Those that there are, in this order.
  std::vector<std::string> paths() const;
};

/// Tables for one shape. Each node's row stands at its rank.
class PolicyTables {
 public:
  /// Reads and checks the files. Throws BadInput with the file, the row and what was expected.
  PolicyTables(const Shape& shape, const PolicyTableFiles& files);

  const Shape& shape() const { return shape_; }
  bool has_order() const { return !order_.empty() || !offsets_.empty(); }
  bool has_relays() const { return !relays_.empty(); }
  bool has_releases() const { return !releases_.empty(); }

  /// REQUIRES: has_order().
  SendOrder order(Rank self) const;
  /// REQUIRES: has_relays().
  Rank relay(Rank from, Rank to) const { return relays_[from * std::size_t{shape_.size()} + to]; }
  /// REQUIRES: has_releases().
  Tick release(Rank from, Rank to) const {
    return releases_[from * std::size_t{shape_.size()} + to];
  }
  /// Whether every relay is on a shortest way. A twisted torus counts as having no such relays.
  bool relays_keep_to_shortest_ways() const { return keeps_to_shortest_ways_; }

 private:
  Shape shape_;
  std::vector<Rank> order_;        ///< nodes x (nodes - 1)
  std::vector<Coord> offsets_;     ///< nodes - 1, alike for all nodes
  bool offsets_of_ranks_ = false;  ///< only the offsets' ranks count
  std::vector<Rank> relays_;       ///< nodes x nodes
  std::vector<Tick> releases_;     ///< nodes x nodes
  bool keeps_to_shortest_ways_ = false;
};

}  // namespace toroid
