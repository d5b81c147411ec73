// What a transform costs on a machine by formulas: a node's computations, and the estimate of an
// exchange with which the volumetric paper compares its measurements.
#pragma once

#include <cstdint>

#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"

namespace toroid::fft {

/// Cycles of one line transform of n points: fft_cycles_factor·n·log2(n) + transpose_cycles·n,
/// rounded up. Source: the volumetric FFT paper; the second term is ours.
Tick line_transform_cycles(const Machine& machine, std::uint64_t n);

/// Cycles of so many real multiply-adds of a matrix product, rounded up.
Tick product_cycles(const Machine& machine, std::uint64_t fmas);

/// Cycles of an all-to-all exchange within a cube-like group, in which every node receives so many
/// bytes, by the volumetric paper's model: bytes·hops / (links·bandwidth·0.8). It counts payload
/// only and the mean link instead of the hottest: a model, not a bound.
Tick paper_model_exchange(const Machine& machine, const Shape& group,
                          std::uint64_t payload_bytes_received);

}  // namespace toroid::fft
