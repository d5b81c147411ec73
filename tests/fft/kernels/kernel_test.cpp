#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numbers>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "fft/kernels/kernel.hpp"
#include "fft/layout/local_array.hpp"
#include "hal/check.hpp"
#include "tests/fft/kernels/every_library.hpp"

namespace toroid::fft::local {
namespace {

using Exact = std::complex<long double>;
using Lengths = std::vector<std::int64_t>;

constexpr std::array kKinds = {Kind::forward, Kind::inverse, Kind::real_to_half,
                               Kind::half_to_real};
constexpr std::array kPrecisions = {Precision::single, Precision::double_};

bool real(Kind kind) {
  return kind == Kind::real_to_half || kind == Kind::half_to_real;
}

/// Transforms a dense array in C order along one axis, by definition.
std::vector<Exact> along(const std::vector<Exact>& x, std::int64_t n, std::int64_t stride,
                         int sign) {
  std::vector<Exact> roots;
  for (std::int64_t k = 0; k < n; ++k)
    roots.push_back(
        std::polar(1.0L, 2 * sign * std::numbers::pi_v<long double> * static_cast<long double>(k) /
                             static_cast<long double>(n)));
  std::vector<Exact> y(x.size());
  for (std::size_t at = 0; at < x.size(); ++at) {
    const std::int64_t k = static_cast<std::int64_t>(at) / stride % n;
    for (std::int64_t j = 0; j < n; ++j)
      y[at] += x[at + static_cast<std::size_t>((j - k) * stride)] *
               roots[static_cast<std::size_t>(j * k % n)];
  }
  return y;
}

/// The result of `work` on a dense array of `lengths` (those of the real side), by definition.
std::vector<Exact> by_definition(std::vector<Exact> x, const Lengths& lengths, const Work& work,
                                 int sign) {
  std::int64_t stride = 1;
  for (std::size_t a = lengths.size(); a-- > 0; stride *= lengths[a])
    if (work.axes[a].transformed) x = along(x, lengths[a], stride, sign);
  return x;
}

/// The places of the elements of a work's input or output.
struct Layout {
  Lengths lengths;
  Lengths strides;
  bool complex = true;
  std::int64_t extent = 1;  ///< number of elements, with some spare room at the end
};

/// Nests the axes in the given order, the last one fastest. After each line, plane and so on there
/// are `gap` unused elements.
Layout layout(Lengths lengths, const std::vector<std::size_t>& order, std::int64_t gap,
              bool complex) {
  Layout layout{lengths, Lengths(lengths.size()), complex, 1};
  for (std::size_t i = order.size(); i-- > 0;) {
    layout.strides[order[i]] = layout.extent;
    layout.extent = layout.extent * lengths[order[i]] + gap;
  }
  return layout;
}

struct Trial {
  Lengths lengths;
  Work work;
  Layout in, out;
};

/// Work on axes of `lengths`; the bits of `set` say which axes are transformed.
Trial trial(const Lengths& lengths, unsigned set, Kind kind, Precision precision) {
  Trial trial{lengths, {{}, kind, precision, false, true}, {}, {}};
  Lengths half = lengths;
  for (std::size_t a = 0; a < lengths.size(); ++a)
    trial.work.axes[a] = {lengths[a], 1, 1, (set >> a & 1) != 0};
  if (set != 0) {
    const auto last = static_cast<std::size_t>(std::bit_width(set) - 1);
    half[last] = half[last] / 2 + 1;
  }
  const bool to_half = kind == Kind::real_to_half && set != 0;
  const bool from_half = kind == Kind::half_to_real && set != 0;
  trial.in = {from_half ? half : lengths, {}, !real(kind) || from_half, 1};
  trial.out = {to_half ? half : lengths, {}, !real(kind) || to_half, 1};
  return trial;
}

/// The input is in C order without gaps or, if `strange`, in the reverse order with gaps. The
/// output is laid out like the input, but if it is `strange` and not in place, its axes are also
/// rotated.
void lay_out(Trial& trial, bool strange, bool in_place) {
  std::vector<std::size_t> order(trial.lengths.size());
  for (std::size_t a = 0; a < order.size(); ++a) order[a] = strange ? order.size() - 1 - a : a;
  trial.in = layout(trial.in.lengths, order, strange ? 3 : 0, trial.in.complex);
  if (strange && !in_place) std::ranges::rotate(order, order.begin() + 1);
  trial.out =
      in_place ? trial.in : layout(trial.out.lengths, order, strange ? 2 : 0, trial.out.complex);
  trial.work.in_place = in_place;
  for (std::size_t a = 0; a < order.size(); ++a) {
    trial.work.axes[a].in_stride = trial.in.strides[a];
    trial.work.axes[a].out_stride = trial.out.strides[a];
  }
}

/// Memory for a kernel, filled with numbers that no transform of these tests gives.
template <typename Real>
class Place {
 public:
  static constexpr Real kUnused = 12345;

