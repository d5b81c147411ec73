// A map of the torus: each node's worker.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "hal/shape.hpp"
#include "router/placement/placement.hpp"

namespace toroid {

/// The lines of the map, the first of them its title; none where the torus has more than three
/// dimensions, or the map more than `most` lines or 96 columns. A slice of two dimensions is a
/// block; the blocks of the first dimension stand side by side.
std::vector<std::string> placement_map(const Shape& shape, const Placement& placement,
                                       std::size_t most);

}  // namespace toroid
