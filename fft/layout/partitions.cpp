#include "fft/layout/partitions.hpp"

#include <cstddef>
#include <cstdint>
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

}  // namespace

Distribution block_parts(const Index& extents, const Index& grid, const AxisOrder& order) {
  TOROID_CHECK_EQ(grid[kBatchAxis], std::int64_t{1});
  return {extents,
          [=](Rank part) { return NodeLayout::dense(block_of(extents, grid, part), order); }};
}

Distribution line_parts(const Index& extents, const AxisOrder& order, Rank parts) {
  const std::int64_t batch = extents[kBatchAxis];
  const std::int64_t all = Box::of(extents).volume() / extents[order[kAxes - 1]] / batch;
  return {extents, [=](Rank part) {
            const Split lines{all, parts};
            return NodeLayout::lines(Box::of(extents), order, lines.begin(part) * batch,
                                     lines.end(part) * batch);
          }};
}

AxisOrder lines_order(unsigned axis) {
  AxisOrder order{};
  std::size_t level = 0;
  for (std::uint8_t a = 0; a < kMaxAxes; ++a)
    if (a != axis) order[level++] = a;
  order[level] = kBatchAxis;
  order[level + 1] = static_cast<std::uint8_t>(axis);
  return order;
}

Distribution on_nodes(const Distribution& parts, std::span<const Rank> nodes, Rank size) {
  std::vector<Rank> part_of(size, kNoPart);
  for (Rank part = 0; part < nodes.size(); ++part) {
    TOROID_CHECK_LT(nodes[part], size);
    TOROID_CHECK_EQ(part_of[nodes[part]], kNoPart);
    part_of[nodes[part]] = part;
  }
  return {parts.extents, [layout = parts.layout, part_of = std::move(part_of)](Rank node) {
            return part_of[node] == kNoPart ? NodeLayout() : layout(part_of[node]);
          }};
}

}  // namespace toroid::fft
