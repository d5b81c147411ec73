// Cost formulas for a transform: the cost of a node's computations, and the volumetric paper's
// estimate of an exchange, with which the paper compares its measurements.
#pragma once

#include <cstdint>

#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"

namespace toroid::fft {

/// Cycles of one line transform of n points: fft_cycles_factor·n·log2(n) + transpose_cycles·n,
/// rounded up. Source: the volumetric FFT paper for the first term; toroid adds the second.
Tick line_transform_cycles(const Machine& machine, std::uint64_t n);

/// Cycles of `fmas` real multiply-adds of a matrix product, rounded up.
Tick product_cycles(const Machine& machine, std::uint64_t fmas);

/// Cycles of an all-to-all exchange within a cube-like group by the volumetric paper's model:
/// bytes·hops / (links·bandwidth·0.8), where bytes is what each node receives. It counts only
/// payload, and the mean load of the links instead of the hottest link's, so it is an estimate and
/// not a lower bound.
Tick paper_model_exchange(const Machine& machine, const Shape& group,
                          std::uint64_t payload_bytes_received);

}  // namespace toroid::fft
