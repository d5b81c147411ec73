// A serial solution of Poisson's equation by the definition of its eigenfunctions, to check others
// against. It shares no code with the transforms.
#pragma once

#include "fft/plan/description.hpp"
#include "tools/files/host_array.hpp"
#include "tools/transform/poisson_equation.hpp"

namespace toroid {

/// Returns φ. The time is proportional to the number of points times the sum of the extents.
HostArray serial_poisson(const PoissonEquation& equation, const HostArray& density);

/// How a solution differs from serial_poisson().
struct PoissonError {
  ArrayError error;
  bool is_rounding;  ///< at most the precision times the largest φ that |ρ| can cause
};
PoissonError compare_to_serial(const PoissonEquation& equation, const HostArray& density,
                               const HostArray& potential, fft::Precision precision);

}  // namespace toroid
