#include "tools/transform/serial_transform.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fft/kernels/kernel.hpp"
#include "fft/layout/box.hpp"
#include "fft/layout/local_array.hpp"
#include "fft/orbital/coefficients.hpp"
#include "fft/plan/extents.hpp"
#include "fft/plan/norm.hpp"
#include "fft/plan/transform_kind.hpp"
#include "tools/run/interruption.hpp"

namespace toroid {
namespace {

std::size_t volume(const Size& size) {
  std::size_t product = 1;
  for (const std::int64_t n : size) product *= static_cast<std::size_t>(n);
  return product;
}

/// Copies a spectrum into one with more or fewer points. If it has fewer, only the lowest
/// frequencies are copied; if it has more, the others become 0.
void copy_centre(const Size& from_size, std::span<const fft::Complex> from, const Size& to_size,
                 std::span<fft::Complex> to) {
  const fft::Index from_extents = fft::extents_of(from_size);
  const fft::Index to_extents = fft::extents_of(to_size);
  for (std::size_t number = 0; number < to.size(); ++number) {
    std::size_t rest = number;
    fft::Index at{};
    bool inside = true;
    for (std::size_t axis = to_size.size(); axis-- > 0;) {
      const std::int64_t n = to_extents[axis];
      const std::int64_t m = std::min(n, from_extents[axis]);
      const auto k = static_cast<std::int64_t>(rest) % n;
      rest /= static_cast<std::size_t>(n);
      const bool low = k < (m + 1) / 2;
      const bool high = k >= n - m / 2;
      inside = inside && (low || high);
      at[axis] = low ? k : k - n + from_extents[axis];
    }
    std::int64_t place = 0;
    for (std::size_t axis = 0; axis < to_size.size(); ++axis)
      place = place * from_extents[axis] + at[axis];
    to[number] = inside ? from[static_cast<std::size_t>(place)] : 0;
  }
}

void fourier(const fft::Description& d, fft::Way way, std::span<const fft::Complex> in,
             std::span<fft::Complex> out) {
  const int sign = way == fft::Way::forward ? -1 : +1;
  std::vector<fft::Complex> whole(volume(d.size));
  Size small = d.size;
  for (std::int64_t& n : small) n = fft::kept_of(n, d.box_cut);
  if (way == fft::Way::forward)
    std::ranges::copy(in, whole.begin());
  else
    copy_centre(small, in, d.size, whole);
  fft::local::serial_reference(d.size, sign, whole);
  if (way == fft::Way::forward)
    copy_centre(d.size, whole, small, out);
  else
    std::ranges::copy(whole, out.begin());
}

void real_fourier(const fft::Description& d, fft::Way way, std::span<const fft::Complex> in,
                  std::span<fft::Complex> out) {
  std::vector<double> real(volume(d.size));
  if (way == fft::Way::forward) {
    for (std::size_t i = 0; i < real.size(); ++i) real[i] = in[i].real();
    return fft::local::serial_reference(d.size, std::span<const double>(real), out);
  }
  std::vector<fft::Complex> half(in.begin(), in.end());
  fft::local::serial_reference(d.size, std::span(half), std::span(real));
  std::ranges::copy(real, out.begin());
}

/// Multiplies by the transform matrices directly, axis by axis.
void by_matrices(const fft::Description& d, fft::Way way, std::span<const fft::Complex> in,
                 std::span<fft::Complex> out) {
  using Long = std::complex<long double>;
  std::vector<Long> array(in.begin(), in.end());
  std::size_t stride = array.size();
  for (std::size_t axis = 0; axis < d.size.size(); ++axis) {
    const std::int64_t n = d.size[axis];
    const auto points = static_cast<std::size_t>(n);
    stride /= points;
    std::vector<Long> matrix(points * points);
    for (std::int64_t k = 0; k < n; ++k)
      for (std::int64_t i = 0; i < n; ++i)
        matrix[static_cast<std::size_t>(k * n + i)] = fft::coefficient(
            d.kinds[axis], way == fft::Way::forward ? fft::Sign::forward : fft::Sign::inverse, n, i,
            k);
    std::vector<Long> line(points);
    for (std::size_t first = 0; first < array.size(); ++first) {
      if (first / stride % points != 0) continue;
      throw_if_interrupted();
      for (std::size_t i = 0; i < points; ++i) line[i] = array[first + i * stride];
      for (std::size_t k = 0; k < points; ++k) {
        Long sum = 0;
        for (std::size_t i = 0; i < points; ++i) sum += matrix[k * points + i] * line[i];
        array[first + k * stride] = sum;
      }
    }
  }
  std::ranges::transform(array, out.begin(), [](const Long& value) { return fft::Complex(value); });
}

double factor_of(fft::Scale scale, const Size& size) {
  const auto points = static_cast<double>(volume(size));
  if (scale == fft::Scale::none) return 1;
  return scale == fft::Scale::by_n ? 1 / points : 1 / std::sqrt(points);
}

Size result_size(const fft::Description& d, fft::Way way) {
  if (way == fft::Way::backward) return d.size;
  const fft::Index extents = fft::out_extents(d);
  return {extents.begin(), extents.begin() + d.size.size()};
}

}  // namespace

HostArray serial_transform(const fft::Description& description, fft::Way way, fft::Scale scale,
                           const HostArray& input) {
  HostArray result{result_size(description, way), input.batch, {}};
  const std::size_t points = volume(result.size);
  result.values.resize(points * static_cast<std::size_t>(input.batch));
  const bool fourier_only = std::ranges::all_of(description.kinds, &fft::AxisTransform::is_fourier);
  const auto transform = !fourier_only ? by_matrices : description.real ? real_fourier : fourier;
  for (std::size_t b = 0; b < static_cast<std::size_t>(input.batch); ++b)
    transform(description, way, std::span(input.values).subspan(b * input.volume(), input.volume()),
              std::span(result.values).subspan(b * points, points));
  const double factor = factor_of(scale, description.size) * fft::norm_factor(description, way);
  for (fft::Complex& value : result.values) value *= factor;
  return result;
}

double tolerance_of(const fft::Description& description) {
  return description.precision == fft::Precision::single ? 1e-5 : 1e-12;
}

}  // namespace toroid
