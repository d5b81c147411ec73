// Orders in which a packet goes through the dimensions. One byte identifies an order.
#pragma once

#include <array>
#include <cstdint>

#include "hal/direction.hpp"

namespace toroid {

/// The number of an order, from 1 to dimension_orders(dims); 0 if there is no order. Up to five
/// dimensions every permutation has a number. The 720 permutations of six dimensions do not fit
/// into a byte, so only those whose last three dimensions ascend or descend have a number. With any
/// number of dimensions, each dimension comes first in equally many orders, and so does each
/// sequence of three dimensions.
using DimensionOrder = std::uint8_t;

constexpr unsigned dimension_orders(unsigned dims) {
  constexpr std::array<std::uint8_t, kMaxDims + 1> kOrders = {1, 1, 2, 6, 24, 120, 240};
  return kOrders[dims];
}

/// The dimensions of an order, from the first that a packet goes through to the last.
using DimensionSequence = std::array<std::uint8_t, kMaxDims>;

/// REQUIRES: 1 <= order <= dimension_orders(dims).
constexpr DimensionSequence dimension_sequence(DimensionOrder order, unsigned dims) {
  DimensionSequence left{0, 1, 2, 3, 4, 5};
  DimensionSequence sequence{};
  unsigned number = order - 1u;
  unsigned place = 0;
  for (; place < 3 && place < dims; ++place) {
    const unsigned count = dims - place;
    const unsigned pick = number % count;
    number /= count;
    sequence[place] = left[pick];
    for (unsigned i = pick; i + 1 < count; ++i) left[i] = left[i + 1];
  }
  const bool falls = number != 0;
  for (unsigned i = 0; place < dims; ++place, ++i) sequence[place] = left[falls ? dims - 4 - i : i];
  return sequence;
}

/// A table of the sequences of all orders, for every number of dimensions. Every hop of a packet
/// that has an order looks up a sequence here.
class DimensionSequences {
 public:
  constexpr DimensionSequences() {
    for (unsigned dims = 1; dims <= kMaxDims; ++dims)
      for (unsigned order = 1; order <= dimension_orders(dims); ++order)
        all_[dims][order] = dimension_sequence(static_cast<DimensionOrder>(order), dims);
  }
  constexpr const DimensionSequence& get(DimensionOrder order, unsigned dims) const {
    return all_[dims][order];
  }

 private:
  std::array<std::array<DimensionSequence, 256>, kMaxDims + 1> all_{};
};
inline constexpr DimensionSequences kDimensionSequences;

/// Those of `directions` that are in one dimension, the first dimension of the order that has any.
/// REQUIRES: 1 <= order <= dimension_orders(dims).
constexpr DirectionSet first_in_order(DirectionSet directions, DimensionOrder order,
                                      unsigned dims) {
  for (const unsigned d : kDimensionSequences.get(order, dims)) {
    const unsigned here = directions.bits() & 3u << 2 * d;
    if (here != 0) return DirectionSet(static_cast<std::uint16_t>(here));
  }
  return {};
}

}  // namespace toroid
