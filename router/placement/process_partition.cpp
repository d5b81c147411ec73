#include "router/placement/process_partition.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "hal/check.hpp"
#include "router/placement/bisection.hpp"
#include "router/placement/placement.hpp"

namespace toroid {
namespace {

/// Number of boxes per dimension.
using Grid = std::vector<unsigned>;

/// Number of links, in both directions, that the grid cuts. A ring that is divided is cut at as
/// many places as it has pieces, a mesh at one place fewer.
std::uint64_t links_cut(const Shape& shape, const Grid& grid) {
  std::uint64_t links = 0;
  for (unsigned d = 0; d < shape.dims(); ++d) {
    if (grid[d] == 1) continue;
    const unsigned cuts = shape.wraps(d) ? grid[d] : grid[d] - 1;
    links += 2 * std::uint64_t{cuts} * shape.size() / shape.extent(d);
  }
  return links;
}

/// Tries every factorisation of the number of processes into divisors of the extents.
class GridSearch {
 public:
  GridSearch(const Shape& shape, unsigned processes) : shape_(shape), grid_(shape.dims(), 1) {
    search(0, processes);
  }
  const std::optional<Grid>& best() const { return best_; }

 private:
  void search(unsigned d, unsigned left) {
    if (d == shape_.dims()) return left == 1 ? consider() : void();
    for (unsigned pieces = 1; pieces <= left && pieces <= shape_.extent(d); ++pieces) {
      if (left % pieces != 0 || shape_.extent(d) % pieces != 0) continue;
      grid_[d] = pieces;
      search(d + 1, left / pieces);
    }
  }
  void consider() {
    const std::uint64_t cut = links_cut(shape_, grid_);
    if (cut >= least_) return;
    least_ = cut;
    best_ = grid_;
  }

  const Shape& shape_;
  Grid grid_;
  std::optional<Grid> best_;
  std::uint64_t least_ = std::numeric_limits<std::uint64_t>::max();
};

std::vector<std::vector<Rank>> boxes(const Shape& shape, const Grid& grid, unsigned processes) {
  std::vector<std::vector<Rank>> parts(processes);
  for (Rank node = 0; node < shape.size(); ++node) {
    const Coord coord = shape.coord(node);
    unsigned box = 0;
    for (unsigned d = 0; d < shape.dims(); ++d)
      box = box * grid[d] + coord[d] / (shape.extent(d) / grid[d]);
    parts[box].push_back(node);
  }
  return parts;
}

std::vector<std::vector<Rank>> bisected(const Shape& shape, unsigned processes) {
  std::vector<WorkerPlace> places;
  for (unsigned p = 0; p < processes; ++p) places.push_back({p, 0, 0, {}, {}});
  std::vector<Rank> nodes(shape.size());
  std::iota(nodes.begin(), nodes.end(), Rank{0});
  share_out_nodes(shape, std::move(nodes), places);
  std::vector<std::vector<Rank>> parts;
  for (WorkerPlace& place : places) parts.push_back(std::move(place.nodes));
  return parts;
}

}  // namespace

Partition::Partition(const Shape& shape, unsigned processes) : shape_(shape), owner_(shape.size()) {
  TOROID_CHECK(processes > 0);
  if (processes > shape.size())
    throw BadInput(fmt::format(
        "{} processes for the {} nodes of torus {}; each process needs at least one node",
        processes, shape.size(), shape.text()));
  const GridSearch search(shape, processes);
  parts_ = search.best() ? boxes(shape, *search.best(), processes) : bisected(shape, processes);
  for (unsigned p = 0; p < processes; ++p)
    for (const Rank node : parts_[p]) owner_[node] = p;
}

std::string Partition::text(unsigned process) const {
  const auto& nodes = parts_[process];
  if (nodes.size() == 1) return "node " + shape_.coord_text(nodes.front());
  const BoundingBox box = bounding_box(shape_, nodes);
  return fmt::format("nodes {} to {}", shape_.coord_text(shape_.rank(box.low)),
                     shape_.coord_text(shape_.rank(box.high)));
}

}  // namespace toroid
