// Shapes for exhaustive tests: every torus and mesh up to an extent.
#pragma once

#include <fmt/core.h>
#include <cstddef>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hal/direction.hpp"
#include "hal/shape.hpp"
#include "tests/scale.hpp"

namespace toroid::testing {

/// Every extent from 1 to `most`, with and without the link that closes the ring.
inline std::vector<std::string> all_extents(unsigned most) {
  std::vector<std::string> extents;
  for (unsigned k = 1; k <= most; ++k) {
    extents.push_back(std::to_string(k));
    if (k > 1) extents.push_back(fmt::format("{}m", k));
  }
  return extents;
}

/// All shapes of exactly `dims` dimensions with these extents.
inline std::vector<Shape> all_shapes(unsigned dims, unsigned most) {
  std::vector<std::string> texts{""};
  for (unsigned d = 0; d < dims; ++d) {
    std::vector<std::string> longer;
    for (const auto& text : texts)
      for (const auto& extent : all_extents(most))
        longer.push_back(text.empty() ? extent : text + "x" + extent);
    texts = std::move(longer);
  }
  std::vector<Shape> shapes;
  for (const auto& text : texts) shapes.push_back(Shape::parse(text));
  return shapes;
}

/// In the thorough set, returns all shapes. Otherwise returns those of at most `small` nodes and an
/// eighth of the larger ones, in which every extent still occurs in every dimension.
inline std::vector<Shape> some_of(const std::vector<Shape>& all, Rank small) {
  if (is_thorough()) return all;
  std::vector<Shape> some;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].size() <= small || i % 8 == 0) some.push_back(all[i]);
  return some;
}

inline std::vector<Shape> parsed(const std::vector<std::string>& texts) {
  std::vector<Shape> shapes;
  for (const auto& text : texts) shapes.push_back(Shape::parse(text));
  return shapes;
}

inline Direction direction(unsigned index) {
  return {static_cast<std::uint8_t>(index)};
}

}  // namespace toroid::testing
