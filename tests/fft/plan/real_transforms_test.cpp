// The dct, dst, dht and wht by the methods with exchanges, alone and mixed with the dft.
#include <fmt/core.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "fft/kernels/kernel.hpp"
#include "fft/layout/box.hpp"
#include "fft/layout/local_array.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/extents.hpp"
#include "fft/plan/transform_kind.hpp"
#include "hal/shape.hpp"
#include "tests/fft/layout/random_boxes.hpp"
#include "tests/fft/plan/plan_check.hpp"
#include "tests/fft/plan/plan_run.hpp"
#include "tests/fft/reference.hpp"
#include "tests/scale.hpp"

namespace toroid::fft {
namespace {

using testing::Exact;
using testing::noise_of;
using testing::refusal_of;
using testing::simulate;

/// The spectra of a batch by the transforms' definitions.
template <typename Number>
std::vector<Exact> by_definition(const Description& d, const std::vector<Number>& arrays) {
  std::vector<testing::ReferenceAxis> axes;
  for (std::size_t a = 0; a < d.size.size(); ++a)
    axes.push_back({static_cast<std::size_t>(d.size[a]), d.kinds[a].kind});
  const std::size_t points = arrays.size() / static_cast<std::size_t>(d.batch);
  std::vector<Exact> all;
  for (std::size_t first = 0; first < arrays.size(); first += points) {
    const auto begin = arrays.begin() + static_cast<std::ptrdiff_t>(first);
    const auto one = testing::reference_transform(
        axes, std::vector<Exact>(begin, begin + static_cast<std::ptrdiff_t>(points)));
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

template <typename Number>
void expect_right_of(const char* torus, const Description& d) {
  const auto points = static_cast<std::size_t>(Box::of(in_extents(d)).volume());
  const auto arrays = noise_of<Number>(points, 3);
  const auto run = simulate<Number, Number>(torus, d, arrays);
  using Part = decltype(std::abs(Number()));
  const double bar = 16 * static_cast<double>(std::numeric_limits<Part>::epsilon());
  EXPECT_LE(testing::relative_l2(testing::exactly<Number>(run.result), by_definition(d, arrays)),
            bar);
  EXPECT_LE(testing::relative_error(run.back, arrays), bar);
}

void expect_transform(const char* torus, const Description& d) {
  std::vector<std::string> kinds;
  for (std::size_t a = 0; a < d.size.size(); ++a) kinds.push_back(name_of(d.kinds[a]));
  SCOPED_TRACE(fmt::format("{} on {}: {}", testing::text_of(d), torus, fmt::join(kinds, ",")));
  if (d.precision == Precision::single)
    return d.real ? expect_right_of<float>(torus, d)
                  : expect_right_of<std::complex<float>>(torus, d);
  d.real ? expect_right_of<double>(torus, d) : expect_right_of<std::complex<double>>(torus, d);
}

constexpr std::array kReal = {TransformKind::dct, TransformKind::dst, TransformKind::dht,
                              TransformKind::wht};
constexpr std::array kAny = {TransformKind::dct, TransformKind::dst, TransformKind::dht,
                             TransformKind::dft};

class RandomTransform {
 public:
  explicit RandomTransform(std::uint64_t seed) : engine_(seed) {
    constexpr std::array kMethods = {Method::volumetric, Method::slab, Method::rows};
    constexpr std::array kTori = {"1", "2", "3x2", "2x2x2", "4x1m", "2x1x3", "1x1x4", "2x3x1"};
    torus = kTori[below(kTori.size())];
    d.method = kMethods[below(3)];
    const std::size_t axes = d.method == Method::rows ? 1 + below(kMaxAxes) : 3;
    for (std::size_t a = 0; a < axes; ++a)
      d.size.push_back(1 + static_cast<std::int64_t>(below(axes <= 3 ? 12 : 4)));
    d.real = below(2) == 0;
    d.batch = 1 + static_cast<std::int64_t>(below(3));
    d.precision = below(2) == 0 ? Precision::single : Precision::double_;
    d.library = below(2) == 0 ? local::LibraryName::kissfft : local::default_library();
    d.return_to_input = below(2) == 0;
    d.may_leave_gaps = below(2) == 0;
    d.overlap.planes = static_cast<std::int64_t>(below(4));
    d.overlap.taper = below(2) == 0;
    if (below(2) == 0) d.overlap.start = Start::lines;
    if (below(4) == 0 && d.overlap.planes == 0) d.layer = Layer::message_passing;
    for (std::size_t a = 0; a < axes; ++a) d.kinds[a] = kind_for(d.size[a]);
    const Rank nodes = Shape::parse(torus).size();
    if (below(3) == 0) d.in_boxes = testing::random_boxes(in_extents(d), nodes, engine_);
    if (below(3) == 0) d.out_boxes = testing::random_boxes(out_extents(d), nodes, engine_);
  }
  const char* torus;
  Description d;

 private:
  std::size_t below(std::size_t n) { return engine_() % n; }
  TransformKind kind_for(std::int64_t n) {
    const bool takes_wht = std::has_single_bit(static_cast<std::uint64_t>(n));
    return d.real ? kReal[below(takes_wht ? 4 : 3)] : kAny[below(4)];
  }
  std::mt19937_64 engine_;
};

TEST(RealTransforms, AreRightOrRefusedForRandomDescriptions) {
  unsigned right = 0;
  for (std::uint64_t seed = 1; seed <= testing::scaled(120u); ++seed) {
    const RandomTransform random(seed);
    if (refusal_of(random.torus, random.d) != "nothing was refused") continue;
    SCOPED_TRACE(seed);
    expect_transform(random.torus, random.d);
    ++right;
  }
  EXPECT_GT(right, testing::scaled(60u));
}

TEST(RealTransforms, AreRightForEveryKindMethodAndLength) {
  for (const Method method : testing::kMethods)
    for (const TransformKind kind : kReal)
      for (const std::int64_t n : {1, 2, 3, 7, 8, 15}) {
        if (kind == TransformKind::wht && n % 2 == 1 && n > 1) continue;
        // the slab method splits the first and the last axis
        const bool splits_ends = method == Method::slab;
        Description d{.size = {4, 8, n}, .method = method, .real = true};
        if (splits_ends) d.size = {4, n, 8};
        d.kinds.fill(kind);
        expect_transform("4x1", d);
        expect_transform("2x2x1", d);
        d.real = false;
        expect_transform("2x2", d);
      }
}

TEST(RealTransforms, OfRealDataGiveEqualBitsWithAnyInterval) {
  Description d{.size = {6, 8, 9}, .method = Method::slab, .real = true};
  d.kinds = {TransformKind::dct, TransformKind::dst, TransformKind::dht};
  const auto input = noise_of<double>(432, 3);
  const auto whole = simulate<double, double>("3", d, input).result;
  d.overlap.planes = 1;
  EXPECT_TRUE(testing::equal_bits(simulate<double, double>("3", d, input).result, whole));
}

TEST(RealTransforms, TakeHalfTheBytesAndCyclesOfComplexData) {
  Description d{.size = {16, 16, 16}};
  const auto dft = simulate<Complex, Complex>("2x2x2", d, noise_of<Complex>(4096, 3)).cycles;
  d.real = true;
  d.kinds.fill(TransformKind::dct);
  const auto dct = simulate<double, double>("2x2x2", d, noise_of<double>(4096, 3)).cycles;
  EXPECT_LT(static_cast<double>(dct), 0.6 * static_cast<double>(dft));
}

TEST(RealTransforms, AreRefusedWhereTheyHaveNoMeaning) {
  Description d{.size = {4, 6, 4}};
  d.kinds.fill(TransformKind::wht);
  EXPECT_EQ(refusal_of("2x2", d), "wht needs a power of two, not N = 6");
  d.kinds.fill(TransformKind::fft);
  EXPECT_EQ(refusal_of("2x2", d), "transform fft needs the orbital method");
  d.kinds = {TransformKind::dct, TransformKind::dft, TransformKind::dct};
  d.real = true;
  EXPECT_EQ(refusal_of("2x2", d),
            "real data with dct along one axis and dft along another; expected the dft along all "
            "axes or along none; use complex data");
  d.real = false;
  EXPECT_EQ(refusal_of("2x2", d), "nothing was refused");
  d.method = Method::slab;
  d.box_cut = 2;
  EXPECT_EQ(refusal_of("2", d),
            "a box cut needs the dft: other spectra have no negative frequencies");
}

}  // namespace
}  // namespace toroid::fft
