#include "packet/traffic/permutation_traffic.hpp"

#include <numeric>
#include <utility>

#include "hal/check.hpp"

namespace toroid {
namespace {

template <typename Move>
std::vector<Rank> mapped(const Shape& shape, const Move& move) {
  std::vector<Rank> to(shape.size());
  for (Rank r = 0; r < shape.size(); ++r) {
    Coord at = shape.coord(r);
    move(at);
    to[r] = shape.rank(at);
  }
  return to;
}

}  // namespace

PermutationTraffic::PermutationTraffic(std::string name, std::vector<Rank> to, std::uint64_t bytes)
    : name_(std::move(name)), to_(std::move(to)), from_(to_.size(), ~Rank{0}), bytes_(bytes) {
  for (Rank r = 0; r < to_.size(); ++r) {
    TOROID_CHECK_LT(to_[r], to_.size());
    TOROID_CHECK_EQ(from_[to_[r]], ~Rank{0});
    from_[to_[r]] = r;
  }
}

std::vector<Rank> PermutationTraffic::tornado(const Shape& shape) {
  return mapped(shape, [&](Coord& at) {
    for (unsigned d = 0; d < shape.dims(); ++d) {
      const unsigned k = shape.extent(d);
      at[d] = static_cast<std::uint8_t>((at[d] + (k + 1) / 2 - 1) % k);
    }
  });
}

std::vector<Rank> PermutationTraffic::transpose(const Shape& shape, unsigned a, unsigned b) {
  TOROID_CHECK_EQ(shape.extent(a), shape.extent(b));
  return mapped(shape, [a, b](Coord& at) { std::swap(at[a], at[b]); });
}

std::vector<Rank> PermutationTraffic::mirror(const Shape& shape) {
  return mapped(shape, [&](Coord& at) {
    for (unsigned d = 0; d < shape.dims(); ++d)
      at[d] = static_cast<std::uint8_t>(shape.extent(d) - 1 - at[d]);
  });
}

/// Source of the shuffle, which leaves a single cycle: Sattolo, Information Processing Letters 22
/// (1986).
std::vector<Rank> PermutationTraffic::cycle(Rank nodes, std::uint64_t seed) {
  std::vector<Rank> to(nodes);
  std::iota(to.begin(), to.end(), Rank{0});
  Random random(seed);
  for (Rank i = nodes; i-- > 1;) std::swap(to[i], to[random.below(i)]);
  return to;
}

std::uint64_t PermutationTraffic::bytes(Rank from, Rank to) const {
  return from != to && to_[from] == to ? bytes_ : 0;
}

std::vector<Rank> PermutationTraffic::one(const std::vector<Rank>& map, Rank node) const {
  if (map[node] == node || bytes_ == 0) return {};
  return {map[node]};
}

}  // namespace toroid
