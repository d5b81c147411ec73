#include "hal/fabric.hpp"

#include <numeric>
#include <vector>

#include "hal/shape.hpp"

namespace toroid {

std::vector<Rank> Fabric::nodes() const {
  std::vector<Rank> all(shape().size());
  std::iota(all.begin(), all.end(), Rank{0});
  return all;
}

}  // namespace toroid
