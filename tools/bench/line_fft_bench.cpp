// Compares line transforms by every library of this build, measured in turn: complex, forward, out
// of place. The lines take about 1 MiB together. They are either contiguous or interleaved. If they
// are interleaved, the stride between the elements of a line is the number of lines.
#include <fmt/core.h>

#include <array>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fft/kernels/kernel.hpp"
#include "fft/layout/local_array.hpp"
#include "tools/bench/baselines/report.hpp"

namespace toroid::fft::local {
namespace {

constexpr std::array<std::int64_t, 10> kLengths = {8, 16, 32, 64, 128, 256, 512, 100, 121, 127};
constexpr std::size_t kBatchBytes = std::size_t{1} << 20;
constexpr int kTurns = 15;
/// Number of transforms of the whole batch per turn. A turn takes a few milliseconds.
constexpr int kTimesPerTurn = 4;

enum class Arrangement : std::uint8_t { contiguous, strided };
constexpr std::array<std::string_view, 2> kArrangementNames = {"contiguous", "strided"};

struct Batch {
  Precision precision;
  Arrangement arrangement;
  std::int64_t length;

  std::size_t element_bytes() const {
    return precision == Precision::single ? sizeof(std::complex<float>) : sizeof(Complex);
  }
  std::int64_t lines() const {
    return static_cast<std::int64_t>(kBatchBytes / element_bytes()) / length;
  }
  Work work() const {
    const bool contiguous = arrangement == Arrangement::contiguous;
    const std::int64_t within = contiguous ? 1 : lines();
    const std::int64_t between = contiguous ? length : 1;
    Work work;
    work.axes[0] = {length, within, within, true};
    work.axes[1] = {lines(), between, between, false};
    work.precision = precision;
    work.in_place = false;
    return work;
  }
  /// The conventional operation count of FFT benchmarks, independent of the algorithm.
  double operations() const {
    const auto n = static_cast<double>(length);
    return 5 * n * std::log2(n) * static_cast<double>(lines());
  }
};

struct Contestant {
  std::string name;
  LibraryName library;
  Rigor rigor;
};

/// The last contestant is compared with all others.
std::vector<Contestant> contestants() {
  std::vector<Contestant> all;
  if (has(LibraryName::fftw)) {
    all.push_back({"fftw estimate", LibraryName::fftw, Rigor::estimate});
    all.push_back({"fftw measure", LibraryName::fftw, Rigor::measure});
  } else {
    fmt::print("skipping fftw: this build does not include it (TOROID_FFTW)\n");
  }
  all.push_back({"kissfft", LibraryName::kissfft, Rigor::estimate});
  return all;
}

/// Fills the array with unequal values. No result is transformed again, so values do not grow.
template <typename Real>
void fill(LocalArray& array) {
  auto* const numbers = array.as<Real>();
  for (std::size_t i = 0; i < kBatchBytes / sizeof(Real); ++i)
    numbers[i] = static_cast<Real>(i % 17) - 8;
}

double seconds_of_turn(const Kernel& kernel, const LocalArray& in, LocalArray& out) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kTimesPerTurn; ++i) kernel.run(in.data(), out.data());
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  return taken.count() / kTimesPerTurn;
}

/// Seconds by [contestant][turn]. An extra first turn warms the caches.
std::vector<std::vector<double>> race(const std::vector<Contestant>& all, const Batch& batch) {
  LocalArray in = LocalArray::of_bytes(kBatchBytes);
  LocalArray out = LocalArray::of_bytes(kBatchBytes);
  batch.precision == Precision::single ? fill<float>(in) : fill<double>(in);
  std::vector<std::shared_ptr<const Kernel>> kernels;
  for (const Contestant& one : all) {
    kernels.push_back(library(one.library).plan(batch.work(), one.rigor));
    seconds_of_turn(*kernels.back(), in, out);
  }
  std::vector<std::vector<double>> seconds(all.size());
  for (int turn = 0; turn < kTurns; ++turn)
    for (std::size_t i = 0; i < all.size(); ++i)
      seconds[i].push_back(seconds_of_turn(*kernels[i], in, out));
  return seconds;
}

/// Median over the turns of the last contestant's time divided by another's.
double last_against(const std::vector<std::vector<double>>& seconds, std::size_t other) {
  std::vector<double> ratios;
  for (std::size_t turn = 0; turn < seconds.back().size(); ++turn)
    ratios.push_back(seconds.back()[turn] / seconds[other][turn]);
  return baseline::median(ratios);
}

void print_heading(const std::vector<Contestant>& all) {
  fmt::print("GFLOP/s, 5n·log2 n FLOP per line; last columns: time of {} / time of the other\n",
             all.back().name);
  fmt::print("{:<9} {:<10} {:>6} {:>6}", "precision", "lines are", "length", "lines");
  for (const Contestant& one : all) fmt::print(" {:>14}", one.name);
  for (std::size_t i = 0; i + 1 < all.size(); ++i) fmt::print(" {:>15}", "/ " + all[i].name);
  fmt::print("\n");
}

void print_row(const std::vector<Contestant>& all, const Batch& batch) {
  const auto seconds = race(all, batch);
  fmt::print("{:<9} {:<10} {:>6} {:>6}", batch.precision == Precision::single ? "single" : "double",
             kArrangementNames[static_cast<std::size_t>(batch.arrangement)], batch.length,
             batch.lines());
  for (const auto& one : seconds)
    fmt::print(" {:>14.2f}", batch.operations() / baseline::median(one) / 1e9);
  for (std::size_t i = 0; i + 1 < all.size(); ++i)
    fmt::print(" {:>15.2f}", last_against(seconds, i));
  fmt::print("\n");
}

void print_all() {
  const std::vector<Contestant> all = contestants();
  print_heading(all);
  for (const Precision precision : {Precision::double_, Precision::single})
    for (const Arrangement arrangement : {Arrangement::contiguous, Arrangement::strided})
      for (const std::int64_t length : kLengths) print_row(all, {precision, arrangement, length});
}

}  // namespace
}  // namespace toroid::fft::local

int main() {
  toroid::fft::local::print_all();
}
