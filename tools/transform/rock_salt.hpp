// A crystal of rock salt as Ewald sums it: ions of alternating charge +1 and -1 on the integer
// points of a periodic cube of side 2; neighbours are 1 apart. Its Madelung constant is the
// potential of all other ions at a positive ion.
//
// A grid cannot represent point charges. Each is split into a Gaussian of charge 1, (a²/π)^(3/2)
// exp(-a²r²), whose potential is erf(ar)/r, and the rest, whose potential is erfc(ar)/r. At the ion
// in the origin this gives
//
//   M = Φ(0) - 2a/√π + Σ q erfc(ar)/r over all other ions,
//
// where Φ is the potential of all Gaussians. This includes the ion's own Gaussian, whose potential
// is 2a/√π at its centre. Φ is smooth: ∇²Φ = -4πρ, i.e. Φ(k) = 4π ρ(k)/k². The Gaussians' spectrum
// falls as exp(-k²/4a²). A grid of n points per side lacks the waves beyond k = πn/2, an error of
// the order of exp(-(πn/4a)²) at most: smaller than any power of the grid's spacing.
//
// Source: P. P. Ewald, "Die Berechnung optischer und elektrostatischer Gitterpotentiale", Ann.
// Phys. 369 (1921), 253-287.
#pragma once

#include <cstdint>
#include <vector>

#include "fft/plan/convolution.hpp"

namespace toroid::rock_salt {

/// The Madelung constant of a positive ion, in units of its charge over the distance of neighbours.
/// Source: OEIS A085469.
inline constexpr double kMadelung = -1.74756459463318219;

/// The density of the Gaussians along one axis of a grid. The density at the point (x, y, z) is
/// line[x] line[y] line[z], since the sign (-1)^(x+y+z) of an ion is a product, too.
std::vector<double> density_line(std::int64_t points);

/// The factor 4π/k² from ρ(k) to Φ(k) for a wave in the cube; 0 at k = 0, where ρ is 0 too.
double coulomb(const fft::WaveVector& wave);

/// The Madelung constant from Φ at a positive ion.
double madelung(double potential);

}  // namespace toroid::rock_salt