  Place(const Layout& layout, bool aligned)
      : layout_(layout),
        numbers_(static_cast<std::size_t>(layout.extent) * (layout.complex ? 2 : 1)),
        memory_((numbers_ + 2) * sizeof(Real) / sizeof(fft::Complex) + 1),
        first_(reinterpret_cast<Real*>(memory_.data()) + (aligned ? 0 : 1)) {
    std::fill_n(first_, numbers_, kUnused);
  }
  Real* data() { return first_; }
  std::vector<Real> content() const { return {first_, first_ + numbers_}; }
  Exact at(std::size_t number) const {
    return {first_[number], layout_.complex ? first_[number + 1] : 0};
  }
  void set(std::size_t number, Exact value) {
    first_[number] = static_cast<Real>(value.real());
    if (layout_.complex) first_[number + 1] = static_cast<Real>(value.imag());
  }

  /// Calls visit with an element's number in a dense array of `lengths` and the number of its first
  /// real number in this memory.
  template <typename Use>
  void each(const Lengths& lengths, Use use) const {
    std::size_t elements = 1;
    for (const std::int64_t length : lengths) elements *= static_cast<std::size_t>(length);
    for (std::size_t dense = 0; dense < elements; ++dense) {
      std::int64_t rest = static_cast<std::int64_t>(dense), place = 0;
      bool here = true;
      for (std::size_t a = lengths.size(); a-- > 0; rest /= lengths[a]) {
        place += rest % lengths[a] * layout_.strides[a];
        here = here && rest % lengths[a] < layout_.lengths[a];
      }
      if (here) use(dense, static_cast<std::size_t>(place) * (layout_.complex ? 2 : 1));
    }
  }

