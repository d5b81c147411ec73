// Runs an orbital transform and gathers its result, for the tests of orbital transforms.
#pragma once

#include <fmt/core.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/orbital/base.hpp"
#include "fft/orbital/plan.hpp"
#include "fft/orbital/product.hpp"
#include "fft/orbital/transform.hpp"
#include "fft/plan/square_matrix.hpp"
#include "fft/plan/transform_kind.hpp"
#include "hal/fabric.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/runner.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/fft/reference.hpp"

namespace toroid::testing {

template <typename T>
constexpr fft::ElementType kElementType = fft::ElementType::complex128;
template <>
inline constexpr fft::ElementType kElementType<float> = fft::ElementType::float32;
template <>
inline constexpr fft::ElementType kElementType<double> = fft::ElementType::float64;
template <>
inline constexpr fft::ElementType kElementType<std::complex<float>> = fft::ElementType::complex64;

/// Calls visit(place in the array, place in the block) for a block's elements, both in C order.
template <typename Visit>
void for_each_in(const fft::Box& box, const fft::ArrayExtents& size, Visit&& visit) {
  std::size_t local = 0;
  for (auto i = box.lo[0]; i < box.hi[0]; ++i)
    for (auto j = box.lo[1]; j < box.hi[1]; ++j)
      for (auto k = box.lo[2]; k < box.hi[2]; ++k)
        visit(static_cast<std::size_t>((i * size[1] + j) * size[2] + k), local++);
}

template <typename T>
struct OrbitalRun {
  std::vector<T> result;                              ///< the array in C order
  std::vector<std::vector<std::uint64_t>> shifted;    ///< [node][step]: numbers that it sent
  std::vector<std::vector<fft::OrbitalTimes>> times;  ///< [node][stage]: times of the last run
};

/// Transforms the same array `times` times, one run after the other.
template <typename T>
Program transform_again(Node& node, fft::OrbitalTransform<T>& transform,
                        const std::vector<T>& array, unsigned times) {
  for (unsigned i = 0; i < times; ++i) {
    const std::span<T> input = transform.input();
    for_each_in(transform.plan().input_box(node.rank()), transform.plan().size(),
                [&](std::size_t from, std::size_t to) { input[to] = array[from]; });
    Program once = fft::orbital_transform(node, transform);
    co_await node.perform(once);
  }
}

template <typename T>
OrbitalRun<T> orbital_on(Fabric& fabric, const fft::OrbitalPlan& plan, const std::vector<T>& array,
                         NodeOptions options = {.settings = {.output_queues = 2}},
                         unsigned times = 1) {
  Runner runner(fabric, options);
  std::deque<fft::OrbitalTransform<T>> transforms;
  runner.run([&](Node& node) {
    return transform_again<T>(node, transforms.emplace_back(node, plan), array, times);
  });
  OrbitalRun<T> run{std::vector<T>(array.size(), T(1e30f)), {}, {}};
  for (Rank r = 0; r < transforms.size(); ++r) {
    fft::OrbitalTransform<T>& transform = transforms[r];
    const std::span<const T> output = transform.output();
    for_each_in(plan.output_box(r), plan.size(),
                [&](std::size_t to, std::size_t from) { run.result[to] = output[from]; });
    run.shifted.emplace_back(transform.numbers_shifted().begin(),
                             transform.numbers_shifted().end());
    run.times.emplace_back(transform.times().begin(), transform.times().end());
  }
  return run;
}

inline Shape cube_of(unsigned extent) {
  return Shape::parse(fmt::format("{0}x{0}x{0}", extent));
}
inline fft::ArrayExtents cube_size(std::int64_t n) {
  return {n, n, n};
}

/// Runs the transform on the model.
template <typename T>
OrbitalRun<T> orbital(unsigned extent, const fft::ArrayExtents& size, fft::OrbitalOptions options,
                      const std::vector<T>& array, unsigned times = 1) {
  options.element = kElementType<T>;
  const auto fabric = make_sim_fabric(cube_of(extent), Machine{});
  return orbital_on(*fabric, fft::OrbitalPlan(size, cube_of(extent), options), array,
                    {.settings = {.output_queues = 2}}, times);
}
template <typename T>
OrbitalRun<T> orbital(unsigned extent, std::int64_t n, const fft::OrbitalOptions& options,
                      const std::vector<T>& array, unsigned times = 1) {
  return orbital(extent, cube_size(n), options, array, times);
}

/// The result by definition. REQUIRES: the sign is forward if an axis has a matrix.
template <typename T>
std::vector<Exact> expected(const fft::ArrayExtents& size, const fft::OrbitalOptions& options,
                            const std::vector<T>& array) {
  std::vector<ReferenceAxis> axes;
  for (unsigned axis = 0; axis < 3; ++axis) {
    const fft::AxisTransform& transform = options.kinds[axis];
    ReferenceAxis& reference = axes.emplace_back();
    reference.extent = static_cast<std::size_t>(size[axis]);
    reference.kind = transform.kind;
    reference.sign = options.sign;
    if (transform.kind != fft::TransformKind::matrix) continue;
    for (std::int64_t row = 0; row < size[axis]; ++row)
      for (std::int64_t column = 0; column < size[axis]; ++column)
        reference.own.push_back(transform.matrix->at(row, column));
  }
  return reference_transform(axes, exactly<T>(array));
}

/// A matrix of random numbers, complex or real.
template <typename T>
fft::AxisTransform noise_matrix(std::int64_t n, unsigned seed) {
  const std::vector<T> noise = noise_of<T>(static_cast<std::size_t>(n * n), seed);
  const std::vector<std::complex<double>> values(noise.begin(), noise.end());
  return std::make_shared<const fft::SquareMatrix>("noise", n, values);
}

/// The maximum relative error of a transform of elements of T, if n is its longest extent.
template <typename T>
double allowed(std::int64_t n) {
  const bool single = std::is_same_v<typename fft::RealOf<T>::type, float>;
  return (single ? 2e-7 : 4e-16) * static_cast<double>(n);
}

}  // namespace toroid::testing
