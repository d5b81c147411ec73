#include "tools/transform/serial_poisson.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include "fft/layout/local_array.hpp"
#include "tools/run/interruption.hpp"

namespace toroid {
namespace {

/// The orthonormal real eigenfunctions of -d²/dx² on the points of an axis. Angles are whole
/// multiples of π/2n, so a table of 4n cosines has them all.
class Eigenfunctions {
 public:
  Eigenfunctions(Boundary boundary, std::int64_t points, double length)
      : boundary_(boundary), n_(points), length_(length) {
    for (std::int64_t j = 0; j < 4 * n_; ++j)
      cosines_.push_back(static_cast<double>(
          std::cos(std::numbers::pi_v<long double> * static_cast<long double>(j) /
                   static_cast<long double>(2 * n_))));
  }

  std::int64_t points() const { return n_; }

  double eigenvalue(std::int64_t k) const {
    const double wave_number = std::numbers::pi * static_cast<double>(half_periods(k)) / length_;
    return wave_number * wave_number;
  }

  /// The values of function k at all points.
  std::vector<double> function(std::int64_t k) const {
    std::vector<double> values;
    for (std::int64_t i = 0; i < n_; ++i) {
      const std::int64_t angle = place(i) * half_periods(k);
      values.push_back(norm(k) * (is_sine(k) ? cosine(angle + 3 * n_) : cosine(angle)));
    }
    return values;
  }

 private:
  std::int64_t half_periods(std::int64_t k) const {
    if (boundary_ == Boundary::periodic) return 2 * ((k + 1) / 2);
    return boundary_ == Boundary::dirichlet ? k + 1 : k;
  }
  /// The place of point i in units of half the spacing.
  std::int64_t place(std::int64_t i) const {
    return boundary_ == Boundary::periodic ? 2 * i : 2 * i + 1;
  }
  /// Periodic functions are 1, sin 1, cos 1, sin 2, ... A sine of n half periods would be 0.
  bool is_sine(std::int64_t k) const {
    if (boundary_ == Boundary::periodic) return k % 2 == 1 && half_periods(k) != n_;
    return boundary_ == Boundary::dirichlet;
  }
  double norm(std::int64_t k) const {
    const bool is_flat = half_periods(k) == 0 || half_periods(k) == n_;  // squares are 1 everywhere
    return std::sqrt((is_flat ? 1.0 : 2.0) / static_cast<double>(n_));
  }
  double cosine(std::int64_t angle) const {
    return cosines_[static_cast<std::size_t>(angle % (4 * n_))];
  }