 private:
  Layout layout_;
  std::size_t numbers_;
  LocalArray memory_;
  Real* first_;
};

std::vector<Exact> some_values(const Lengths& lengths, bool real) {
  std::size_t elements = 1;
  for (const std::int64_t length : lengths) elements *= static_cast<std::size_t>(length);
  std::vector<Exact> values(elements);
  for (std::size_t i = 0; i < elements; ++i) {
    const Exact value = std::polar(1.0L, static_cast<long double>(i * i % 1009));
    values[i] = real ? value.real() : value;
  }
  return values;
}

/// Input and expected output, both dense.
std::pair<std::vector<Exact>, std::vector<Exact>> given_and_expected(const Trial& trial) {
  std::vector<Exact> given = some_values(trial.lengths, real(trial.work.kind));
  const bool inverse = trial.work.kind == Kind::inverse || trial.work.kind == Kind::half_to_real;
  // The input must be the spectrum of real data: no other spectrum has a real inverse.
  if (trial.work.kind == Kind::half_to_real)
    given = by_definition(std::move(given), trial.lengths, trial.work, -1);
  return {given, by_definition(given, trial.lengths, trial.work, inverse ? +1 : -1)};
}

template <typename Real>
void expect_elements(const Trial& trial, const Place<Real>& place,
                     const std::vector<Exact>& expected) {
  long double largest = 1;
  for (const Exact& value : expected) largest = std::max(largest, std::abs(value));
  const long double error = 16 * std::numeric_limits<Real>::epsilon() * largest;
  std::size_t used = 0;
  place.each(trial.lengths, [&](std::size_t dense, std::size_t number) {
    EXPECT_LE(std::abs(place.at(number) - expected[dense]), error) << dense;
    used += trial.out.complex ? 2 : 1;
  });
  const std::vector<Real> content = place.content();
  EXPECT_EQ(std::ranges::count(content, Place<Real>::kUnused),
            static_cast<std::ptrdiff_t>(content.size() - used))
      << "a kernel has written into a gap";
}

template <typename Real>
void run(const Library& library, const Trial& trial) {
  const auto [given, expected] = given_and_expected(trial);
  Place<Real> in(trial.in, trial.work.aligned);
  Place<Real> out(trial.out, trial.work.aligned);
  in.each(trial.lengths, [&, &values = given](std::size_t dense, std::size_t number) {
    in.set(number, values[dense]);
  });
  const std::vector<Real> before = in.content();
  const auto kernel = library.plan(trial.work, Rigor::estimate);
  if (trial.work.in_place) {
    kernel->run(in.data(), in.data());
    return expect_elements(trial, in, expected);
  }
  kernel->run(in.data(), out.data());
  expect_elements(trial, out, expected);
  if (trial.work.kind == Kind::half_to_real) return;
  EXPECT_EQ(in.content(), before);
}

/// Tries both layouts, in place and not in place, aligned and not aligned.
void try_all_ways(const Library& library, Trial trial) {
  for (unsigned way = 0; way < 8; ++way) {
    if ((way & 2) != 0 && real(trial.work.kind)) continue;
    lay_out(trial, (way & 1) != 0, (way & 2) != 0);
    trial.work.aligned = (way & 4) == 0;
    if (trial.work.precision == Precision::single)
      run<float>(library, trial);
    else
      run<double>(library, trial);
  }
}

void try_all_kinds(const Library& library, const Lengths& lengths, unsigned set) {
  for (const Kind kind : kKinds)
    for (const Precision precision : kPrecisions) {
      SCOPED_TRACE(fmt::format("axes {}: {:b} of kind {} in precision {}", fmt::join(lengths, "x"),
                               set, static_cast<int>(kind), static_cast<int>(precision)));
      try_all_ways(library, trial(lengths, set, kind, precision));
    }
}

class Kernels : public testing::EveryLibrary {};

INSTANTIATE_TEST_SUITE_P(Of, Kernels, ::testing::ValuesIn(Kernels::names()), Kernels::text_of);

TEST_P(Kernels, TransformsOrCopiesAnySubsetOfTheAxes) {
  for (const Lengths& lengths : {Lengths{3, 1, 4, 2}, {2, 5, 1}, {6, 7}})
    for (unsigned set = 0; set < 1u << lengths.size(); ++set)
      try_all_kinds(library(), lengths, set);
}

TEST_P(Kernels, TransformsPrimeAndCompositeLengths) {
  for (const std::int64_t length : {1, 2, 3, 8, 13, 15, 20, 31, 64}) {
    try_all_kinds(library(), {length}, 1);
    try_all_kinds(library(), {3, length}, 2);
    try_all_kinds(library(), {length, 2}, 1);
  }
}

TEST_P(Kernels, TransformsFourOfSixAxes) {
  for (const unsigned set : {0b111100u, 0b001111u, 0b110110u, 0b101101u, 0b000000u})
    try_all_kinds(library(), {2, 3, 2, 3, 1, 4}, set);
}

TEST_P(Kernels, TakesAHalvedAxisThatIsFirstInMemory) {
  Trial trial = local::trial({4, 6}, 3, Kind::real_to_half, Precision::double_);
  trial.in = layout(trial.in.lengths, {1, 0}, 0, false);
  trial.out = layout(trial.out.lengths, {1, 0}, 1, true);
  for (std::size_t a = 0; a < 2; ++a) {
    trial.work.axes[a].in_stride = trial.in.strides[a];
    trial.work.axes[a].out_stride = trial.out.strides[a];
  }
  run<double>(library(), trial);
}

TEST_P(Kernels, DoesNothingForEmptyArrays) {
  for (const Kind kind : kKinds)
    for (const bool transformed : {false, true}) {
      Work work{{}, kind, Precision::single, !real(kind)};
      work.axes[0] = {7, 1, 1, true};
      work.axes[1] = {0, 7, 7, transformed};
      library().plan(work, Rigor::measure)->run(nullptr, nullptr);
    }
}

Work line(std::int64_t length, Precision precision) {
  Work work{{}, Kind::forward, precision};
  work.axes[0] = {length, 1, 1, true};
  return work;
}

TEST_P(Kernels, RefusesArraysItWasNotPlannedFor) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  LocalArray array(32);
  const auto kernel = library().plan(line(16, Precision::single), Rigor::estimate);
  EXPECT_DEATH(kernel->run(array.data(), array.data() + 16), "in_place");
  std::byte* odd = reinterpret_cast<std::byte*>(array.data()) + 8;
  if (GetParam() == LibraryName::fftw) {  // KissFFT takes any address
    EXPECT_DEATH(kernel->run(odd, odd), "alignment");
  }
  Work real = line(16, Precision::double_);
  real.kind = Kind::real_to_half;
  EXPECT_DEATH(library().plan(real, Rigor::estimate), "in_place");
}

/// Transforms adjacent lines of 64 elements in place. The array is large enough to be measured in
/// tiles.
template <typename Real>
void expect_same_whether_measured_or_not(const Library& library, Precision precision,
                                         std::int64_t columns) {
  const std::int64_t stride = columns + 8;
  Work work{{}, Kind::inverse, precision};
  work.axes[0] = {columns / 64, 64, 64, false};
  work.axes[1] = {64, stride, stride, true};
  work.axes[2] = {64, 1, 1, false};
  const Layout all{{64 * stride}, {1}, true, 64 * stride};
  Place<Real> estimated(all, true), measured(all, true);
  for (std::int64_t i = 0; i < 2 * 64 * stride; ++i)
    estimated.data()[i] = measured.data()[i] = static_cast<Real>(i * i % 1001) / 1001;
  library.plan(work, Rigor::estimate)->run(estimated.data(), estimated.data());
  library.plan(work, Rigor::measure)->run(measured.data(), measured.data());
  const Real error = 1000 * std::numeric_limits<Real>::epsilon();
  for (std::int64_t i = 0; i < 2 * 64 * stride; ++i)
    ASSERT_LT(std::abs(estimated.data()[i] - measured.data()[i]), error);
}

TEST_P(Kernels, GivesTheSameResultForManyAdjacentLinesWhetherMeasuredOrNot) {
  expect_same_whether_measured_or_not<double>(library(), Precision::double_, 2048);
  expect_same_whether_measured_or_not<float>(library(), Precision::single, 4096);
}

TEST_P(Kernels, EqualWorkIsPlannedOnlyOnce) {
  const Work work = line(48, Precision::double_);
  const auto kernel = library().plan(work, Rigor::estimate);
  EXPECT_EQ(library().plan(work, Rigor::estimate), kernel);
  EXPECT_NE(library().plan(work, Rigor::measure), kernel);
  Work unaligned = work;
  unaligned.aligned = false;
  EXPECT_NE(library().plan(unaligned, Rigor::estimate), kernel);
  EXPECT_NE(library().plan(line(48, Precision::single), Rigor::estimate), kernel);
}

TEST_P(Kernels, MayBePlannedAndRunBySeveralThreadsAtOnce) {
  constexpr std::size_t kThreads = 4;
  std::array<std::vector<std::shared_ptr<const Kernel>>, kThreads> kernels;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&mine = kernels[t], t] {
      LocalArray array(64);
      for (std::size_t i = 0; i < 16; ++i) {
        std::fill_n(array.data(), 64, fft::Complex{});
        const auto length = static_cast<std::int64_t>(20 + (i + 4 * t) % 16);
        for (const Precision precision : kPrecisions) {
          mine.push_back(library().plan(line(length, precision), Rigor::measure));
          mine.back()->run(array.data(), array.data());
        }
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (auto& mine : kernels) std::ranges::sort(mine);
  for (const auto& mine : kernels) EXPECT_EQ(mine, kernels[0]);
}

/// Compares the reference with the definition, forward and inverse.
TEST(Reference, TransformsWholeArrays) {
  const Lengths size = {3, 2, 5, 1, 2, 4};
  Trial trial = local::trial(size, 0b111111, Kind::inverse, Precision::double_);
  const auto [given, expected] = given_and_expected(trial);
  std::vector<std::complex<double>> array(given.begin(), given.end());
  serial_reference(size, +1, array);
  for (std::size_t i = 0; i < array.size(); ++i)
    EXPECT_LT(std::abs(array[i] - std::complex<double>(expected[i])), 1e-12);
  serial_reference(size, -1, array);
  for (std::size_t i = 0; i < array.size(); ++i)
    EXPECT_LT(std::abs(array[i] - 240.0 * std::complex<double>(given[i])), 1e-11);
  serial_reference(Lengths{3, 0, 2}, -1, {});
}

TEST(Reference, TransformsRealArraysToHalvesAndBack) {
  const Lengths size = {3, 4, 5};
  Trial trial = local::trial(size, 0b111, Kind::real_to_half, Precision::double_);
  const auto [given, expected] = given_and_expected(trial);
  std::vector<double> array;
  for (const Exact& value : given) array.push_back(static_cast<double>(value.real()));
  std::vector<std::complex<double>> half(3 * 4 * 3);
  serial_reference(size, std::span<const double>(array), half);
  for (std::size_t row = 0; row < 12; ++row)
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_LT(std::abs(half[3 * row + k] - std::complex<double>(expected[5 * row + k])), 1e-13);
  std::vector<double> back(60);
  serial_reference(size, half, std::span<double>(back));
  for (std::size_t i = 0; i < 60; ++i) EXPECT_NEAR(back[i], 60 * array[i], 1e-12);
}

}  // namespace
}  // namespace toroid::fft::local
