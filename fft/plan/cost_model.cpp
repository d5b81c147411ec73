#include "fft/plan/cost_model.hpp"

#include <cmath>

namespace toroid::fft {

Tick line_transform_cycles(const Machine& machine, std::uint64_t n) {
  const auto length = static_cast<double>(n);
  return whole_cycles(
      machine.fft_cycles_factor * length * std::log2(length) + machine.transpose_cycles * length,
      "the transform of a line (fft_cycles_factor, transpose_cycles)");
}

Tick product_cycles(const Machine& machine, std::uint64_t fmas) {
  return whole_cycles(machine.fma_cycles * static_cast<double>(fmas),
                      "a matrix product (fma_cycles)");
}

Tick paper_model_exchange(const Machine& machine, const Shape& group,
                          std::uint64_t payload_bytes_received) {
  double hops = 0;  // of a packet, on average
  for (unsigned d = 0; d < group.torus_dims(); ++d)
    if (group.extent(d) > 1) hops += group.extent(d) / (group.wraps(d) ? 4.0 : 2.0);
  unsigned links = 0;
  for (unsigned d = 0; d < group.torus_dims(); ++d) links += group.extent(d) > 1 ? 2 : 0;
  if (links == 0) return 0;
  constexpr double kUtilisation = 0.8;
  const double bytes_per_cycle = machine.link_bits_per_cycle / 8;
  return static_cast<Tick>(std::llround(static_cast<double>(payload_bytes_received) * hops /
                                        (links * bytes_per_cycle * kUtilisation)));
}

}  // namespace toroid::fft
