// The discrete Fourier transform by its definition, in long double. Every method is checked against
// it.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

namespace toroid::testing {

using Exact = std::complex<long double>;

/// exp(sign·2πi·k/n) for k from 0 to n - 1.
inline std::vector<Exact> roots_of_unity(std::int64_t n, int sign) {
  std::vector<Exact> roots;
  for (std::int64_t k = 0; k < n; ++k)
    roots.push_back(
        std::polar(1.0L, 2 * sign * std::numbers::pi_v<long double> * static_cast<long double>(k) /
                             static_cast<long double>(n)));
  return roots;
}

/// Transforms one line. Complex products are written out, because the library's operator also
/// checks for infinities.
inline void dft_line(std::span<const Exact> x, std::span<const Exact> roots, Exact* y,
                     std::size_t stride) {
  const std::size_t n = x.size();
  for (std::size_t k = 0; k < n; ++k) {
    long double re = 0;
    long double im = 0;
    for (std::size_t j = 0, turn = 0; j < n; ++j) {
      re += x[j].real() * roots[turn].real() - x[j].imag() * roots[turn].imag();
      im += x[j].real() * roots[turn].imag() + x[j].imag() * roots[turn].real();
      turn += k;
      if (turn >= n) turn -= n;
    }
    y[k * stride] = {re, im};
  }
}

/// The unscaled transform of an array in C order with any number of axes. The sign of forward is
/// -1.
inline std::vector<Exact> dft_reference(std::vector<Exact> array,
                                        std::span<const std::int64_t> size, int sign) {
  std::size_t stride = 1;
  for (std::size_t axis = size.size(); axis-- > 0;) {
    const auto n = static_cast<std::size_t>(size[axis]);
    const std::vector<Exact> roots = roots_of_unity(size[axis], sign);
    std::vector<Exact> line(n);
    for (std::size_t at = 0; at < array.size(); ++at) {
      if (at / stride % n != 0) continue;
      for (std::size_t j = 0; j < n; ++j) line[j] = array[at + j * stride];
      dft_line(line, roots, &array[at], stride);
    }
    stride *= n;
  }
  return array;
}

}  // namespace toroid::testing
