#include <gtest/gtest.h>
#include <array>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <numbers>
#include <ostream>
#include <type_traits>
#include <utility>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/layout/local_array.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/convolution.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/extents.hpp"
#include "fft/plan/plan.hpp"
#include "fft/plan/transform_kind.hpp"
#include "hal/check.hpp"
#include "hal/fabric.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/runner.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/fft/plan/plan_run.hpp"
#include "tests/router/shm/ring_machine.hpp"

namespace toroid::fft {
namespace {

using testing::for_each_element;
using testing::noise_of;
using testing::place;
using testing::relative_error;

using Size = std::vector<std::int64_t>;
using Factor = std::function<Complex(const WaveVector&)>;

template <typename T>
constexpr bool kIsSingle = std::is_same_v<T, float> || std::is_same_v<T, std::complex<float>>;
template <typename T>
using PartOf = std::conditional_t<kIsSingle<T>, float, double>;
template <typename T>
constexpr double kTolerance = kIsSingle<T> ? 1e-6 : 1e-14;

template <typename T>
struct ConvolutionNode {
  ConvolutionNode(Node& node, std::shared_ptr<const Blueprint> blueprint)
      : convolution(node, std::move(blueprint)), in(convolution.size()), out(convolution.size()) {}
  Convolution convolution;
  std::vector<T> in;
  std::vector<T> out;
};

template <typename T>
Program apply_once(Node&, ConvolutionNode<T>& self, const Factor& factor) {
  co_await self.convolution.apply(self.in, self.out, factor);
}

/// Convolves three times: first from array to array, then twice in place.
template <typename T>
Program apply_thrice(Node&, ConvolutionNode<T>& self, const Factor& factor) {
  co_await self.convolution.apply(self.in, self.out, factor);
  co_await self.convolution.apply(self.out, self.out, factor);
  co_await self.convolution.apply(self.out, self.out, factor);
}

template <typename T>
using NodeProgram = Program (*)(Node&, ConvolutionNode<T>&, const Factor&);

template <typename T>
std::vector<T> convolve_on(Fabric& fabric, const Description& description,
                           const std::vector<T>& array, const Factor& factor,
                           NodeProgram<T> program = apply_once<T>) {
  const auto blueprint = std::make_shared<const Blueprint>(description, fabric.shape());
  const Index& extents = blueprint->in_extents();
  Runner runner(fabric);
  std::deque<ConvolutionNode<T>> sides;
  runner.run([&](Node& node) {
    auto& side = sides.emplace_back(node, blueprint);
    for_each_element(extents, side.convolution.layout(),
                     [&](std::size_t from, std::size_t to) { side.in[to] = array[from]; });
    return program(node, side, factor);
  });
  std::vector<T> result(array.size());
  for (const auto& side : sides)
    for_each_element(extents, side.convolution.layout(),
                     [&](std::size_t to, std::size_t from) { result[to] = side.out[from]; });
  return result;
}

/// Runs the convolution on the model.
template <typename T>
std::vector<T> convolve(const char* torus, Description description, const std::vector<T>& array,
                        const Factor& factor, NodeProgram<T> program = apply_once<T>) {
  description.real = std::is_floating_point_v<T>;
  description.precision = kIsSingle<T> ? Precision::single : Precision::double_;
  const auto fabric = make_sim_fabric(Shape::parse(torus), Machine{});
  return convolve_on(*fabric, description, array, factor, program);
}

template <typename T>
std::vector<T> noise_of(const Description& description, unsigned seed) {
  return noise_of<T>(static_cast<std::size_t>(Box::of(in_extents(description)).volume()), seed);
}

/// All indices of a batch: array by array, and in C order within an array.
std::vector<Index> indices(const Index& extents) {
  std::vector<Index> all;
  for_each_element(extents, NodeLayout::dense(Box::of(extents)), [&](std::size_t, std::size_t at) {
    Index index{};
    std::int64_t rest = static_cast<std::int64_t>(at);
    for (unsigned level = kAxes; level-- > 0;) {
      index[kCOrder[level]] = rest % extents[kCOrder[level]];
      rest /= extents[kCOrder[level]];
    }
    all.push_back(index);
  });
  std::ranges::sort(all, {}, [&](const Index& at) { return place(extents, at); });
  return all;
}

Index cyclic(const Index& a, const Index& b, const Index& extents, int sign) {
  Index sum = a;
  for (unsigned axis = 0; axis < kMaxAxes; ++axis)
    sum[axis] = (a[axis] + sign * b[axis] + extents[axis]) % extents[axis];
  return sum;
}

/// exp(-2 pi i k n / N), where n is the index `at`.
std::complex<long double> wave(const Description& description, const WaveVector& k,
                               const Index& at) {
  long double turns = 0;
  for (unsigned axis = 0; axis < description.size.size(); ++axis)
    turns += static_cast<long double>(k[axis] * at[axis]) /
             static_cast<long double>(description.size[axis]);
  return std::polar(1.0L, -2 * std::numbers::pi_v<long double> * turns);
}

struct ConvolutionCase {
  Method method;
  Size size;
  const char* torus;
  std::int64_t batch = 1;
  bool returns = false;

