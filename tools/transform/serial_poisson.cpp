#include "tools/transform/serial_poisson.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
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

/// The real parts of the density, without its mean if the equation needs this.
std::vector<double> charges_of(const PoissonEquation& equation, const HostArray& density) {
  const double mean =
      equation.needs_neutrality() ? mean_of(density, fft::Precision::double_).mean : 0;
  std::vector<double> charges;
  charges.reserve(density.elements());
  for_each_value(density,
                 [&](const fft::Complex& value) { charges.push_back(value.real() - mean); });
  return charges;
}

/// The Euclidean norm. Values are divided by the largest, so that squares do not overflow.
template <typename Number>
double norm_of(std::span<const Number> values) {
  double largest = 0;
  for (const Number& value : values) largest = std::max(largest, std::abs(value));
  if (largest == 0) return 0;
  double sum = 0;
  for (const Number& value : values) sum += std::norm(value / largest);
  return largest * std::sqrt(sum);
}

}  // namespace

HostArray serial_poisson(const PoissonEquation& equation, const HostArray& density) {
  EigenfunctionsOfAxes axes;
  for (std::size_t axis = 0; axis < equation.cell.size(); ++axis)
    axes.emplace_back(equation.boundary, equation.size[axis], equation.cell[axis]);
  std::vector<double> values =
      along_axes(axes, Toward::coefficients, charges_of(equation, density));
  divide_by_eigenvalues(axes, values);
  values = along_axes(axes, Toward::values, std::move(values));
  return {equation.size, 1, {values.begin(), values.end()}};
}

PoissonError compare_to_serial(const PoissonEquation& equation, const HostArray& density,
                               const HostArray& potential, fft::Precision precision) {
  const HostArray serial = serial_poisson(equation, density);
  const ArrayError error = compare(potential.values, serial.values);
  const double norm = norm_of(std::span<const fft::Complex>(serial.values));
  const std::vector<double> charges = charges_of(equation, density);
  const double most = norm_of(std::span<const double>(charges)) / equation.least_eigenvalue();
  const double tolerance = precision == fft::Precision::single ? 1e-5 : 1e-12;
  return {error, error.l2 * (norm == 0 ? 1 : norm) <= tolerance * most};
}

}  // namespace toroid
