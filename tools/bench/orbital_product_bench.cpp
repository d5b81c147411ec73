// Compares the local products of the orbital transform with plain matrix products of the same size,
// measured in turn. A plain product multiplies a matrix of b² x b by one of b x b. For complex
// elements with real coefficients the matrices are real, of 2b² x b and b x b.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <complex>
#include <cstddef>
#include <string_view>
#include <thread>
#include <vector>

#include "fft/kernels/blas.hpp"
#include "fft/layout/local_array.hpp"
#include "fft/orbital/coefficients.hpp"
#include "fft/orbital/product.hpp"
#include "fft/plan/transform_kind.hpp"
#include "tools/bench/baselines/report.hpp"

namespace toroid {
namespace {

using Clock = std::chrono::steady_clock;

template <typename T>
fft::LocalArray ones(std::size_t elements) {
  fft::LocalArray array = fft::LocalArray::of_bytes(elements * sizeof(T));
  std::fill_n(array.as<T>(), elements, T(1));
  return array;
}

template <typename Run>
double seconds(int times, Run&& run) {
  const auto begin = Clock::now();
  for (int i = 0; i < times; ++i) run();
  return std::chrono::duration<double>(Clock::now() - begin).count() / times;
}

template <typename T>
void plain(fft::TransformKind kind, int b, fft::LocalArray& data, fft::LocalArray& square,
           fft::LocalArray& sum) {
  using Real = typename fft::OrbitalProduct<T>::Real;
  const int parts = static_cast<int>(sizeof(T) / sizeof(Real));
  if (fft::has_complex_coefficients(kind))
    multiply(fft::Transpose::no, {b * b, b, b}, data.as<T>(), square.as<T>(), T(1), sum.as<T>());
  else
    multiply(fft::Transpose::no, {parts * b * b, b, b}, data.as<Real>(), square.as<Real>(), Real(1),
             sum.as<Real>());
}

/// Rates in 1e9 real operations per second (a multiply-add counts as two): first of the plain
/// product, then of the product along each axis.
template <typename T>
std::array<double, 4> rates(fft::TransformKind kind, int b) {
  const auto edge = static_cast<std::size_t>(b);
  fft::LocalArray data = ones<T>(edge * edge * edge);
  fft::LocalArray sum = ones<T>(edge * edge * edge);
  fft::LocalArray square = ones<T>(edge * edge);
  std::vector<fft::OrbitalProduct<T>> products;
  std::vector<fft::LocalArray> coefficients;
  for (unsigned axis = 0; axis < 3; ++axis) {
    auto& product = products.emplace_back(kind, axis, std::array{b, b, b});
    product.fill(coefficients.emplace_back(edge * edge).template as<std::byte>(),
                 fft::Sign::forward, b, 0, 0);
  }
  const auto operations = 2.0 * b * static_cast<double>(products[0].fmas_of_plane());
  const int times = std::max(1, static_cast<int>(5e7 / operations));
  std::array<std::vector<double>, 4> taken;
  for (int round = 0; round < 15; ++round) {
    taken[0].push_back(seconds(times, [&] { plain<T>(kind, b, data, square, sum); }));
    for (unsigned axis = 0; axis < 3; ++axis)
      taken[axis + 1].push_back(seconds(times, [&] {
        products[axis].run(coefficients[axis].template as<std::byte>(), data.as<T>(), true,
                           sum.as<T>(), {0, b});
      }));
  }
  std::array<double, 4> result{};
  for (std::size_t i = 0; i < 4; ++i) result[i] = operations / baseline::median(taken[i]) / 1e9;
  return result;
}

template <typename T>
void print(std::string_view what, fft::TransformKind kind, int b, unsigned threads) {
  std::vector<std::array<double, 4>> all(threads);
  std::vector<std::thread> workers;
  for (unsigned t = 0; t < threads; ++t)
    workers.emplace_back([&, t] { all[t] = rates<T>(kind, b); });
  for (std::thread& worker : workers) worker.join();
  std::array<double, 4> sum{};
  for (const auto& one : all)
    for (std::size_t i = 0; i < 4; ++i) sum[i] += one[i];
  fmt::print("{:<16} {:>3} {:>7}  {:>7.2f} {:>7.2f} {:>7.2f} {:>7.2f}   {:.2f} {:.2f} {:.2f}\n",
             what, b, threads, sum[0], sum[1], sum[2], sum[3], sum[1] / sum[0], sum[2] / sum[0],
             sum[3] / sum[0]);
}

}  // namespace
}  // namespace toroid

int main() {
  using namespace toroid;
  fmt::print("GFLOP/s of real operations; last columns: rate along each axis / plain rate\n");
  fmt::print("{:<16} {:>3} {:>7}  {:>7} {:>7} {:>7} {:>7}   axes 0, 1, 2\n", "elements", "b",
             "threads", "plain", "axis 0", "axis 1", "axis 2");
  for (const unsigned threads : {1u, 2u})
    for (const int b : {8, 16, 32, 64}) {
      print<float>("float32 dct", fft::TransformKind::dct, b, threads);
      print<double>("float64 dct", fft::TransformKind::dct, b, threads);
      print<std::complex<float>>("complex64 dft", fft::TransformKind::dft, b, threads);
      print<std::complex<double>>("complex128 dft", fft::TransformKind::dft, b, threads);
      print<std::complex<double>>("complex128 dct", fft::TransformKind::dct, b, threads);
    }
}
