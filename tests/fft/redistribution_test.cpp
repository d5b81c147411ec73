#include "fft/redistribution.hpp"

#include <gtest/gtest.h>

#include <set>

#include "fft/volumetric_fft.hpp"
#include "tests/fft/transform_run.hpp"

namespace toroid {
namespace {

/// Copies and transforms nothing, so that only the redistributions act.
struct Identity final : TransformLibrary {
  struct Copy final : LocalTransform {
    explicit Copy(const LocalShape& shape) : shape(shape) {}
    void run(const Complex* in, Complex* out) const override {
      if (shape.in_place) return;
      const auto& [a, b, c] = shape.axes;
      for (std::int64_t i = 0; i < a.length; ++i)
        for (std::int64_t j = 0; j < b.length; ++j)
          for (std::int64_t k = 0; k < c.length; ++k)
            out[i * a.out_stride + j * b.out_stride + k * c.out_stride] =
                in[i * a.in_stride + j * b.in_stride + k * c.in_stride];
    }
    LocalShape shape;
  };
  std::unique_ptr<LocalTransform> plan(const LocalShape& shape, Sign, Rigor) const override {
    return std::make_unique<Copy>(shape);
  }
};

/// Data whose value is its own index.
std::vector<Complex> indices(const Index& size) {
  std::vector<Complex> values(static_cast<std::size_t>(size[0] * size[1] * size[2]));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = {static_cast<double>(i), -static_cast<double>(i)};
  return values;
}

TEST(Redistribution, PutsEveryElementInItsPlaceOnManyShapes) {
  for (const char* torus : {"1", "2", "2x2", "3x2x4", "2x2x2x2", "5x1x3", "7", "3mx4mx2m", "1x3x2"})
    for (const Index& size : {Index{7, 7, 7}, Index{16, 16, 16}, Index{5, 3, 11}, Index{2, 9, 4}})
      for (const bool back : {false, true}) {
        const VolumetricPlan plan(size, Shape::parse(torus), {Sign::forward, back}, Identity{});
        EXPECT_EQ(testing::transform(indices(size), plan).result, indices(size))
            << torus << (back ? " with return" : "");
      }
}

/// The four exchanges of a grid that splits every axis.
std::vector<Exchange> exchanges() {
  using enum Distribution;
  return {{blocks, z_lines, 2, 2},
          {z_lines, y_lines, 1, 2},
          {y_lines, x_lines, 0, 1},
          {x_lines, blocks, 0, 0}};
}

/// visit(from, to) for every pair of nodes in every exchange of several decompositions.
template <typename Visit>
void for_each_transfer(const Visit& visit) {
  for (const char* torus : {"2x3x2", "4x4x4", "2x1x1", "3x1x2", "1x5x1"})
    for (const Index& size :
         {Index{9, 8, 7}, Index{16, 16, 16}, Index{1, 40, 20}, Index{12, 3, 31}}) {
      const Decomposition d(size, Shape::parse(torus));
      for (const Exchange& exchange : exchanges())
        for (Rank s = 0; s < d.grid().shape().size(); ++s) {
          const Group group = d.grid().group(exchange.first_axis, exchange.last_axis, s);
          for (Rank t = 0; t < group.size(); ++t)
            visit(d.layout(exchange.from, d.grid().coord(s)),
                  d.layout(exchange.to, d.grid().coord(group.rank(t))));
        }
    }
}

TEST(Transfer, WalksTheIntersectionBoxByBoxInTheOrderOfTheReceiversMemory) {
  for_each_transfer([](const NodeLayout& from, const NodeLayout& to) {
    std::set<std::pair<std::int64_t, std::int64_t>> expected;  // places at both ends
    for (const Box& target : to.boxes())
      for (const Box& source : from.boxes()) {
        const Box box = intersect(source, target);
        for (auto i = box.lo[0]; i < box.hi[0]; ++i)
          for (auto j = box.lo[1]; j < box.hi[1]; ++j)
            for (auto k = box.lo[2]; k < box.hi[2]; ++k)
              expected.emplace(to.offset({i, j, k}), from.offset({i, j, k}));
      }
    const Transfer transfer(from, to);
    std::vector<std::pair<std::int64_t, std::int64_t>> walked;
    for (std::uint32_t n = 0; n < transfer.size(); ++n)
      walked.emplace_back(transfer.target_offset(n), transfer.source_offset(n));
    std::size_t pieces = 1;
    for (std::size_t n = 1; n < walked.size(); ++n) pieces += walked[n] < walked[n - 1] ? 1 : 0;
    ASSERT_LE(pieces, std::max<std::size_t>(1, from.boxes().size() * to.boxes().size()));
    std::ranges::sort(walked);
    ASSERT_EQ(walked, std::vector(expected.begin(), expected.end()));
  });
}

TEST(Transfer, CutsIntoPacketsThatHoldEveryElementOnceAndFollowRunsWhereItSaysSo) {
  std::set<bool> kinds;
  for_each_transfer([&](const NodeLayout& from, const NodeLayout& to) {
    const Transfer transfer(from, to);
    std::uint32_t next = 0;
    for (std::uint32_t packet = 0; packet < transfer.packets(); ++packet) {
      const auto [first, count] = transfer.elements(packet);
      ASSERT_EQ(first, next);
      ASSERT_TRUE(count > 0 && count <= Transfer::kPerPacket);
      next += count;
      if (transfer.in_runs()) {
        ASSERT_EQ(transfer.target_offset(next - 1), transfer.target_offset(first) + count - 1);
      }
    }
    ASSERT_EQ(next, transfer.size());
    ASSERT_EQ(transfer.elements(transfer.packets()).count, 0u);
    std::uint32_t stretched = 0;
    transfer.for_each_stretch([&](std::uint32_t elements, std::uint32_t times) {
      stretched += times * ((elements + Transfer::kPerPacket - 1) / Transfer::kPerPacket);
    });
    ASSERT_EQ(stretched, transfer.packets());
    ASSERT_LE(transfer.packets() * 8,
              (transfer.size() + Transfer::kPerPacket - 1) / Transfer::kPerPacket * 9);
    if (transfer.size() > 0) kinds.insert(transfer.in_runs());
  });
  EXPECT_EQ(kinds.size(), 2u);
}

TEST(Transfer, GathersScattersAndCopiesTheSameElements) {
  for_each_transfer([](const NodeLayout& from, const NodeLayout& to) {
    const Transfer transfer(from, to);
    std::vector<Complex> source(static_cast<std::size_t>(from.extent()));
    for (std::size_t i = 0; i < source.size(); ++i) source[i] = {static_cast<double>(i), 1};
    std::vector<Complex> sent(static_cast<std::size_t>(to.extent()));
    std::vector<Complex> copied(sent.size());
    std::array<std::byte, kPayloadBytes> payload;
    for (std::uint32_t packet = 0; packet < transfer.packets(); ++packet) {
      transfer.gather(transfer.elements(packet), source.data(), payload.data());
      transfer.scatter(transfer.elements(packet), payload.data(), sent.data());
    }
    transfer.copy({0, transfer.size()}, source.data(), copied.data());
    ASSERT_EQ(sent, copied);
    for (std::uint32_t n = 0; n < transfer.size(); ++n)
      ASSERT_EQ(sent[static_cast<std::size_t>(transfer.target_offset(n))],
                source[static_cast<std::size_t>(transfer.source_offset(n))]);
  });
}

TEST(Transfer, KeepsPacketsInRunsWhereLinesOfAnUnsplitAxisTravelTogether) {
  const Decomposition d({64, 64, 64}, Shape::parse("2x1x1"));
  const Transfer transfer(d.layout(Distribution::blocks, {0, 0, 0}),
                          d.layout(Distribution::x_lines, {1, 0, 0}));
  EXPECT_TRUE(transfer.in_runs());
  EXPECT_EQ(transfer.packets(), 32u * ((32 * 64 + 14) / 15));  // a plane of one x is one run
  EXPECT_TRUE(transfer.follows_planes(32));
  EXPECT_FALSE(transfer.follows_planes(64));
}

TEST(Divisor, DividesExactly) {
  std::mt19937_64 engine(1);
  for (int i = 0; i < 200000; ++i) {
    const auto d =
        static_cast<std::uint32_t>(std::max<std::uint64_t>(1, engine() >> (32 + i % 32)));
    const auto n = static_cast<std::uint32_t>(engine() >> (32 + i / 32 % 32));
    const auto multiple = n / d * d;
    ASSERT_EQ(Divisor(d).quotient(n), n / d);
    ASSERT_EQ(Divisor(d).quotient(multiple), n / d);
    if (multiple == 0) continue;
    ASSERT_EQ(Divisor(d).quotient(multiple - 1), n / d - 1);
  }
  EXPECT_EQ(Divisor(1).quotient(UINT32_MAX), UINT32_MAX);
  EXPECT_EQ(Divisor(UINT32_MAX).quotient(UINT32_MAX), 1u);
  EXPECT_EQ(Divisor(UINT32_MAX).quotient(UINT32_MAX - 1), 0u);
}

TEST(Redistribution, SendsFromEveryNodeOfAPlaneToEveryOther) {
  const Decomposition d({32, 32, 32}, Shape::parse("4x4x4"));
  for (const Exchange& exchange : {Exchange{Distribution::z_lines, Distribution::y_lines, 1, 2},
                                   Exchange{Distribution::y_lines, Distribution::x_lines, 0, 1}}) {
    const Group plane = d.grid().group(exchange.first_axis, exchange.last_axis, 0);
    for (Rank s = 0; s < plane.size(); ++s)
      for (Rank t = 0; t < plane.size(); ++t)
        EXPECT_EQ(Transfer(d.layout(exchange.from, d.grid().coord(plane.rank(s))),
                           d.layout(exchange.to, d.grid().coord(plane.rank(t))))
                      .size(),
                  512u / 16);
  }
}

}  // namespace
}  // namespace toroid
