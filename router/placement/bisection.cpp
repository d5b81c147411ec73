#include "router/placement/bisection.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "hal/check.hpp"
#include "hal/direction.hpp"

namespace toroid {
namespace {

/// The index at which the value of `level` changes; of several such indices, the one nearest to the
/// middle of the list. REQUIRES: the value changes somewhere.
std::size_t boundary(std::span<const WorkerPlace> workers, unsigned WorkerPlace::*level) {
  const std::size_t middle = workers.size() / 2;
  const auto changes_at = [&](std::size_t i) {
    return i > 0 && i < workers.size() && workers[i - 1].*level != workers[i].*level;
  };
  for (std::size_t away = 0;; ++away) {
    if (away <= middle && changes_at(middle - away)) return middle - away;
    if (changes_at(middle + away)) return middle + away;
  }
}

/// The index at which the list of workers is halved.
std::size_t halfway(std::span<const WorkerPlace> workers) {
  for (const auto level : {&WorkerPlace::package, &WorkerPlace::numa, &WorkerPlace::core})
    if (workers.front().*level != workers.back().*level) return boundary(workers, level);
  return workers.size() / 2;
}

/// How good a cut across dimension `d` is: inversely proportional to the number of links that it
/// crosses. A box that fills a ring is cut at two places.
unsigned worth_of_cutting(const Shape& shape, const BoundingBox& box, unsigned d) {
  const bool ring = shape.wraps(d) && box.length(d) == shape.extent(d);
  return ring ? box.length(d) : 2 * box.length(d);
}

/// The best dimension to cut comes first; ties go to the longer dimension, then to the earlier
/// dimension.
std::vector<unsigned> cutting_order(const Shape& shape, const BoundingBox& box) {
  std::vector<unsigned> dims(shape.dims());
  std::iota(dims.begin(), dims.end(), 0u);
  std::stable_sort(dims.begin(), dims.end(), [&](unsigned a, unsigned b) {
    const unsigned worth_a = worth_of_cutting(shape, box, a);
    const unsigned worth_b = worth_of_cutting(shape, box, b);
    return worth_a != worth_b ? worth_a > worth_b : box.length(a) > box.length(b);
  });
  return dims;
}

class Bisection {
 public:
  Bisection(const Shape& shape, std::size_t nodes, std::span<WorkerPlace> workers)
      : shape_(shape), nodes_(nodes), workers_(workers) {}

  /// Shares `nodes` out among the workers [first, last).
  void split(std::size_t first, std::size_t last, std::span<Rank> nodes) {
    if (last - first == 1) return give(workers_[first], nodes);
    const std::size_t middle = first + halfway(workers_.subspan(first, last - first));
    const std::size_t left = begin_of(middle) - begin_of(first);
    cut(nodes, left);
    split(first, middle, nodes.first(left));
    split(middle, last, nodes.subspan(left));
  }

 private:
  /// Number of nodes of all workers before `worker`. As it is rounded down, the node counts of any
  /// two workers differ by at most one, however the list is halved.
  std::size_t begin_of(std::size_t worker) const {
    return static_cast<std::size_t>(std::uint64_t{nodes_} * worker / workers_.size());
  }

  /// Cuts the nodes in two parts and moves the `left` nodes of the first part to the front.
  void cut(std::span<Rank> nodes, std::size_t left) const {
    const auto order = cutting_order(shape_, bounding_box(shape_, nodes));
    const auto position = [&](Rank rank) {
      const Coord coord = shape_.coord(rank);
      Rank position = 0;
      for (const unsigned d : order) position = position * shape_.extent(d) + coord[d];
      return position;
    };
    std::nth_element(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(left), nodes.end(),
                     [&](Rank a, Rank b) { return position(a) < position(b); });
  }

  static void give(WorkerPlace& worker, std::span<const Rank> nodes) {
    worker.nodes.assign(nodes.begin(), nodes.end());
    std::sort(worker.nodes.begin(), worker.nodes.end());
  }

  const Shape& shape_;
  std::size_t nodes_;  ///< total number of nodes to share out
  std::span<WorkerPlace> workers_;
};

}  // namespace

BoundingBox bounding_box(const Shape& shape, std::span<const Rank> nodes) {
  BoundingBox box{shape.coord(nodes.front()), shape.coord(nodes.front())};
  for (const Rank node : nodes) {
    const Coord coord = shape.coord(node);
    for (unsigned d = 0; d < shape.dims(); ++d) {
      box.low[d] = std::min(box.low[d], coord[d]);
      box.high[d] = std::max(box.high[d], coord[d]);
    }
  }
  return box;
}

void share_out_nodes(const Shape& shape, std::vector<Rank> nodes, std::span<WorkerPlace> workers) {
  TOROID_CHECK(!workers.empty());
  TOROID_CHECK_LE(workers.size(), nodes.size());
  Bisection(shape, nodes.size(), workers).split(0, workers.size(), nodes);
}

std::uint64_t crossing_links(const Shape& shape, std::span<const WorkerPlace> workers) {
  std::vector<std::size_t> owner(shape.size());
  for (std::size_t w = 0; w < workers.size(); ++w)
    for (const Rank node : workers[w].nodes) owner[node] = w;
  std::uint64_t links = 0;
  for (Rank node = 0; node < shape.size(); ++node)
    for (unsigned d = 0; d < shape.dims(); ++d)
      if (const auto next = shape.neighbour(node, Direction::plus(d)))
        links += owner[node] != owner[*next];
  return links;
}

}  // namespace toroid
