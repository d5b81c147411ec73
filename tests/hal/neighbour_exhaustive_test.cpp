// Every link of every torus and mesh up to 5x5x5.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "hal/direction.hpp"
#include "hal/shape.hpp"
#include "tests/hal/shapes.hpp"

namespace toroid {
namespace {

std::vector<Shape> neighbour_shapes() {
  auto shapes = testing::all_shapes(3, 5);
  for (unsigned dims : {1u, 2u})
    for (const auto& shape : testing::all_shapes(dims, 6)) shapes.push_back(shape);
  for (const auto& shape : testing::parsed({"256", "256m", "2x2x2x2", "3x2x2x2x2x2m"}))
    shapes.push_back(shape);
  return shapes;
}

/// The coordinate after one hop, by the definition in signed integers. None if the hop would leave
/// a mesh, or if the extent is 1.
std::optional<int> moved(const Shape& shape, int at, Direction direction) {
  const int k = static_cast<int>(shape.extent(direction.dim()));
  const int to = at + (direction.is_minus() ? -1 : 1);
  if (k == 1) return std::nullopt;
  if (to >= 0 && to < k) return to;
  if (!shape.wraps(direction.dim())) return std::nullopt;
  return (to + k) % k;
}

TEST(Neighbour, IsOneStepAwayInItsDimensionOnly) {
  for (const Shape& shape : neighbour_shapes())
    for (Rank r = 0; r < shape.size(); ++r)
      for (unsigned l = 0; l < kMaxLinks; ++l) {
        const Direction direction = testing::direction(l);
        const auto neighbour = shape.neighbour(r, direction);
        if (l >= shape.links()) {
          ASSERT_FALSE(neighbour) << shape.text();
          continue;
        }
        const auto expected = moved(shape, shape.coord(r)[direction.dim()], direction);
        ASSERT_EQ(neighbour.has_value(), expected.has_value())
            << shape.text() << shape.coord_text(r) << direction.name();
        if (!neighbour) continue;
        Coord coord = shape.coord(r);
        coord[direction.dim()] = static_cast<std::uint8_t>(*expected);
        ASSERT_EQ(shape.coord(*neighbour), coord) << shape.text() << direction.name();
      }
}

TEST(Neighbour, TheOppositeDirectionLeadsBack) {
  std::size_t links = 0;
  for (const Shape& shape : neighbour_shapes())
    for (Rank r = 0; r < shape.size(); ++r)
      for (unsigned l = 0; l < shape.links(); ++l) {
        const Direction direction = testing::direction(l);
        const auto neighbour = shape.neighbour(r, direction);
        if (!neighbour) continue;
        ++links;
        ASSERT_EQ(shape.neighbour(*neighbour, direction.opposite()), r)
            << shape.text() << shape.coord_text(r) << direction.name();
      }
  EXPECT_GT(links, 100000u);
}

// Tries every extent as the last one of a shape of nearly 2^24 nodes, which gives the largest
// possible quotients.
TEST(Coordinates, AreQuotientsAndRemaindersUpToTheLargestRanks) {
  for (unsigned k = 1; k <= kMaxExtent; ++k) {
    const unsigned rest = kMaxExtent / k;
    const Shape shape = Shape::parse(fmt::format("256x256x{}x{}", rest, k));
    for (Rank back = 1; back <= 4096; ++back) {
      const Rank rank = shape.size() - back;
      const Coord coord = shape.coord(rank);
      ASSERT_EQ(coord[3], rank % k) << shape.text() << ' ' << rank;
      ASSERT_EQ(coord[2], rank / k % rest) << shape.text() << ' ' << rank;
      ASSERT_EQ(coord[1], rank / k / rest % 256) << shape.text() << ' ' << rank;
      ASSERT_EQ(coord[0], rank / k / rest / 256) << shape.text() << ' ' << rank;
    }
  }
}

}  // namespace
}  // namespace toroid