  Boundary boundary_;
  std::int64_t n_;
  double length_;
  std::vector<double> cosines_;
};

enum class Toward : std::uint8_t { coefficients, values };

/// Transforms along the axis of which consecutive points are `stride` elements apart.
std::vector<double> along_axis(const Eigenfunctions& functions, std::size_t stride, Toward toward,
                               const std::vector<double>& in) {
  const auto n = static_cast<std::size_t>(functions.points());
  std::vector<double> out(in.size());
  for (std::size_t k = 0; k < n; ++k) {
    throw_if_interrupted();
    const std::vector<double> values = functions.function(static_cast<std::int64_t>(k));
    for (std::size_t block = 0; block < in.size(); block += n * stride)
      for (std::size_t i = 0; i < n; ++i) {
        const bool forward = toward == Toward::coefficients;
        const double* const from = &in[block + (forward ? i : k) * stride];
        double* const to = &out[block + (forward ? k : i) * stride];
        for (std::size_t s = 0; s < stride; ++s) to[s] += values[i] * from[s];
      }
  }
  return out;
}

using EigenfunctionsOfAxes = std::vector<Eigenfunctions>;

std::vector<double> along_axes(const EigenfunctionsOfAxes& axes, Toward toward,
                               std::vector<double> values) {
  std::size_t stride = values.size();
  for (const Eigenfunctions& functions : axes) {
    stride /= static_cast<std::size_t>(functions.points());
    values = along_axis(functions, stride, toward, values);
  }
  return values;
}

void divide_by_eigenvalues(const EigenfunctionsOfAxes& axes, std::vector<double>& values) {
  std::size_t number = 0;
  for (std::int64_t x = 0; x < axes[0].points(); ++x)
    for (std::int64_t y = 0; y < axes[1].points(); ++y)
      for (std::int64_t z = 0; z < axes[2].points(); ++z, ++number) {
        const double sum = axes[0].eigenvalue(x) + axes[1].eigenvalue(y) + axes[2].eigenvalue(z);
        values[number] = sum == 0 ? 0 : values[number] / sum;
      }
}

/// The real parts of the density in units of 2^exponent, so that the largest is from 1 to 2,
/// without the mean if the equation needs this.
struct Charges {
  std::vector<double> values;
  int exponent = 0;
  /// Whether they are the rounding errors of a constant density.
  bool are_rounding = false;
};

Charges charges_of(const PoissonEquation& equation, const HostArray& density) {
  const MeanDensity mean = mean_of(density, fft::Precision::double_);
  Charges charges;
  if (mean.largest > 0) charges.exponent = std::ilogb(mean.largest);
  const double removed = equation.needs_neutrality() ? std::ldexp(mean.mean, -charges.exponent) : 0;
  charges.values.reserve(density.elements());
  for_each_value(density, [&](const fft::Complex& value) {
    charges.values.push_back(std::ldexp(value.real(), -charges.exponent) - removed);
  });
  charges.are_rounding =
      std::ranges::all_of(charges.values, [](double charge) { return std::abs(charge) <= 1e-14; });
  return charges;
}

/// The Euclidean norm. Values are divided by the largest, so that squares do not overflow; a long
/// double does not overflow either.
template <typename Number>
long double norm_of(std::span<const Number> values) {
  double largest = 0;
  for (const Number& value : values) largest = std::max(largest, std::abs(value));
  if (largest == 0) return 0;
  double sum = 0;
  for (const Number& value : values) sum += std::norm(value / largest);
  return static_cast<long double>(largest) * std::sqrt(static_cast<long double>(sum));
}

long double norm_of(const Charges& charges) {
  return std::ldexp(norm_of(std::span<const double>(charges.values)), charges.exponent);
}

EigenfunctionsOfAxes eigenfunctions_of(const PoissonEquation& equation) {
  EigenfunctionsOfAxes axes;
  for (std::size_t axis = 0; axis < equation.cell.size(); ++axis)
    axes.emplace_back(equation.boundary, equation.size[axis], equation.cell[axis]);
  return axes;
}

/// The root mean square over all waves of 1/eigenvalue (0 for the constant), in units of `most`,
/// which is the largest of them.
double mean_inverse(const PoissonEquation& equation, double most) {
  std::array<std::vector<double>, kAxesOfBox> squares;
  const EigenfunctionsOfAxes axes = eigenfunctions_of(equation);
  for (std::size_t axis = 0; axis < axes.size(); ++axis)
    for (std::int64_t k = 0; k < axes[axis].points(); ++k)
      squares[axis].push_back(axes[axis].eigenvalue(k));
  double sum = 0;
  for (const double x : squares[0])
    for (const double y : squares[1])
      for (const double z : squares[2]) {
        const double inverse = x + y + z == 0 ? 0 : 1 / (x + y + z) / most;
        sum += inverse * inverse;
      }
  const double waves = static_cast<double>(squares[0].size() * squares[1].size()) *
                       static_cast<double>(squares[2].size());
  return std::sqrt(sum / waves);
}

}  // namespace

HostArray serial_poisson(const PoissonEquation& equation, const HostArray& density) {
  const EigenfunctionsOfAxes axes = eigenfunctions_of(equation);
  Charges charges = charges_of(equation, density);
  std::vector<double> values = along_axes(axes, Toward::coefficients, std::move(charges.values));
  divide_by_eigenvalues(axes, values);
  values = along_axes(axes, Toward::values, std::move(values));
  for (double& value : values) value = std::ldexp(value, charges.exponent);
  return {equation.size, 1, {values.begin(), values.end()}};
}

PoissonError compare_to_serial(const PoissonEquation& equation, const HostArray& density,
                               const HostArray& potential, fft::Precision precision) {
  const HostArray serial = serial_poisson(equation, density);
  const ArrayError error = compare(potential.values, serial.values);
  const long double norm = norm_of(std::span<const fft::Complex>(serial.values));
  const Charges charges = charges_of(equation, density);
  const long double most = norm_of(charges) / static_cast<long double>(equation.least_eigenvalue());
  const long double tolerance = precision == fft::Precision::single ? 1e-5L : 1e-12L;
  return {error, static_cast<long double>(error.l2) * (norm == 0 ? 1 : norm) <= tolerance * most,
          charges.are_rounding || error.l2 <= least_accuracy(precision)};
}

double least_accuracy(fft::Precision precision) {
  return precision == fft::Precision::single ? 1e-3 : 1e-9;
}

double rounding_error(const PoissonEquation& equation, const HostArray& density,
                      const HostArray& potential, fft::Precision precision) {
  const double least = equation.least_eigenvalue();
  const double epsilon = precision == fft::Precision::single
                             ? std::numeric_limits<float>::epsilon()
                             : std::numeric_limits<double>::epsilon();
  // |φ| is at least |ρ| / the largest eigenvalue.
  if (epsilon * (equation.largest_eigenvalue() / least) <= least_accuracy(precision)) return 0;
  const Charges charges = charges_of(equation, density);
  const long double norm = norm_of(std::span<const fft::Complex>(potential.values));
  if (charges.are_rounding || norm == 0) return 0;
  const auto loudest = static_cast<long double>(epsilon * mean_inverse(equation, 1 / least));
  return static_cast<double>(loudest * norm_of(charges) / norm / static_cast<long double>(least));
}

}  // namespace toroid
