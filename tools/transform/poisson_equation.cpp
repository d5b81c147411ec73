#include "tools/transform/poisson_equation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "fft/layout/local_array.hpp"
#include "fft/plan/transform_kind.hpp"

namespace toroid {
namespace {

/// The wave number of the frequency 1 along an axis of this length.
double wave_number(Boundary boundary, double length) {
  return (boundary == Boundary::periodic ? 2 : 1) * std::numbers::pi / length;
}

double square(double x) {
  return x * x;
}

fft::TransformKind kind_of(Boundary boundary) {
  if (boundary == Boundary::periodic) return fft::TransformKind::dft;
  return boundary == Boundary::dirichlet ? fft::TransformKind::dst : fft::TransformKind::dct;
}

/// Whether the density's numbers were rounded to single precision before they were read.
bool is_single(const HostArray& density) {
  using Type = BorrowedArray::Type;
  return density.borrowed != nullptr &&
         (density.borrowed->type == Type::float32 || density.borrowed->type == Type::complex64);
}

/// The density without its mean.
HostArray neutral(HostArray density, double mean) {
  density.hold_values();
  for (fft::Complex& value : density.values) value -= mean;
  return density;
}

}  // namespace

double PoissonEquation::eigenvalue(const fft::WaveVector& wave) const {
  double sum = 0;
  for (std::size_t axis = 0; axis < cell.size(); ++axis)
    sum += square(wave_number(boundary, cell[axis]) * static_cast<double>(wave[axis]));
  return sum;
}

double PoissonEquation::least_eigenvalue() const {
  if (boundary == Boundary::dirichlet) return eigenvalue({1, 1, 1});
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t axis = 0; axis < cell.size(); ++axis)
    if (size[axis] > 1) least = std::min(least, square(wave_number(boundary, cell[axis])));
  return std::isinf(least) ? 1 : least;
}

fft::Description PoissonEquation::describe(fft::Description how) const {
  how.size = size;
  std::ranges::fill(how.kinds, fft::AxisTransform(kind_of(boundary)));
  // The orbital method has no half spectra.
  how.real = boundary != Boundary::periodic || how.method != fft::Method::orbital;
  return how;
}

MeanDensity mean_of(const HostArray& density, fft::Precision precision) {
  long double sum = 0;
  double largest = 0;
  for_each_value(density, [&](const fft::Complex& value) {
    sum += static_cast<long double>(value.real());
    largest = std::max(largest, std::abs(value.real()));
  });
  const auto mean = static_cast<double>(sum / static_cast<long double>(density.elements()));
  const bool in_single = precision == fft::Precision::single || is_single(density);
  return {mean, std::abs(mean) <= (in_single ? 1e-6 : 1e-12) * largest};
}

TransformJob poisson_job(const PoissonEquation& equation,
                         std::shared_ptr<const fft::Blueprint> blueprint, unsigned repeat) {
  TransformJob job{
      .blueprint = std::move(blueprint), .scale = fft::Scale::by_n, .repeat = repeat, .loops = 1};
  job.factor = [equation, unit = equation.least_eigenvalue()](const fft::WaveVector& wave) {
    const double eigenvalue = equation.eigenvalue(wave);
    return eigenvalue == 0 ? fft::Complex() : fft::Complex(unit / eigenvalue);
  };
  return job;
}

Outcome solve_poisson(Emulation& emulation, const PoissonEquation& equation,
                      const TransformJob& job, const HostArray& density) {
  const MeanDensity mean = mean_of(density, job.blueprint->description().precision);
  const bool is_neutral = !equation.needs_neutrality() || mean.is_rounding;
  Outcome outcome = is_neutral ? transform(emulation, job, density)
                               : transform(emulation, job, neutral(density, mean.mean));
  const double unit = equation.least_eigenvalue();
  for (fft::Complex& value : outcome.result.values) value = value.real() / unit;
  return outcome;
}

}  // namespace toroid