  Description description() const {
    Description description;
    description.size = size;
    description.method = method;
    description.batch = batch;
    description.return_to_input = returns;
    return description;
  }
};

void PrintTo(const ConvolutionCase& c, std::ostream* out) {
  *out << kMethodNames[static_cast<std::size_t>(c.method)] << ' '
       << ::testing::PrintToString(c.size) << " on " << c.torus << ", batch " << c.batch
       << (c.returns ? ", returned" : "");
}

const std::vector<ConvolutionCase>& cases() {
  using enum Method;
  static const std::vector<ConvolutionCase> kCases = {{volumetric, {4, 6, 5}, "1"},
                                                      {volumetric, {4, 6, 5}, "3"},
                                                      {volumetric, {5, 4, 6}, "2x3"},
                                                      {volumetric, {5, 6, 7}, "2x2x2"},
                                                      {volumetric, {4, 4, 4}, "2x1x2", 3},
                                                      {volumetric, {3, 4, 5}, "5x2", 1, true},
                                                      {volumetric, {6, 5, 4}, "2x2x3m", 2},
                                                      {slab, {6, 5, 4}, "1"},
                                                      {slab, {5, 6, 5}, "4"},
                                                      {slab, {6, 6, 4}, "2x2", 3},
                                                      {slab, {4, 5, 6}, "3", 1, true},
                                                      {rows, {16}, "1"},
                                                      {rows, {7, 6}, "2x2"},
                                                      {rows, {5, 4, 6}, "7"},
                                                      {rows, {3, 4, 2, 5}, "2x3", 2},
                                                      {rows, {2, 3, 2, 2, 3}, "5"},
                                                      {rows, {4, 5, 3}, "2x2", 1, true}};
  return kCases;
}

template <typename T>
class ConvolutionOf : public ::testing::Test {};
using Elements = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(ConvolutionOf, Elements);

TYPED_TEST(ConvolutionOf, ReturnsItsInputForAFactorOfOne) {
  for (const ConvolutionCase& c : cases()) {
    const auto array = noise_of<TypeParam>(c.description(), 1);
    const auto one = [](const WaveVector&) { return 1.0; };
    const auto result = convolve(c.torus, c.description(), array, one);
    EXPECT_LT(relative_error(result, array), kTolerance<TypeParam>) << ::testing::PrintToString(c);
  }
}

TYPED_TEST(ConvolutionOf, ShiftsCyclicallyByAPhaseFactor) {
  const Index shift = {1, 2, 3, 1, 2};
  for (const ConvolutionCase& c : cases()) {
    const Description description = c.description();
    const Index extents = in_extents(description);
    const auto array = noise_of<TypeParam>(description, 2);
    std::vector<TypeParam> expected(array.size());
    Index by = shift;
    for (unsigned axis = 0; axis < kMaxAxes; ++axis) by[axis] %= extents[axis];
    for (const Index& at : indices(extents))
      expected[place(extents, cyclic(at, by, extents, 1))] = array[place(extents, at)];
    const auto turns = [&](const WaveVector& k) { return Complex(wave(description, k, by)); };
    const auto result = convolve(c.torus, description, array, turns);
    EXPECT_LT(relative_error(result, expected), kTolerance<TypeParam>)
        << ::testing::PrintToString(c);
  }
}

/// The cyclic convolution of every array of a batch with one kernel, by definition.
template <typename T>
std::vector<std::complex<long double>> direct(const Description& description,
                                              const std::vector<T>& array,
                                              const std::vector<T>& kernel) {
  const Index extents = in_extents(description);
  std::vector<std::complex<long double>> result(array.size());
  for (const Index& at : indices(extents))
    for (const Index& by : indices(extents_of(description.size)))
      result[place(extents, at)] +=
          std::complex<long double>(array[place(extents, cyclic(at, by, extents, -1))]) *
          std::complex<long double>(kernel[place(extents, by)]);
  return result;
}

TYPED_TEST(ConvolutionOf, ConvolvesCyclicallyIfTheFactorIsAKernelsSpectrum) {
  for (const ConvolutionCase& c : cases()) {
    const Description description = c.description();
    const Index one = extents_of(description.size);
    const auto array = noise_of<TypeParam>(description, 3);
    const auto kernel = noise_of<TypeParam>(static_cast<std::size_t>(Box::of(one).volume()), 4);
    const auto at_every = indices(one);
    const auto spectrum = [&](const WaveVector& k) {
      std::complex<long double> sum = 0;
      for (const Index& at : at_every)
        sum += wave(description, k, at) * std::complex<long double>(kernel[place(one, at)]);
      return Complex(sum);
    };
    const auto result = convolve(c.torus, description, array, spectrum);
    EXPECT_LT(relative_error(result, direct(description, array, kernel)), kTolerance<TypeParam>)
        << ::testing::PrintToString(c);
  }
}

TYPED_TEST(ConvolutionOf, DifferentiatesAPlaneWave) {
  Description description;
  description.size = {12, 10, 8};
  const Index extents = in_extents(description);
  for (const WaveVector k : {WaveVector{0, 0, 1}, {0, -4, 1}, {5, 3, 0}, {-2, 1, 3}}) {
    std::vector<TypeParam> array(960);
    std::vector<std::complex<long double>> expected(960);
    for (const Index& at : indices(extents)) {
      const auto value = std::conj(wave(description, k, at));  // exp(+2 pi i k n / N)
      const auto slope = std::complex<long double>(0, static_cast<long double>(k[1] + 2 * k[2]));
      if constexpr (std::is_floating_point_v<TypeParam>) {
        array[place(extents, at)] = static_cast<TypeParam>(value.real());
        expected[place(extents, at)] = (slope * value).real();
      } else {
        array[place(extents, at)] = TypeParam(value);
        expected[place(extents, at)] = slope * value;
      }
    }
    const auto along = [](const WaveVector& w) {
      return Complex(0, static_cast<double>(w[1] + 2 * w[2]));
    };
    EXPECT_LT(relative_error(convolve("2x2x2", description, array, along), expected),
              20 * kTolerance<TypeParam>);
  }
}

/// One plane on the first node, the rest on the last: boxes that no method chooses by itself.
std::vector<Box> uneven_boxes(const Index& extents, Rank nodes) {
  std::vector<Box> boxes(nodes);
  boxes[nodes - 1] = boxes[0] = Box::of(extents);
  boxes[nodes - 1].lo[1] = boxes[0].hi[1] = 1;
  return boxes;
}

TYPED_TEST(ConvolutionOf, TakesTheCallersBoxes) {
  for (const Method method : {Method::volumetric, Method::slab, Method::rows}) {
    Description description;
    description.size = {4, 5, 6};
    description.method = method;
    description.real = std::is_floating_point_v<TypeParam>;
    description.in_boxes = uneven_boxes(in_extents(description), 4);
    description.out_boxes = uneven_boxes(out_extents(description), 4);
    const auto array = noise_of<TypeParam>(description, 5);
    const auto low = [](const WaveVector& k) { return std::abs(k[1]) <= 1 ? 1.0 : 0.0; };
    Description plain = description;
    plain.in_boxes.clear();
    plain.out_boxes.clear();
    EXPECT_LT(
        relative_error(convolve("2x2", description, array, low), convolve("1", plain, array, low)),
        kTolerance<TypeParam>);
  }
}

TYPED_TEST(ConvolutionOf, CanBeAppliedRepeatedlyAndInPlace) {
  for (const ConvolutionCase& c : cases()) {
    const auto array = noise_of<TypeParam>(c.description(), 6);
    const auto half = [](const WaveVector& k) { return k[0] == 0 ? 1.0 : 0.5; };
    const auto eighth = [](const WaveVector& k) { return k[0] == 0 ? 1.0 : 0.125; };
    const auto thrice =
        convolve<TypeParam>(c.torus, c.description(), array, half, apply_thrice<TypeParam>);
    EXPECT_LT(relative_error(thrice, convolve(c.torus, c.description(), array, eighth)),
              2 * kTolerance<TypeParam>);
  }
}

TEST(Convolution, GivesTheSameBitsOnRingsAsOnTheModel) {
  const auto factor = [](const WaveVector& k) { return Complex(static_cast<double>(k[2]), 1); };
  constexpr std::array kMethods = {Method::volumetric, Method::slab, Method::rows};
  const auto cases = testing::ring_cases_beside(kMethods.size());
  for (std::size_t m = 0; m < cases.size(); ++m) {
    Description description;
    description.size = {8, 9, 7};
    description.method = kMethods[m];
    const auto array = noise_of<Complex>(description, 7);
    const auto expected = convolve("2x3", description, array, factor);
    for (const auto& c : cases[m]) {
      const auto fabric =
          testing::ring_fabric(Shape::parse("2x3"), c.threads, testing::routed(c.route), {});
      EXPECT_EQ(convolve_on<Complex>(*fabric, description, array, factor), expected) << c.text();
    }
  }
}

TEST(Convolution, CallsTheFactorWithTheFrequenciesThatABoxCutKeeps) {
  Description description;
  description.size = {8, 8, 8};
  description.method = Method::slab;
  description.box_cut = 2;
  const Index extents = in_extents(description);
  for (const WaveVector k : {WaveVector{-2, 1, 0}, {1, -2, -2}, {0, -1, 1}}) {
    std::vector<Complex> array(512);
    for (const Index& at : indices(extents))
      array[place(extents, at)] = Complex(std::conj(wave(description, k, at)));
    std::vector<Complex> expected = array;
    for (Complex& value : expected) value *= static_cast<double>(k[0] + 10 * k[1] + 100 * k[2]);
    const auto number = [](const WaveVector& w) {
      return static_cast<double>(w[0] + 10 * w[1] + 100 * w[2]);
    };
    EXPECT_LT(relative_error(convolve("2x2", description, array, number), expected), 1e-14);
  }
}

TEST(WaveVector, FollowsTheOrderOfASpectrum) {
  Description description;
  description.size = {6, 5, 4};
  EXPECT_EQ(wave_vector(description, {3, 2, 2}), (WaveVector{3, 2, 2}));
  EXPECT_EQ(wave_vector(description, {4, 3, 3}), (WaveVector{-2, -2, -1}));
  EXPECT_EQ(wave_vector(description, {5, 4, 0}), (WaveVector{-1, -1, 0}));
  description.real = true;
  EXPECT_EQ(wave_vector(description, {4, 3, 2}), (WaveVector{-2, -2, 2}));
  description.size = {6, 4, 5};
  EXPECT_EQ(wave_vector(description, {0, 2, 2}), (WaveVector{0, 2, 2}));
  description.size = {7};
  EXPECT_EQ(wave_vector(description, {3, 0, 0}), (WaveVector{3}));
  description.size = {2, 2, 2, 2, 3, 9};
  EXPECT_EQ(wave_vector(description, {1, 0, 1, 0, 2, 4}), (WaveVector{1, 0, 1, 0, -1, 4}));
}

double twice(const WaveVector&) {
  return 2;
}

Program apply_a_function(Node&, ConvolutionNode<double>& self) {
  const double three = 3;
  co_await self.convolution.apply(self.in, self.out, twice);
  co_await self.convolution.apply(self.out, self.out, [three](const WaveVector&) { return three; });
}

TEST(Convolution, TakesAFunctionOrALambdaAsItsFactor) {
  const auto fabric = make_sim_fabric(Shape::parse("1"), Machine{});
  Description description;
  description.size = {2, 3, 4};
  description.real = true;
  Node node(fabric->device(0));
  ConvolutionNode<double> side(node,
                               std::make_shared<const Blueprint>(description, fabric->shape()));
  side.in = noise_of<double>(24, 8);
  node.run(apply_a_function(node, side));
  fabric->attach(0, node);
  fabric->run();
  std::vector<double> expected = side.in;
  for (double& value : expected) value *= 6;
  EXPECT_LT(relative_error(side.out, expected), 1e-14);
}

Program apply_what_throws(Node&, ConvolutionNode<double>& self) {
  const Factor throws = [](const WaveVector&) -> Complex { throw RunFailed("no such wave"); };
  co_await self.convolution.apply(self.in, self.out, throws);
}

TEST(Convolution, EndsTheRunWithTheFactorsException) {
  const auto fabric = make_sim_fabric(Shape::parse("1"), Machine{});
  Description description;
  description.size = {4, 4, 4};
  description.real = true;
  Node node(fabric->device(0));
  ConvolutionNode<double> side(node,
                               std::make_shared<const Blueprint>(description, fabric->shape()));
  node.run(apply_what_throws(node, side));
  fabric->attach(0, node);
  EXPECT_THROW(fabric->run(), RunFailed);
}

TEST(Convolution, RefusesTransformsWithoutWaveVectors) {
  const auto fabric = make_sim_fabric(Shape::parse("2x2x2"), Machine{});
  Node node(fabric->device(0));
  for (const TransformKind kind : {TransformKind::wht, TransformKind::dht, TransformKind::fft}) {
    Description description;
    description.size = {4, 4, 4};
    description.method = Method::orbital;
    description.kinds[1] = kind;
    EXPECT_THROW(Convolution(node, description), BadInput);
    EXPECT_THROW(wave_vector(description, {}), BadInput);
  }
}

TEST(Convolution, MultipliesOnlyArraysOfTheSpectrumsTypeAndSize) {
  const auto fabric = make_sim_fabric(Shape::parse("1"), Machine{});
  Node node(fabric->device(0));
  Description description;
  description.size = {2, 3, 4};
  description.real = true;
  Plan plan(node, description);
  std::vector<Complex> spectrum(18, 1);
  multiply_spectrum(plan, spectrum, twice);
  EXPECT_EQ(spectrum, std::vector<Complex>(18, 2));
  std::vector<Complex> short_one(17);
  std::vector<double> real(36);
  std::vector<std::complex<float>> single(18);
  EXPECT_THROW(multiply_spectrum(plan, short_one, twice), BadInput);
  EXPECT_THROW(multiply_spectrum(plan, real, twice), BadInput);
  EXPECT_THROW(multiply_spectrum(plan, single, twice), BadInput);
}

TEST(WaveVector, CountsHalfPeriodsOfCosinesAndSines) {
  Description description;
  description.size = {6, 5, 4};
  description.kinds = {TransformKind::dct, TransformKind::dst, TransformKind::dft};
  EXPECT_EQ(wave_vector(description, {5, 3, 3}), (WaveVector{5, 4, -1}));
  EXPECT_EQ(wave_vector(description, {0, 0, 0}), (WaveVector{0, 1, 0}));
  description.real = true;
  description.kinds.fill(TransformKind::dst);
  EXPECT_EQ(wave_vector(description, {5, 4, 3}), (WaveVector{6, 5, 4}));
}

/// The element of the wave vector k at the index `at`: a product of cosines and sines.
double standing_wave(const Description& description, const WaveVector& k, const Index& at) {
  double product = 1;
  for (unsigned axis = 0; axis < description.size.size(); ++axis) {
    const double half_turns = static_cast<double>((2 * at[axis] + 1) * k[axis]) /
                              static_cast<double>(2 * description.size[axis]);
    const bool is_cosine = description.kinds[axis].kind == TransformKind::dct;
    product *= is_cosine ? std::cos(std::numbers::pi * half_turns)
                         : std::sin(std::numbers::pi * half_turns);
  }
  return product;
}

TYPED_TEST(ConvolutionOf, MultipliesStandingWavesOfTheDctAndDst) {
  using enum TransformKind;
  const auto number = [](const WaveVector& w) {
    return static_cast<double>(w[0] + 10 * w[1] + 100 * w[2]);
  };
  for (const Method method : {Method::volumetric, Method::slab, Method::rows, Method::orbital})
    for (const std::array<AxisTransform, kMaxAxes>& kinds :
         {std::array<AxisTransform, kMaxAxes>{dct, dct, dct}, {dst, dst, dst}, {dct, dst, dst}}) {
      Description description;
      description.size = {4, 6, 8};
      description.method = method;
      description.kinds = kinds;
      const Index extents = in_extents(description);
      for (const WaveVector k : {WaveVector{1, 1, 1}, {3, 5, 2}, {1, 2, 7}}) {
        std::vector<TypeParam> array(192);
        for (const Index& at : indices(extents))
          array[place(extents, at)] = static_cast<TypeParam>(
              static_cast<PartOf<TypeParam>>(standing_wave(description, k, at)));
        std::vector<TypeParam> expected = array;
        for (TypeParam& value : expected) value *= static_cast<PartOf<TypeParam>>(number(k));
        const char* const torus = method == Method::slab ? "2x2" : "2x2x2";
        EXPECT_LT(relative_error(convolve(torus, description, array, number), expected),
                  200 * kTolerance<TypeParam>)
            << kMethodNames[static_cast<std::size_t>(method)];
      }
    }
}

}  // namespace
}  // namespace toroid::fft
