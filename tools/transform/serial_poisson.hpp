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
  /// The relative l2 error is at most least_accuracy(), or ρ is a constant, so that φ is 0 but for
  /// rounding.
  bool is_accurate;
};
PoissonError compare_to_serial(const PoissonEquation& equation, const HostArray& density,
                               const HostArray& potential, fft::Precision precision);

/// The relative l2 error of φ beyond which it has too few digits: 1e-9, or 1e-3 if single.
double least_accuracy(fft::Precision precision);
/// Estimates the relative l2 error of φ that comes from rounding, from the norms of ρ and φ. If a
/// wave is absent from ρ, its coefficient is a rounding error. If its eigenvalue is the least, and
/// those of the waves in ρ are much larger, as in a flat box, it outweighs φ. The estimate supposes
/// equal errors in all coefficients. It is 0 if no density can lose least_accuracy() in this box.
double rounding_error(const PoissonEquation& equation, const HostArray& density,
                      const HostArray& potential, fft::Precision precision);

}  // namespace toroid
