// Random boxes of an array.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "fft/layout/box.hpp"
#include "hal/shape.hpp"

namespace toroid::testing {

/// Cuts the largest box in two at a random place until there are `parts` boxes.
inline std::vector<fft::Box> random_partition(const fft::Index& extents, std::size_t parts,
                                              std::mt19937_64& engine) {
  std::vector<fft::Box> boxes = {fft::Box::of(extents)};
  while (boxes.size() < parts) {
    fft::Box& largest = *std::ranges::max_element(boxes, {}, &fft::Box::volume);
    if (largest.volume() <= 1) break;
    const unsigned axis = static_cast<unsigned>(engine() % fft::kMaxAxes);
    if (largest.length(axis) < 2) continue;
    fft::Box rest = largest;
    const auto at = engine() % static_cast<std::uint64_t>(largest.length(axis) - 1);
    largest.hi[axis] = rest.lo[axis] = largest.lo[axis] + 1 + static_cast<std::int64_t>(at);
    boxes.push_back(rest);
  }
  return boxes;
}

/// One box per node in random order; some are empty.
inline std::vector<fft::Box> random_boxes(const fft::Index& extents, Rank nodes,
                                          std::mt19937_64& engine) {
  fft::Index one = extents;  // boxes are cut without the batch axis
  one[fft::kBatchAxis] = 1;
  const std::size_t parts = 1 + engine() % nodes;
  std::vector<fft::Box> boxes = random_partition(one, parts, engine);
  boxes.resize(nodes);
  std::ranges::shuffle(boxes, engine);
  return boxes;
}

}  // namespace toroid::testing
