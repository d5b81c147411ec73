#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "hal/shape.hpp"
#include "router/placement/placement.hpp"
#include "tools/run/placement_text.hpp"

namespace toroid {
namespace {

constexpr std::size_t kColumns = 96;
constexpr std::size_t kBlockGap = 3;  ///< columns between blocks

class Map {
 public:
  Map(const Shape& shape, const Placement& placement)
      : shape_(shape),
        owner_(shape.size()),
        cell_(std::to_string(placement.workers.size() - 1).size() + 1) {
    for (unsigned d = 0; d < shape.dims(); ++d) extent_[3 - shape.dims() + d] = shape.extent(d);
    for (std::size_t w = 0; w < placement.workers.size(); ++w)
      for (const Rank node : placement.workers[w].nodes) owner_[node] = w;
  }

  bool fits(std::size_t lines) const {
    return block_columns() <= kColumns && bands() * (1 + extent_[1]) <= lines;
  }

  std::vector<std::string> lines() const {
    std::vector<std::string> lines{title()};
    const auto [slices, rows, columns] = extent_;
    for (std::size_t first = 0; first < slices; first += per_band()) {
      const std::size_t last = std::min(first + per_band(), slices);
      if (shape_.dims() == 3) lines.push_back(headings(first, last));
      for (std::size_t row = 0; row < rows; ++row) lines.push_back(row_of(first, last, row));
    }
    return lines;
  }

 private:
  std::size_t block_columns() const { return extent_[2] * cell_; }
  /// The number of slices that fit side by side.
  std::size_t per_band() const {
    return std::max<std::size_t>(1, kColumns / (block_columns() + kBlockGap));
  }
  std::size_t bands() const { return (extent_[0] + per_band() - 1) / per_band(); }

  std::string title() const {
    const char* axes[] = {"along X", "rows X, columns Y", "blocks X, rows Y, columns Z"};
    return fmt::format("worker of each node: {}", axes[shape_.dims() - 1]);
  }

  std::string headings(std::size_t first, std::size_t last) const {
    std::string line;
    for (std::size_t slice = first; slice < last; ++slice)
      line += fmt::format(" {:<{}}", fmt::format("X={}", slice), block_columns() + kBlockGap - 1);
    return line.substr(0, line.find_last_not_of(' ') + 1);
  }

  std::string row_of(std::size_t first, std::size_t last, std::size_t row) const {
    std::string line;
    for (std::size_t slice = first; slice < last; ++slice) {
      if (slice != first) line.append(kBlockGap, ' ');
      for (std::size_t column = 0; column < extent_[2]; ++column)
        line +=
            fmt::format("{:>{}}", owner_[(slice * extent_[1] + row) * extent_[2] + column], cell_);
    }
    return line;
  }

  const Shape& shape_;
  std::vector<std::size_t> owner_;
  std::size_t cell_;                               ///< columns that a node takes
  std::array<std::size_t, 3> extent_ = {1, 1, 1};  ///< slices, rows, columns
};

}  // namespace

std::vector<std::string> placement_map(const Shape& shape, const Placement& placement,
                                       std::size_t most) {
  if (shape.dims() > 3) return {};
  const Map map(shape, placement);
  return map.fits(most - 1) ? map.lines() : std::vector<std::string>{};
}

}  // namespace toroid
