// Blueprints of every sort, for tests of what they are made of.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "fft/layout/distribution.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "hal/shape.hpp"

namespace toroid::testing {

/// visit(blueprint) for every method that the size and the torus allow, complex and real.
template <typename Visit>
void for_each_blueprint_of(const std::vector<std::int64_t>& size, const Shape& shape,
                           Visit&& visit) {
  for (const Method method : {Method::volumetric, Method::slab, Method::rows})
    for (const bool real : {false, true})
      for (const std::int64_t batch : {1, 2}) {
        if (real == (batch == 1)) continue;  // every other one
        if (method != Method::rows && size.size() != 3) continue;
        if (method == Method::slab && shape.size() > *std::ranges::min_element(size)) continue;
        visit(Blueprint({.size = size,
                         .method = method,
                         .precision = batch == 1 ? Precision::double_ : Precision::single,
                         .real = real,
                         .batch = batch,
                         .return_to_input = batch == 2,
                         .overlap = {.planes = 2}},
                        shape));
      }
}

/// Uneven, empty and single blocks, lines in several boxes.
template <typename Visit>
void for_each_blueprint(Visit&& visit) {
  for (const char* torus : {"1", "2x2", "3x2x2", "5x1x2", "7", "1x1x6", "2x1x2x1x1"})
    for (const auto& size :
         std::vector<std::vector<std::int64_t>>{{8, 8, 8}, {5, 6, 11}, {2, 17, 14}})
      for_each_blueprint_of(size, Shape::parse(torus), visit);
  for (const char* torus : {"3x3", "5", "2x2x1x2"})
    for (const auto& size : std::vector<std::vector<std::int64_t>>{
             {9, 9}, {3, 4, 2, 5}, {2, 3, 2, 3, 4}, {2, 3, 1, 2, 3, 4}})
      for_each_blueprint_of(size, Shape::parse(torus), visit);
}

template <typename Visit>
void for_each_distribution(const Blueprint& blueprint, Visit&& visit) {
  for (const Stage& stage : blueprint.stages()) {
    visit(stage.in);
    visit(stage.out);
  }
}

/// Between two stages, one way or the other.
struct Passage {
  const Distribution* from;
  const Distribution* to;
  std::uint32_t element_bytes;
  StageExchange exchange;
  std::optional<unsigned> pieces_along;
};

inline std::vector<Passage> passages(const Blueprint& blueprint) {
  std::vector<Passage> all;
  for (std::size_t i = 0; i + 1 < blueprint.stages().size(); ++i) {
    const Stage& before = blueprint.stages()[i];
    const Stage& after = blueprint.stages()[i + 1];
    const StageExchange& exchange = blueprint.exchanges()[i];
    const std::uint32_t bytes = blueprint.bytes(before.real_out);
    all.push_back({&before.out, &after.in, bytes, exchange, exchange.forward_axis});
    all.push_back({&after.in, &before.out, bytes, exchange, exchange.backward_axis});
  }
  return all;
}

}  // namespace toroid::testing
