// Which process owns which nodes of the torus.
#pragma once

#include <string>
#include <vector>

#include "hal/shape.hpp"

namespace toroid {

class Partition {
 public:
  /// Equal boxes that cut the fewest links, where the torus can be divided into so many; else parts
  /// whose numbers of nodes differ by at most one, by recursive bisection. Throws BadInput where
  /// there are more processes than nodes.
  Partition(const Shape& shape, unsigned processes);

  unsigned processes() const { return static_cast<unsigned>(parts_.size()); }
  /// Ascending, never empty.
  const std::vector<Rank>& nodes(unsigned process) const { return parts_[process]; }
  unsigned owner(Rank node) const { return owner_[node]; }
  /// As in "node (0,0,2)" or "nodes (0,0,2) to (1,1,3)": the corners of the box around them.
  std::string text(unsigned process) const;

 private:
  Shape shape_;
  std::vector<std::vector<Rank>> parts_;  ///< [process]
  std::vector<unsigned> owner_;           ///< [rank]
};

}  // namespace toroid
