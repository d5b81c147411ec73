#include "hal/twisted_torus_paths.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "hal/check.hpp"
#include "hal/direction.hpp"

namespace toroid {
namespace {

constexpr std::uint16_t kUnknown = std::numeric_limits<std::uint16_t>::max();

/// Whether a path may be lengthened by a hop in this direction: only if its last hop had the same
/// direction or was in an earlier dimension. So of all orders of a path's hops, only one is
/// generated.
bool lengthens(const Route& way, Direction direction) {
  const unsigned same_or_later = way.directions.bits() >> 2 * direction.dim();
  return same_or_later == 0 || same_or_later == 1u << (direction.index & 1u);
}

}  // namespace

/// A path from node 0, and the node at its end.
struct ShortestWays::Step {
  Rank offset;
  Route way;
};

/// All shortest paths that have one hop more than those in `steps`. None is missed, because a
/// shortest path without its last hop is a shortest path too.
std::vector<ShortestWays::Step> ShortestWays::lengthened(const Shape& shape,
                                                         const std::vector<Step>& steps) {
  std::vector<Step> longer;
  for (const Step& step : steps)
    for (std::uint8_t l = 0; l < shape.links(); ++l) {
      const auto next = shape.neighbour(step.offset, {l});
      if (!next || !lengthens(step.way, {l})) continue;
      const auto hops = static_cast<std::uint16_t>(hops_[step.offset] + 1);
      if (hops_[*next] == kUnknown) hops_[*next] = hops;
      if (hops_[*next] != hops) continue;
      longer.push_back({*next, step.way});
      Step& made = longer.back();
      made.way.directions.add(Direction{l});
      if (++made.way.hops[l / 2] == 0)
        throw BadInput(fmt::format("torus {}: a shortest path has more than 255 hops in {}",
                                   shape.text(), kDimNames[l / 2]));
    }
  return longer;
}

ShortestWays::ShortestWays(const Shape& shape)
    : hops_(shape.size(), kUnknown), first_(shape.size() + std::size_t{1}) {
  hops_[0] = 0;
  std::vector<std::vector<Step>> levels{{Step{0, {}}}};
  while (!levels.back().empty()) levels.push_back(lengthened(shape, levels.back()));
  diameter_ = static_cast<unsigned>(levels.size() - 2);
  keep(levels);
}

/// Stores all paths, sorted by offset and then by directions, with + before -. Of several paths
/// with equal directions it stores only the first.
void ShortestWays::keep(const std::vector<std::vector<Step>>& levels) {
  std::vector<Step> all;
  for (const auto& level : levels) all.insert(all.end(), level.begin(), level.end());
  const auto key = [](const Step& s) { return std::pair(s.offset, s.way.directions.bits()); };
  std::ranges::stable_sort(all, {}, key);
  const auto repeated = std::ranges::unique(all, {}, key);
  all.erase(repeated.begin(), repeated.end());
  for (const Step& step : all) {
    ways_.push_back(step.way);
    ++first_[step.offset + 1];
  }
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
}

}  // namespace toroid
