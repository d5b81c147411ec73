// Poisson's equation ∇²φ = -ρ in a box, on a grid.
//
// Convention  The potential φ of a positive charge is positive. There is no factor 4π: in Gaussian
//             units, where ∇²Φ = -4πρ, the potential is Φ = 4πφ.
// Method      φ is the sum of the eigenfunctions of -∇² that the grid resolves, with the
//             coefficients of ρ divided by the eigenvalues. These are exact, not those of
//             differences between neighbours. An eigenfunction is a product of one for each axis.
//
// Along an axis of n points and length L:
//
//   boundary   points         eigenfunctions                     eigenvalues   transform
//   periodic   iL/n           exp(2πi·kx/L), |k| <= n/2          (2πk/L)²      dft
//   dirichlet  (i + 1/2)L/n   sin(πkx/L), k = 1 to n             (πk/L)²       dst
//   neumann    (i + 1/2)L/n   cos(πkx/L), k = 0 to n-1           (πk/L)²       dct
//
// Periodic and neumann have no solution unless the mean of ρ is 0, because the field lines of the
// box's charge cannot end. The mean is then removed: a uniform background neutralises the charge.
// The mean of φ is arbitrary, and is made 0.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "fft/plan/blueprint.hpp"
#include "fft/plan/convolution.hpp"
#include "fft/plan/description.hpp"
#include "tools/files/host_array.hpp"
#include "tools/run/emulation.hpp"
#include "tools/transform/run.hpp"

namespace toroid {

enum class Boundary : std::uint8_t {
  periodic,   ///< φ repeats itself beyond the box
  dirichlet,  ///< φ is 0 on the faces of the box
  neumann,    ///< the derivative of φ across the faces is 0
};
inline constexpr std::array<std::string_view, 3> kBoundaryNames = {"periodic", "dirichlet",
                                                                   "neumann"};

inline constexpr std::size_t kAxesOfBox = 3;
/// Lengths of the box along x, y and z, i.e. along the array's axes 0, 1 and 2.
using Cell = std::array<double, kAxesOfBox>;
/// Squares of lengths within these limits, and of their inverses, are finite.
inline constexpr double kShortestCell = 1e-100;
inline constexpr double kLongestCell = 1e100;

struct PoissonEquation {
  Size size;  ///< of the grid: three extents
  Cell cell;  ///< each length from kShortestCell to kLongestCell
  Boundary boundary = Boundary::periodic;

  /// The eigenvalue of -∇² of a wave vector of the transform.
  double eigenvalue(const fft::WaveVector& wave) const;
  /// The squares of the wave numbers along an axis, by the absolute frequency: as many as the
  /// transform has frequencies, counted from 0.
  std::vector<double> squares(std::size_t axis) const;
  /// The smallest eigenvalue on the grid that is not 0; 1 if all are 0.
  double least_eigenvalue() const;
  /// The largest eigenvalue on the grid.
  double largest_eigenvalue() const;
  /// Whether a constant is an eigenfunction, so that the mean of ρ must be 0.
  bool needs_neutrality() const { return boundary != Boundary::dirichlet; }
  /// `how` with the size of the grid and the transform that the boundary needs.
  fft::Description describe(fft::Description how) const;
};

/// The mean of a density.
struct MeanDensity {
  double mean = 0;
  double largest = 0;       ///< the largest magnitude of a number
  bool is_rounding = true;  ///< the mean differs from 0 by rounding at most
};
/// The mean of the density, whose numbers have the precision of its file, or `precision` if that is
/// lower.
MeanDensity mean_of(const HostArray& density, fft::Precision precision);

/// Solves the equation on the machine's nodes, on which nothing has run before. The blueprint is
/// that of equation.describe(). Repeats the solution `repeat` times to measure its time. The result
/// is φ, real and in the layout of the density; a number that exceeds double precision is infinite.
/// A density of very large or very small numbers is transformed in another unit, a power of 2, so
/// that sums do not over- or underflow where φ does not. Collective, as transform() is.
Outcome solve_poisson(Emulation& emulation, const PoissonEquation& equation,
                      const TransformJob& job, const HostArray& density);

/// The transforms of one solution: forward and backward, with the division by the eigenvalues in
/// between. The spectrum is divided by multiples of the least eigenvalue, so that in any unit of
/// length its numbers are not larger than those of ρ's; solve_poisson() divides by the least one,
/// in double precision. φ may still be too large or too small for the precision of its file.
TransformJob poisson_job(const PoissonEquation& equation,
                         std::shared_ptr<const fft::Blueprint> blueprint, unsigned repeat);

}  // namespace toroid
