// Which process owns which nodes of the torus.
#pragma once

#include <string>
#include <vector>

#include "hal/shape.hpp"

namespace toroid {

/// Assigns every node to a process. It is a function of shape and number of processes alone, so
/// that all processes know it without communication. Immutable.
class Partition {
 public:
  /// If the torus can be divided into `processes` equal boxes, chooses the equal boxes that cut the
  /// fewest links. Otherwise uses recursive bisection: the parts' node counts differ by at most
  /// one. Throws BadInput if there are more processes than nodes.
  Partition(const Shape& shape, unsigned processes);

  unsigned processes() const { return static_cast<unsigned>(parts_.size()); }
  /// In ascending order, never empty.
  const std::vector<Rank>& nodes(unsigned process) const { return parts_[process]; }
  unsigned owner(Rank node) const { return owner_[node]; }
  /// Describes a process's nodes by the corners of the box around them, as in "node (0,0,2)" or
  /// "nodes (0,0,2) to (1,1,3)".
  std::string text(unsigned process) const;

 private:
  Shape shape_;
  std::vector<std::vector<Rank>> parts_;  ///< [process]
  std::vector<unsigned> owner_;           ///< [rank]
};

}  // namespace toroid
