// Values and distances for tests that transform files.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <vector>

namespace toroid::testing {

using Complex = std::complex<double>;
using Values = std::vector<Complex>;
using Extents = std::vector<std::size_t>;

constexpr double kTolerance = 1e-12;  ///< largest distance() for complex128

/// Returns varied values that every floating-point type holds exactly.
inline Values some_values(std::size_t count, bool complex) {
  Values values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = {static_cast<double>(i * 37 % 101) - 50,
                 complex ? static_cast<double>(i * 53 % 97) / 8 : 0.0};
  return values;
}

/// |a - b| / |b| in the Euclidean norm; infinite if the sizes differ.
inline double distance(const Values& a, const Values& b) {
  if (a.size() != b.size()) return HUGE_VAL;
  double difference = 0;
  double norm = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += std::norm(a[i] - b[i]);
    norm += std::norm(b[i]);
  }
  return std::sqrt(difference / norm);
}

}  // namespace toroid::testing
