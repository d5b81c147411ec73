// All divisions of all small tori among all possible numbers of processes.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hal/check.hpp"
#include "hal/shape.hpp"
#include "router/placement/bisection.hpp"
#include "router/placement/process_partition.hpp"

namespace toroid {
namespace {

using Owners = std::vector<unsigned>;  ///< [rank]

/// A shape of up to three dimensions; bit d of `mesh` makes dimension d a mesh.
Shape shape_of(const std::vector<unsigned>& extents, unsigned mesh) {
  std::string text;
  for (std::size_t d = 0; d < extents.size(); ++d)
    text += fmt::format("{}{}{}", d > 0 ? "x" : "", extents[d], (mesh >> d & 1u) != 0 ? "m" : "");
  return Shape::parse(text);
}

void append_shapes(std::vector<Shape>& shapes, const std::vector<unsigned>& extents) {
  for (unsigned mesh = 0; mesh < 1u << extents.size(); ++mesh)
    shapes.push_back(shape_of(extents, mesh));
}

/// Extents 1 to 5 in one to three dimensions, as torus, mesh or mixed.
std::vector<Shape> small_shapes() {
  std::vector<Shape> shapes;
  for (unsigned a = 1; a <= 5; ++a) {
    append_shapes(shapes, {a});
    for (unsigned b = 1; b <= 5; ++b) {
      append_shapes(shapes, {a, b});
      for (unsigned c = 1; c <= 5; ++c)
        for (const unsigned mesh : {0b000u, 0b010u, 0b111u})
          shapes.push_back(shape_of({a, b, c}, mesh));
    }
  }
  return shapes;
}

std::uint64_t links_between(const Shape& shape, const Owners& owners) {
  std::uint64_t links = 0;
  for (Rank node = 0; node < shape.size(); ++node)
    for (unsigned l = 0; l < shape.links(); ++l)
      if (const auto next = shape.neighbour(node, {static_cast<std::uint8_t>(l)}))
        links += owners[node] != owners[*next] ? 1 : 0;
  return links;
}

/// Calls visit(grid) for every grid of `boxes` equal boxes.
void for_each_grid(const Shape& shape, unsigned boxes, const auto& visit) {
  std::vector<unsigned> grid(shape.dims(), 1);
  for (bool more = true; more;) {
    unsigned product = 1;
    bool fits = true;
    for (unsigned d = 0; d < shape.dims(); ++d) {
      product *= grid[d];
      fits &= shape.extent(d) % grid[d] == 0;
    }
    if (fits && product == boxes) visit(grid);
    unsigned d = 0;
    while (d < shape.dims() && ++grid[d] > shape.extent(d)) grid[d++] = 1;
    more = d < shape.dims();
  }
}

Owners owners_of(const Shape& shape, const std::vector<unsigned>& grid) {
  Owners owners;
  for (Rank node = 0; node < shape.size(); ++node) {
    unsigned box = 0;
    for (unsigned d = 0; d < shape.dims(); ++d)
      box = box * grid[d] + shape.coord(node)[d] * grid[d] / shape.extent(d);
    owners.push_back(box);
  }
  return owners;
}

/// The fewest links that a division into equal boxes cuts; nullopt if no such division exists.
std::optional<std::uint64_t> fewest_cut(const Shape& shape, unsigned boxes) {
  std::optional<std::uint64_t> fewest;
  for_each_grid(shape, boxes, [&](const std::vector<unsigned>& grid) {
    const std::uint64_t links = links_between(shape, owners_of(shape, grid));
    fewest = std::min(links, fewest.value_or(links));
  });
  return fewest;
}

void expect_every_node_once(const Shape& shape, const Partition& partition) {
  std::vector<unsigned> seen(shape.size());
  for (unsigned p = 0; p < partition.processes(); ++p) {
    const auto& nodes = partition.nodes(p);
    ASSERT_FALSE(nodes.empty());
    ASSERT_TRUE(std::ranges::is_sorted(nodes));
    for (const Rank node : nodes) {
      ++seen.at(node);
      ASSERT_EQ(partition.owner(node), p);
    }
  }
  ASSERT_EQ(std::ranges::count(seen, 1u), shape.size());
}

void expect_even(const Shape& shape, const Partition& partition) {
  const std::size_t least = shape.size() / partition.processes();
  const std::size_t rest = shape.size() % partition.processes();
  std::size_t larger = 0;
  for (unsigned p = 0; p < partition.processes(); ++p) {
    ASSERT_GE(partition.nodes(p).size(), least);
    ASSERT_LE(partition.nodes(p).size(), least + 1);
    larger += partition.nodes(p).size() - least;
  }
  ASSERT_EQ(larger, rest);
}

void expect_equal_boxes(const Shape& shape, const Partition& partition) {
  const BoundingBox first = bounding_box(shape, partition.nodes(0));
  for (unsigned p = 0; p < partition.processes(); ++p) {
    const BoundingBox box = bounding_box(shape, partition.nodes(p));
    std::size_t volume = 1;
    for (unsigned d = 0; d < shape.dims(); ++d) {
      ASSERT_EQ(box.length(d), first.length(d));
      volume *= box.length(d);
    }
    ASSERT_EQ(partition.nodes(p).size(), volume);
  }
}

void expect_sound(const Shape& shape, unsigned processes) {
  SCOPED_TRACE(shape.text() + " for " + std::to_string(processes));
  const Partition partition(shape, processes);
  ASSERT_EQ(partition.processes(), processes);
  expect_every_node_once(shape, partition);
  expect_even(shape, partition);
  const auto fewest = fewest_cut(shape, processes);
  if (!fewest) return;
  expect_equal_boxes(shape, partition);
  Owners owners;
  for (Rank node = 0; node < shape.size(); ++node) owners.push_back(partition.owner(node));
  ASSERT_EQ(links_between(shape, owners), *fewest);
}

TEST(PartitionExhaustive, IsEvenAndCutsTheFewestLinksIfEqualBoxesExist) {
  for (const Shape& shape : small_shapes())
    for (unsigned processes = 1; processes <= shape.size(); ++processes) {
      expect_sound(shape, processes);
      if (HasFatalFailure()) return;
    }
}

TEST(PartitionExhaustive, RefusesMoreProcessesThanNodes) {
  for (const Shape& shape : small_shapes())
    for (const unsigned more : {1u, 2u, 1000u})
      EXPECT_THROW(Partition(shape, shape.size() + more), BadInput) << shape.text();
}

TEST(PartitionExhaustive, ExplainsTooManyProcesses) {
  try {
    const Partition partition(Shape::parse("2x3m"), 7);
    FAIL() << "seven processes on six nodes";
  } catch (const BadInput& refusal) {
    EXPECT_STREQ(refusal.what(),
                 "7 processes for the 6 nodes of torus 2x3m; each process needs at least one node");
  }
}

TEST(PartitionExhaustive, NamesTheCornersOfABox) {
  const Partition halves(Shape::parse("2x2x4"), 2);
  EXPECT_EQ(halves.text(0), "nodes (0,0,0) to (1,1,1)");
  EXPECT_EQ(halves.text(1), "nodes (0,0,2) to (1,1,3)");
  EXPECT_EQ(Partition(Shape::parse("3"), 3).text(2), "node (2)");
}

}  // namespace
}  // namespace toroid
