// Many blueprints, for tests of their distributions and exchanges.
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

/// Calls visit(blueprint) for every method that the size and the torus allow, once with complex and
/// once with real data.
template <typename Visit>
void for_each_blueprint_of(const std::vector<std::int64_t>& size, const Shape& shape,
                           Visit&& visit) {
  for (const fft::Method method : {fft::Method::volumetric, fft::Method::slab, fft::Method::rows})
    for (const bool real : {false, true})
      for (const std::int64_t batch : {1, 2}) {
        if (real == (batch == 1)) continue;  // complex data has one array, real data two
        if (method != fft::Method::rows && size.size() != 3) continue;
        if (method == fft::Method::slab && shape.size() > *std::ranges::min_element(size)) continue;
        visit(fft::Blueprint(
            {.size = size,
             .method = method,
             .precision = batch == 1 ? fft::Precision::double_ : fft::Precision::single,
             .real = real,
             .batch = batch,
             .return_to_input = batch == 2,
             .overlap = {.planes = 2}},
            shape));
      }
}

/// Calls visit(blueprint) for blueprints with uneven, empty and single blocks, and with lines in
/// several boxes.
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
void for_each_distribution(const fft::Blueprint& blueprint, Visit&& visit) {
  for (const fft::Stage& stage : blueprint.stages()) {
    visit(stage.in);
    visit(stage.out);
  }
}

/// The exchange between two stages, in one direction.
struct Passage {
  const fft::Distribution* from;
  const fft::Distribution* to;
  std::uint32_t element_bytes;
  fft::StageExchange exchange;
  std::optional<unsigned> pieces_along;
};

inline std::vector<Passage> passages(const fft::Blueprint& blueprint) {
  std::vector<Passage> all;
  for (std::size_t i = 0; i + 1 < blueprint.stages().size(); ++i) {
    const fft::Stage& before = blueprint.stages()[i];
    const fft::Stage& after = blueprint.stages()[i + 1];
    const fft::StageExchange& exchange = blueprint.exchanges()[i];
    const std::uint32_t bytes = blueprint.bytes(before.real_out);
    all.push_back({&before.out, &after.in, bytes, exchange, exchange.forward_axis});
    all.push_back({&after.in, &before.out, bytes, exchange, exchange.backward_axis});
  }
  return all;
}

}  // namespace toroid::testing
