#include "fft/layout/partitions.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fft/layout/node_layout.hpp"
#include "hal/check.hpp"

namespace toroid::fft {
namespace {

constexpr Rank kNoPart = ~Rank{0};

Box block_of(const Index& extents, const Index& grid, std::int64_t part) {
  Box block;
  for (unsigned axis = kAxes; axis-- > 0;) {
    const Split split{extents[axis], grid[axis]};
    const std::int64_t at = part % grid[axis];
    block.lo[axis] = split.begin(at);
    block.hi[axis] = split.end(at);
    part /= grid[axis];
  }
  return block;
}

void check_order(AxisOrder order) {
  const std::string text = fmt::format("{}", fmt::join(order, ","));
  std::ranges::sort(order);
  for (unsigned axis = 0; axis < kAxes; ++axis)
    if (order[axis] != axis)
      throw BadInput(
          fmt::format("the order {} of axes; expected each of 0 to {} once", text, kBatchAxis));
}

void check_grid(const Index& grid) {
  for (const std::int64_t extent : grid)
    if (extent < 1 || grid[kBatchAxis] != 1)
      throw BadInput(fmt::format(
          "a grid of {} blocks; expected 1 or more along each axis, and 1 along the batch",
          fmt::join(grid, "x")));
}

}  // namespace

Distribution block_parts(const Index& extents, const Index& grid, const AxisOrder& order) {
  check_extents(extents);
  check_grid(grid);
  check_order(order);
  return {extents,
          [=](Rank part) { return NodeLayout::dense(block_of(extents, grid, part), order); }};
}

Distribution line_parts(const Index& extents, const AxisOrder& order, Rank parts) {
  check_extents(extents);
  check_order(order);
  if (order.back() == kBatchAxis)
    throw BadInput("lines along the batch axis; expected an order that ends with another axis");
  if (parts < 1) throw BadInput("an array cut into 0 parts; expected 1 or more");
  const std::int64_t batch = extents[kBatchAxis];
  const std::int64_t all = Box::of(extents).volume() / extents[order[kAxes - 1]] / batch;
  return {extents, [=](Rank part) {
            const Split lines{all, parts};
            return NodeLayout::lines(Box::of(extents), order, lines.begin(part) * batch,
                                     lines.end(part) * batch);
          }};
}

AxisOrder lines_order(unsigned axis) {
  if (axis >= kMaxAxes)
    throw BadInput(fmt::format("lines along axis {}; expected 0 to {}", axis, kMaxAxes - 1));
  AxisOrder order{};
  std::size_t level = 0;
  for (std::uint8_t a = 0; a < kMaxAxes; ++a)
    if (a != axis) order[level++] = a;
  order[level] = kBatchAxis;
  order[level + 1] = static_cast<std::uint8_t>(axis);
  return order;
}

Distribution on_nodes(const Distribution& parts, std::span<const Rank> nodes, Rank size) {
  TOROID_CHECK_EQ(elements_on(parts, static_cast<Rank>(nodes.size())),
                  Box::of(parts.extents).volume());
  std::vector<Rank> part_of(size, kNoPart);
  for (Rank part = 0; part < nodes.size(); ++part) {
    if (nodes[part] >= size)
      throw BadInput(fmt::format("part {} is assigned to node {}; expected a node below {}", part,
                                 nodes[part], size));
    if (part_of[nodes[part]] != kNoPart)
      throw BadInput(fmt::format("parts {} and {} are assigned to node {}; expected distinct nodes",
                                 part_of[nodes[part]], part, nodes[part]));
    part_of[nodes[part]] = part;
  }
  return {parts.extents, [layout = parts.layout, part_of = std::move(part_of)](Rank node) {
            return part_of[node] == kNoPart ? NodeLayout() : layout(part_of[node]);
          }};
}

}  // namespace toroid::fft
