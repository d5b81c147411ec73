#include "tools/transform/rock_salt.hpp"

#include <cmath>
#include <cstddef>
#include <numbers>

namespace toroid::rock_salt {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kSide = 2;
/// The parameter a of the Gaussians. The crystal only has waves of odd numbers of periods, so a
/// grid of n = 4, 8, 16 or 32 points per side misses the waves of n/2 + 1 periods and more. Their
/// factor exp(-k²/4a²) is at most 8e-2, 1e-3, 2e-10 or 4e-35 for these n; the last value is far
/// below rounding. For the nearest ions erfc(ar) is 2e-5.
constexpr double kWidth = 3;
/// The distance along an axis beyond which ions and images have erfc(ar) and exp(-a²r²) below
/// 1e-60.
constexpr int kReach = 4;

double sign(int distance) {
  return distance % 2 == 0 ? 1 : -1;
}

/// The sum of q erfc(ar)/r over the other ions.
double short_range() {
  double sum = 0;
  for (int x = -kReach; x <= kReach; ++x)
    for (int y = -kReach; y <= kReach; ++y)
      for (int z = -kReach; z <= kReach; ++z) {
        const double r = std::sqrt(static_cast<double>(x * x + y * y + z * z));
        if (r > 0) sum += sign(x + y + z) * std::erfc(kWidth * r) / r;
      }
  return sum;
}

}  // namespace

std::vector<double> density_line(std::int64_t points) {
  std::vector<double> line(static_cast<std::size_t>(points));
  for (std::size_t i = 0; i < line.size(); ++i) {
    const double x = kSide * static_cast<double>(i) / static_cast<double>(points);
    for (int ion = -kReach; ion <= static_cast<int>(kSide) + kReach; ++ion) {
      const double ax = kWidth * (x - ion);
      line[i] += sign(ion) * kWidth / std::sqrt(kPi) * std::exp(-ax * ax);
    }
  }
  return line;
}

double coulomb(const fft::WaveVector& wave) {
  double square = 0;
  for (const std::int64_t periods : wave) {
    const double k = 2 * kPi / kSide * static_cast<double>(periods);
    square += k * k;
  }
  return square == 0 ? 0 : 4 * kPi / square;
}

double madelung(double potential) {
  return potential - 2 * kWidth / std::sqrt(kPi) + short_range();
}

}  // namespace toroid::rock_salt
