// The exact results of a plan, by definition, and the errors of its actual results.
#pragma once

#include <fmt/core.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <map>
#include <ostream>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/extents.hpp"
#include "hal/check.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "tests/fft/dft_reference.hpp"
#include "tests/fft/plan/plan_run.hpp"

namespace toroid::testing {

/// An array size and the machine that transforms the array.
struct Sizing {
  std::vector<std::int64_t> size;
  const char* torus;
};

inline void PrintTo(const Sizing& s, std::ostream* out) {
  *out << fmt::format("{} on {}", fmt::join(s.size, "x"), s.torus);
}

inline std::string text_of(const fft::Description& d) {
  constexpr std::array<std::string_view, 2> kPrecisions = {"single", "double"};
  return fmt::format("{} {} {} {} batch {} planes {} window {} cut {}{}",
                     fft::kMethodNames[static_cast<std::size_t>(d.method)], fmt::join(d.size, "x"),
                     d.real ? "real" : "complex",
                     kPrecisions[static_cast<std::size_t>(d.precision)], d.batch, d.overlap.planes,
                     d.overlap.window, d.box_cut, d.return_to_input ? " with return" : "");
}

/// The place of an element of a result in the spectrum before the box cut.
inline fft::Index in_whole_spectrum(const fft::Index& whole, const fft::Description& d,
                                    fft::Index at) {
  for (unsigned axis = 0; axis < d.size.size(); ++axis) {
    const auto kept = static_cast<std::int64_t>(static_cast<double>(whole[axis]) / d.box_cut);
    if (d.box_cut > 1 && at[axis] >= (kept + 1) / 2) at[axis] += whole[axis] - kept;
  }
  return at;
}

/// Calls visit(place in the result, place in the whole spectrum) for every element of the result.
template <typename Visit>
void for_each_frequency(const fft::Description& d, Visit&& visit) {
  const fft::Index whole = fft::in_extents(d);
  const fft::Index result = fft::out_extents(d);
  std::size_t number = 0;
  for_each_element(result, fft::NodeLayout::dense(fft::Box::of(result)),
                   [&](std::size_t, std::size_t) { ++number; });
  for (std::size_t to = 0; to < number; ++to) {
    fft::Index at{};
    auto rest = static_cast<std::int64_t>(to);
    for (unsigned axis = fft::kMaxAxes; axis-- > 0;) {
      at[axis] = rest % result[axis];
      rest /= result[axis];
    }
    at[fft::kBatchAxis] = rest;
    visit(to, place(whole, in_whole_spectrum(whole, d, at)));
  }
}

/// The spectra of all arrays of a batch by definition, one after the other, each in C order.
inline std::vector<Exact> transform_batch(const std::vector<Exact>& arrays,
                                          const fft::Description& d, int sign) {
  std::vector<Exact> all;
  const std::size_t one = arrays.size() / static_cast<std::size_t>(d.batch);
  for (std::size_t begin = 0; begin < arrays.size(); begin += one) {
    const auto first = arrays.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto array =
        dft_reference({first, first + static_cast<std::ptrdiff_t>(one)}, d.size, sign);
    all.insert(all.end(), array.begin(), array.end());
  }
  return all;
}

template <typename T>
std::vector<Exact> exact(const std::vector<T>& values) {
  return {values.begin(), values.end()};
}

/// The exact result of forward.
template <typename In>
std::vector<Exact> forward_reference(const fft::Description& d, const std::vector<In>& arrays) {
  const std::vector<Exact> whole = transform_batch(exact(arrays), d, -1);
  std::vector<Exact> result(static_cast<std::size_t>(fft::Box::of(fft::out_extents(d)).volume()));
  for_each_frequency(d, [&](std::size_t to, std::size_t from) { result[to] = whole[from]; });
  return result;
}

/// For complex data: the exact result of backward with 1/N, applied to the exact result of forward.
template <typename In>
std::vector<Exact> back_reference(const fft::Description& d, const std::vector<In>& arrays) {
  if (d.box_cut == 1) return exact(arrays);
  const std::vector<Exact> result = forward_reference(d, arrays);
  std::vector<Exact> padded(arrays.size());
  for_each_frequency(d, [&](std::size_t to, std::size_t from) { padded[from] = result[to]; });
  std::vector<Exact> back = transform_batch(padded, d, 1);
  const auto n = static_cast<long double>(arrays.size() / static_cast<std::size_t>(d.batch));
  for (Exact& value : back) value /= n;
  return back;
}

/// Relative errors of forward (there) and of backward (back), in the Euclidean norm.
struct Errors {
  double there;
  double back;
};

/// Whether any axis has a prime factor for which the library has no short transform.
inline bool has_large_prime(const fft::Description& d) {
  return std::ranges::any_of(d.size, [](std::int64_t n) {
    for (const std::int64_t prime : {2, 3, 5, 7, 11, 13})
      while (n > 1 && n % prime == 0) n /= prime;
    return n > 1;
  });
}

/// Maximum error of a transform: 4e-16·log2(points) in double precision, 2e-7 in single precision.
/// In single precision it is twice as much if an axis has a large prime factor, because sums are
/// then long.
template <typename Real>
double error_bar(const fft::Description& d) {
  if (std::is_same_v<Real, float>) return has_large_prime(d) ? 4e-7 : 2e-7;
  double points = 1;
  for (const std::int64_t n : d.size) points *= static_cast<double>(n);
  return 4e-16 * std::max(1.0, std::log2(points));
}

/// Maximum error of forward and backward together.
template <typename Real>
double round_trip_bar(const fft::Description& d) {
  return (std::is_same_v<Real, float> ? 2 : 1) * error_bar<Real>(d);
}

/// The input of a plan, and the exact results of forward and backward.
template <typename Number>
struct Expectation {
  std::vector<Number> arrays;  ///< its numbers are exact in both precisions
  std::vector<Exact> there;
  std::vector<Exact> back;
};

/// Input and results are made once for all methods, machines and precisions. Number is float or
/// std::complex<float>.
template <typename Number>
const Expectation<Number>& expectation(const fft::Description& d) {
  static std::map<std::tuple<std::vector<std::int64_t>, std::int64_t, double>, Expectation<Number>>
      known;
  auto [at, is_new] = known.try_emplace({d.size, d.batch, d.box_cut});
  Expectation<Number>& made = at->second;
  if (is_new) {
    made.arrays =
        noise_of<Number>(static_cast<std::size_t>(fft::Box::of(fft::in_extents(d)).volume()), 3);
    made.there = forward_reference(d, made.arrays);
    made.back = back_reference(d, made.arrays);
  }
  return made;
}

template <typename Number, typename In, typename Out>
Errors errors_of(const char* torus, const fft::Description& d, NodeOptions options) {
  const Expectation<Number>& expected = expectation<Number>(d);
  const std::vector<In> arrays(expected.arrays.begin(), expected.arrays.end());
  const auto run = simulate<In, Out>(torus, d, arrays, options);
  return {relative_error(run.result, expected.there), relative_error(run.back, expected.back)};
}

/// The errors of a plan with data of Real's precision.
template <typename Real>
Errors errors_in(const char* torus, fft::Description d, NodeOptions options = {}) {
  d.precision = std::is_same_v<Real, float> ? fft::Precision::single : fft::Precision::double_;
  using Complexes = std::complex<Real>;
  if (d.real) return errors_of<float, Real, Complexes>(torus, d, options);
  return errors_of<std::complex<float>, Complexes, Complexes>(torus, d, options);
}

template <typename Real>
void expect_right_in(const char* torus, const fft::Description& d, NodeOptions options = {}) {
  SCOPED_TRACE(fmt::format("{} on {}", text_of(d), torus));
  const Errors errors = errors_in<Real>(torus, d, options);
  EXPECT_LE(errors.there, error_bar<Real>(d));
  EXPECT_LE(errors.back, round_trip_bar<Real>(d));
}

/// Compares forward with the definition and backward with the input, in both precisions.
inline void expect_right(const char* torus, const fft::Description& d, NodeOptions options = {}) {
  expect_right_in<double>(torus, d, options);
  expect_right_in<float>(torus, d, options);
}

/// Checks one precision. The choice is random, but the same in every run.
inline void expect_right_by_turns(const char* torus, const fft::Description& d,
                                  NodeOptions options = {}) {
  static std::minstd_rand coin;
  if (coin() % 2 == 0) return expect_right_in<float>(torus, d, options);
  expect_right_in<double>(torus, d, options);
}

/// Checks complex and real data.
inline void expect_right_of_any_data(const char* torus, fft::Description d,
                                     NodeOptions options = {}) {
  for (const bool real : {false, true}) {
    d.real = real;
    expect_right(torus, d, options);
  }
}

/// The message with which make() is refused.
template <typename Make>
std::string refusal(Make&& make) {
  try {
    make();
  } catch (const BadInput& bad) {
    return bad.what();
  }
  return "nothing was refused";
}

inline std::string refusal_of(const char* torus, const fft::Description& d) {
  return refusal([&] { const fft::Blueprint blueprint(d, Shape::parse(torus)); });
}

}  // namespace toroid::testing
