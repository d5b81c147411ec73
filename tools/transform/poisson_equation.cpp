#include "tools/transform/poisson_equation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
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

/// The bound on the mean's rounding error, relative to the largest number.
double rounding_of(const HostArray& density, fft::Precision precision) {
  if (density.dtype.ends_with("f2")) return 1e-3;  // float16 has 11 bits
  return precision == fft::Precision::single || is_single(density) ? 1e-6 : 1e-12;
}

/// The power of 2 in which the density is measured, so that sums of its numbers neither overflow
/// nor lose digits in `precision`. It is 0, which needs no copy, unless numbers are extreme.
int exponent_of(const HostArray& density, double largest, fft::Precision precision) {
  const bool in_single = precision == fft::Precision::single;
  const double most = (in_single ? 1e30 : 1e290) / static_cast<double>(density.elements());
  const double least = in_single ? 1e-20 : 1e-280;
  return largest == 0 || (largest >= least && largest <= most) ? 0 : std::ilogb(largest);
}

/// The density without this mean, in units of 2^exponent.
HostArray prepared(HostArray density, double mean, int exponent) {
  density.hold_values();
  const double removed = std::ldexp(mean, -exponent);
  for (fft::Complex& value : density.values) value = std::ldexp(value.real(), -exponent) - removed;
  return density;
}

/// The factor of an element of the spectrum. Eigenvalues are sums of tabulated squares.
class Factor {
 public:
  explicit Factor(const PoissonEquation& equation) : unit_(equation.least_eigenvalue()) {
    for (std::size_t axis = 0; axis < kAxesOfBox; ++axis) squares_[axis] = equation.squares(axis);
  }
  fft::Complex operator()(const fft::WaveVector& wave) const {
    double eigenvalue = 0;
    for (std::size_t axis = 0; axis < kAxesOfBox; ++axis)
      eigenvalue += squares_[axis][static_cast<std::size_t>(std::abs(wave[axis]))];
    return eigenvalue == 0 ? 0 : unit_ / eigenvalue;
  }

 private:
  double unit_;
  std::array<std::vector<double>, kAxesOfBox> squares_;
};

}  // namespace

double PoissonEquation::eigenvalue(const fft::WaveVector& wave) const {
  double sum = 0;
  for (std::size_t axis = 0; axis < cell.size(); ++axis)
    sum += square(wave_number(boundary, cell[axis]) * static_cast<double>(wave[axis]));
  return sum;
}

std::vector<double> PoissonEquation::squares(std::size_t axis) const {
  const std::int64_t n = size[axis];
  const std::int64_t most = boundary == Boundary::periodic    ? n / 2
                            : boundary == Boundary::dirichlet ? n
                                                              : n - 1;
  std::vector<double> all;
  for (std::int64_t k = 0; k <= most; ++k)
    all.push_back(square(wave_number(boundary, cell[axis]) * static_cast<double>(k)));
  return all;
}

double PoissonEquation::largest_eigenvalue() const {
  double sum = 0;
  for (std::size_t axis = 0; axis < cell.size(); ++axis) sum += squares(axis).back();
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
  return {mean, largest, std::abs(mean) <= rounding_of(density, precision) * largest};
}

TransformJob poisson_job(const PoissonEquation& equation,
                         std::shared_ptr<const fft::Blueprint> blueprint, unsigned repeat) {
  TransformJob job{
      .blueprint = std::move(blueprint), .scale = fft::Scale::by_n, .repeat = repeat, .loops = 1};
  // The nodes share the tables.
  job.factor = [factor = std::make_shared<const Factor>(equation)](const fft::WaveVector& wave) {
    return (*factor)(wave);
  };
  return job;
}

Outcome solve_poisson(Emulation& emulation, const PoissonEquation& equation,
                      const TransformJob& job, const HostArray& density) {
  const fft::Precision precision = job.blueprint->description().precision;
  const MeanDensity mean = mean_of(density, precision);
  const double removed = equation.needs_neutrality() && !mean.is_rounding ? mean.mean : 0;
  const int exponent = exponent_of(density, mean.largest, precision);
  Outcome outcome = removed == 0 && exponent == 0
                        ? transform(emulation, job, density)
                        : transform(emulation, job, prepared(density, removed, exponent));
  const double unit = equation.least_eigenvalue();
  for (fft::Complex& value : outcome.result.values)
    value = std::ldexp(value.real() / unit, exponent);
  return outcome;
}

}  // namespace toroid
