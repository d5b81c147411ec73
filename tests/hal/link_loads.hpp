// Counts how many messages of an all-to-all cross each link of the machine under dimension-ordered
// minimal routing. Every hop of every pair is enumerated.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "hal/direction.hpp"
#include "hal/random.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "tests/hal/shapes.hpp"

namespace toroid::testing {

/// The node at the other end of each link, precomputed.
class Links {
 public:
  explicit Links(const Shape& shape) : degree_(shape.links()), ends_(shape.size() * degree_) {
    for (Rank r = 0; r < shape.size(); ++r)
      for (unsigned l = 0; l < degree_; ++l)
        ends_[r * degree_ + l] = shape.neighbour(r, direction(l)).value_or(r);
  }
  Rank end(Rank r, Direction d) const { return ends_[index(r, d)]; }
  std::size_t index(Rank r, Direction d) const { return std::size_t{r} * degree_ + d.index; }
  std::size_t count() const { return ends_.size(); }

 private:
  unsigned degree_;
  std::vector<Rank> ends_;
};

/// The weights of a pair's message on the + links and on the - links of dimension d.
struct Ways {
  unsigned plus;
  unsigned minus;
};
using ChooseWays = std::function<Ways(const Coord& from, const Coord& to, unsigned d)>;

/// The load of each link in units of the weights, at index rank · links + direction.
inline std::vector<std::uint64_t> link_loads(const Shape& shape, const ChooseWays& choose) {
  const Links links(shape);
  std::vector<std::uint64_t> loads(links.count());
  const auto walk = [&](Rank at, unsigned d, unsigned target, Direction way, unsigned weight) {
    if (weight == 0) return;
    for (; shape.coord(at)[d] != target; at = links.end(at, way))
      loads[links.index(at, way)] += weight;
  };
  for (Rank a = 0; a < shape.size(); ++a)
    for (Rank b = 0; b < shape.size(); ++b) {
      const Coord from = shape.coord(a);
      const Coord to = shape.coord(b);
      Coord turn = from;  // where the message enters dimension d
      for (unsigned d = 0; d < shape.dims(); ++d) {
        if (from[d] == to[d]) continue;
        const Ways ways = choose(from, to, d);
        walk(shape.rank(turn), d, to[d], Direction::plus(d), ways.plus);
        walk(shape.rank(turn), d, to[d], Direction::minus(d), ways.minus);
        turn[d] = to[d];
      }
    }
  return loads;
}

/// The loads if a message has weight 2 on the shorter path, or weight 1 on each of two equally long
/// paths.
inline std::vector<std::uint64_t> loads_with_halved_ties(const Shape& shape) {
  return link_loads(shape, [&shape](const Coord& from, const Coord& to, unsigned d) -> Ways {
    const unsigned k = shape.extent(d);
    if (!shape.wraps(d)) return to[d] > from[d] ? Ways{2, 0} : Ways{0, 2};
    const unsigned plus = (to[d] + k - from[d]) % k;
    if (2 * plus == k) return {1, 1};
    return 2 * plus < k ? Ways{2, 0} : Ways{0, 2};
  });
}

/// The loads if each message goes undivided on the path that the tie rule gives.
inline std::vector<std::uint64_t> loads_with_rule(const Shape& shape, TieRule rule) {
  Random unused(1);
  return link_loads(shape, [&](const Coord& from, const Coord& to, unsigned d) -> Ways {
    const auto hints = minimal_directions(shape, from, to, rule, unused);
    return {hints.has(Direction::plus(d)) ? 1u : 0u, hints.has(Direction::minus(d)) ? 1u : 0u};
  });
}

/// The load of the hottest link of dimension d.
inline std::uint64_t hottest(const Shape& shape, const std::vector<std::uint64_t>& loads,
                             unsigned d) {
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < loads.size(); ++i)
    if (i % shape.links() / 2 == d) most = std::max(most, loads[i]);
  return most;
}

}  // namespace toroid::testing
